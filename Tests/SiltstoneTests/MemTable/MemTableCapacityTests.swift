import Testing

@testable import Siltstone

struct MemTableCapacityTests {
    /// Inserts as long as there is room, one change at a time, and gives back how many went in.
    private func fill(_ table: MemTable, keyCount: Int, valueCount: Int, key: (UInt64) -> UInt64) -> UInt64 {
        var sequence: UInt64 = 0
        let value = [UInt8](repeating: 1, count: valueCount)
        while table.hasRoom(keyBytes: keyCount, valueBytes: valueCount, count: 1) {
            sequence += 1
            var bytes = [UInt8](repeating: 0, count: keyCount)
            withUnsafeBytes(of: key(sequence).bigEndian) {
                for index in 0..<min(8, keyCount) { bytes[index] = $0[index] }
            }
            table.insert(bytes, value, sequence)
        }
        return sequence
    }

    @Test("filled to the brim it keeps everything, and the brim is near the capacity", arguments: [0, 10, 100, 4000])
    func fillsToTheBrim(valueCount: Int) throws {
        let table = try MemTable(capacity: 1 << 20, pool: nil)
        let count = fill(table, keyCount: 16, valueCount: valueCount) { $0 &* 0x9e37_79b9_7f4a_7c15 }
        #expect(table.keyCount == Int(count))
        #expect(table.byteCount <= table.capacity)
        #expect(table.byteCount > table.capacity * 3 / 4)
        #expect(table.forward(visible: .greatest, step: 500).count == Int(count))
    }

    @Test("room for many changes at once is room for them whatever their order", arguments: 0..<4)
    func roomForBatches(order: Int) throws {
        let table = try MemTable(capacity: 1 << 20, pool: nil)
        var sequence: UInt64 = 0
        let size = [1, 40, 333, 900][order]
        while table.hasRoom(keyBytes: 8 * size, valueBytes: 5 * size, count: size) {
            for _ in 0..<size {
                sequence += 1
                let number = order % 2 == 0 ? UInt64.max - sequence : sequence &* 0x9e37_79b9_7f4a_7c15
                table.insert(withUnsafeBytes(of: number.bigEndian) { Array($0) }, [1, 2, 3, 4, 5], sequence)
            }
        }
        #expect(table.keyCount == Int(sequence))
        #expect(table.byteCount <= table.capacity)
        #expect(table.forward(visible: .greatest, step: 500).count == Int(sequence))
    }

    @Test("a record over the capacity has no room, and fits a memtable made for it")
    func oversized() throws {
        let small = try MemTable(capacity: 1 << 20, pool: nil)
        #expect(!small.hasRoom(keyBytes: 1, valueBytes: 1 << 20, count: 1))
        let big = try MemTable(capacity: (1 << 20) + (64 << 10), pool: nil)
        #expect(big.hasRoom(keyBytes: 1, valueBytes: 1 << 20, count: 1))
        big.insert([1], [UInt8](repeating: 3, count: 1 << 20), 1)
        #expect(big.find([1])?.value.count == 1 << 20)
    }

    @Test("a capacity beyond what references reach is refused")
    func overLimit() {
        #expect(throws: StoreError.self) { try MemTable(capacity: ArenaMapping.greatestCapacity + 1, pool: nil) }
        #expect(throws: StoreError.self) { try MemTable(capacity: .max, pool: ArenaPool(maximumBytes: 0)) }
    }

    @Test("an arena is used again, and nothing of its former life shows")
    func recycling() throws {
        let pool = ArenaPool(maximumBytes: 4 << 20)
        var bases: Set<UnsafeMutableRawPointer> = []
        for life in 0..<6 as Range<UInt64> {
            let table = try MemTable(capacity: 4 << 20, pool: pool)
            bases.insert(table.base[0])
            #expect(table.isEmpty)
            #expect(table.forward(visible: nil).isEmpty)
            let count = fill(table, keyCount: 12, valueCount: 3 + Int(life) * 40) {
                ($0 &* 0x9e37_79b9_7f4a_7c15) ^ life
            }
            #expect(table.forward(visible: .greatest, step: 500).count == Int(count))
            #expect(pool.heldBytes == 0)
        }
        #expect(bases.count == 1)
        #expect(pool.heldBytes == 4 << 20)
    }

    @Test("the pool keeps no more than its bound, and gives out only arenas of the size asked for")
    func poolBound() throws {
        let pool = ArenaPool(maximumBytes: 2 << 20)
        do {
            let tables = try (0..<4).map { _ in try MemTable(capacity: 1 << 20, pool: pool) }
            #expect(tables.count == 4)
        }
        #expect(pool.heldBytes == 2 << 20)
        let other = try MemTable(capacity: 2 << 20, pool: pool)
        #expect(other.capacity == 2 << 20)
        #expect(pool.heldBytes == 2 << 20)
        let same = try MemTable(capacity: (1 << 20) - 5, pool: pool)
        #expect(same.capacity == 1 << 20)
        #expect(pool.heldBytes == 1 << 20)
    }

    @Test("no arena waits that would make more than the usual number with those in use")
    func usualNumber() throws {
        let pool = ArenaPool(maximumBytes: 16 << 20, usualCount: 2)
        var tables = try (0..<3).map { _ in try MemTable(capacity: 1 << 20, pool: pool) }
        tables.removeLast()
        #expect(pool.heldBytes == 0)
        tables.removeLast()
        #expect(pool.heldBytes == 1 << 20)
        tables.append(try MemTable(capacity: 1 << 20, pool: pool))
        #expect(pool.heldBytes == 0)
        tables = []
        #expect(pool.heldBytes == 2 << 20)
    }
}
