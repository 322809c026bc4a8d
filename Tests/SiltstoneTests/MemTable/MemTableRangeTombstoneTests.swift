import Testing

@testable import Siltstone

struct MemTableRangeTombstoneTests {
    private func key(_ number: Int) -> [UInt8] { withUnsafeBytes(of: UInt32(number).bigEndian) { Array($0) } }

    private func remove(_ table: MemTable, _ start: [UInt8], _ end: [UInt8], _ sequence: UInt64) {
        start.withBytes { start in
            end.withBytes { end in table.insertRangeTombstone(start: start, end: end, sequence: sequence) }
        }
    }

    private func covering(_ table: MemTable, _ key: [UInt8], visible: UInt64 = .greatest) -> UInt64 {
        key.withBytes { table.rangeTombstones.newestCovering($0, visible: visible) }
    }

    @Test("a range tombstone covers its keys from its sequence number on, and counts as content")
    func covers() throws {
        let table = try MemTable(capacity: 1 << 20, pool: nil)
        #expect(table.rangeTombstones.isEmpty)
        table.insert([5], [], 1)
        remove(table, [3], [7], 2)
        remove(table, [5], [6], 3)
        #expect(table.tree.rangeTombstoneCount == 2)
        #expect(covering(table, [5]) == 3)
        #expect(covering(table, [5], visible: 2) == 2)
        #expect(covering(table, [5], visible: 1) == 0)
        #expect(covering(table, [3]) == 2)
        #expect(covering(table, [7]) == 0)
        #expect(table.greatestSequence == 3)
        #expect(table.find([5])?.sequence == 1)
    }

    @Test("a memtable with nothing but a range tombstone is not empty")
    func onlyTombstone() throws {
        let table = try MemTable(capacity: 1 << 20, pool: nil)
        let before = table.byteCount
        remove(table, [1], [2], 9)
        #expect(!table.isEmpty)
        #expect(table.entryCount == 0)
        #expect(table.byteCount > before)
        #expect(table.greatestSequence == 9)
    }

    @Test("an empty or inverted range removes nothing")
    func emptyRange() throws {
        let table = try MemTable(capacity: 1 << 20, pool: nil)
        remove(table, [2], [2], 1)
        remove(table, [3], [1], 2)
        #expect(table.rangeTombstones.isEmpty)
        #expect(table.tree.rangeTombstoneCount == 0)
        #expect(table.greatestSequence == 2)
    }

    @Test("many tombstones, read now and then, are all there")
    func many() throws {
        let table = try MemTable(capacity: 1 << 20, pool: nil)
        for number in 0..<5000 {
            remove(table, key(number * 10), key(number * 10 + 5), UInt64(number + 1))
            if number % 500 == 0 { #expect(covering(table, key(number * 10 + 4)) == UInt64(number + 1)) }
        }
        #expect(table.rangeTombstones.tombstones.count == 5000)
        for number in 0..<5000 {
            #expect(covering(table, key(number * 10)) == UInt64(number + 1))
            #expect(covering(table, key(number * 10 + 5)) == 0)
        }
    }

    @Test("a set that a reader holds does not change under it")
    func immutable() throws {
        let table = try MemTable(capacity: 1 << 20, pool: nil)
        remove(table, [1], [2], 1)
        let held = table.rangeTombstones
        remove(table, [5], [6], 2)
        #expect(held.tombstones.count == 1)
        #expect(table.rangeTombstones.tombstones.count == 2)
    }

    @Test("a set grown one by one is the set made of all at once", arguments: 1...5)
    func adding(seed: UInt64) {
        var generator = MemTableModel.Generator(seed: seed)
        var all: [RangeTombstone] = []
        var grown = RangeTombstones.empty
        for _ in 0..<60 {
            let start = UInt8.random(in: 0..<60, using: &generator)
            let length = UInt8.random(in: 0..<12, using: &generator)
            let sequence = UInt64.random(in: 1...80, using: &generator)
            all.append(RangeTombstone(start: [start], end: [start + length], sequence: sequence))
            grown = grown.adding(all[all.count - 1])
            let made = RangeTombstones(all)
            #expect(grown.fragments.map(\.start) == made.fragments.map(\.start))
            #expect(grown.fragments.map(\.end) == made.fragments.map(\.end))
            #expect(grown.fragments.map(\.sequences) == made.fragments.map(\.sequences))
            #expect(Set(grown.tombstones) == Set(made.tombstones))
        }
    }
}
