import Testing

@testable import Siltstone

/// The cost of large transactions, counted in steps: twice as many writes take twice as many steps.
struct WriteBufferTests {
    private func put(_ number: Int, _ value: UInt8 = 0, to buffer: inout WriteBuffer) throws {
        let key = Array("key \(number)".utf8)
        try key.withBytes { key in try [value].withBytes { try buffer.put(key, $0) } }
    }

    @Test("reserving memory again and again copies the earlier changes a few times only")
    func reserving() {
        var batch = WriteBatch()
        var capacities: Set<Int> = []
        for number in 0..<10_000 {
            // More than a change needs, as a caller reserves that does not know its size.
            batch.reserveCapacity(batch.byteCount + 64)
            batch.put([UInt8(truncatingIfNeeded: number)], [1])
            capacities.insert(batch.capacity)
        }
        #expect(batch.count == 10_000)
        #expect(capacities.count < 20)
    }

    @Test("a roll-back visits the changes after its mark, and none before it", arguments: [1_000, 2_000])
    func rollingBack(count: Int) throws {
        var buffer = WriteBuffer()
        for number in 0..<count { try put(number, to: &buffer) }
        for number in 0..<count / 10 {
            let mark = buffer.makeMark()
            try put(number, 1, to: &buffer)  // replaces a write
            try put(count + number, 1, to: &buffer)  // adds one
            buffer.rollBack(to: mark)
        }
        // Two changes are removed, and one write is restored.
        #expect(buffer.undoneCount == 3 * (count / 10))
        #expect(buffer.batch.count == count)
        let first = Array("key 0".utf8).withBytes { buffer.lookup($0)?.value }
        #expect(first == [0])
    }

    @Test("a roll-back restores the writes that a deleted range has covered, and the ranges before it")
    func deletedRanges() throws {
        var buffer = WriteBuffer()
        for number in 0..<600 { try put(number, to: &buffer) }
        let (from, to) = (Array("key 2".utf8), Array("key 3".utf8))
        let before = buffer
        let outer = buffer.makeMark()
        try put(2, 1, to: &buffer)
        let inner = buffer.makeMark()
        try from.withBytes { from in try to.withBytes { try buffer.deleteRange(from, $0) } }
        try put(2, 2, to: &buffer)
        buffer.rollBack(to: inner)
        #expect(buffer.deleted.isEmpty)
        #expect(from.withBytes { buffer.lookup($0)?.value } == [1])
        for _ in 0..<2 {
            try from.withBytes { from in try to.withBytes { try buffer.deleteRange(from, $0) } }
            buffer.rollBack(to: outer)
            #expect(buffer.deleted.isEmpty)
            for number in 0..<600 {
                let key = Array("key \(number)".utf8)
                #expect(key.withBytes { buffer.lookup($0) } == key.withBytes { before.lookup($0) })
            }
        }
    }
}
