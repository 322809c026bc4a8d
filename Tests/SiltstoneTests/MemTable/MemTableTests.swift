import Testing

@testable import Siltstone

struct MemTableTests {
    typealias Version = MemTableModel.Version
    typealias Generator = MemTableModel.Generator

    /// A memtable and its model after `count` random changes of about `distinct` keys.
    private func filled(seed: UInt64, count: Int, key: (inout Generator) -> [UInt8]) throws -> (MemTable, MemTableModel)
    {
        var generator = Generator(seed: seed)
        let table = try MemTable(capacity: 16 << 20, pool: nil)
        var model = MemTableModel()
        for sequence in 1...UInt64(count) {
            let kind: RecordKind = Int.random(in: 0..<5, using: &generator) == 0 ? .tombstone : .value
            let length = kind == .tombstone ? 0 : Int.random(in: 0..<40, using: &generator)
            let version = Version(
                key: key(&generator),
                value: [UInt8](count: length) { UInt8(truncatingIfNeeded: sequence &+ UInt64($0)) },
                sequence: sequence, kind: kind)
            table.insert(version)
            model.insert(version)
        }
        return (table, model)
    }

    @Test("holds what a sorted model holds, for awkward keys, every snapshot and both directions", arguments: 1...4)
    func agreesWithModel(seed: UInt64) throws {
        let (table, model) = try filled(seed: seed, count: 6000, key: MemTableModel.awkwardKey)
        var generator = Generator(seed: seed &+ 100)
        #expect(table.entryCount == 6000)
        #expect(table.keyCount == model.versions.count)
        #expect(table.tombstoneCount == model.versions.values.joined().count { $0.kind == .tombstone })
        #expect(table.greatestSequence == 6000)
        for visible in [0, 1, 100, 3000, 5999, 6000, UInt64.greatest] {
            let expected = model.visible(visible)
            #expect(table.forward(visible: visible) == expected)
            #expect(table.backward(visible: visible) == expected.reversed())
        }
        #expect(table.forward(visible: nil) == model.keys.flatMap { (model.versions[$0] ?? []).reversed() })
        for _ in 0..<1500 {
            let key = MemTableModel.awkwardKey(&generator)
            let visible = UInt64.random(in: 0...6001, using: &generator)
            #expect(table.find(key, visible: visible) == model.newest(of: key, visible: visible))
            let newest = key.withBytes { table.newestSequence(of: $0) }
            #expect(newest == model.newest(of: key, visible: .greatest)?.sequence)
        }
    }

    @Test("seeks stand before the first key that is not less, or behind the last that is", arguments: 1...3)
    func seeks(seed: UInt64) throws {
        let (table, model) = try filled(seed: seed, count: 4000, key: MemTableModel.awkwardKey)
        var generator = Generator(seed: seed &+ 200)
        let all = model.visible(.greatest)
        for round in 0..<800 {
            let key = round % 2 == 0 ? all[round].key : MemTableModel.awkwardKey(&generator)
            let border = all.firstIndex { !$0.key.precedes(key) } ?? all.count
            let after = table.forward(from: key, visible: .greatest, step: 5, limit: 130)
            #expect(after == Array(all[border...].prefix(130)))
            let before = table.backward(below: key, visible: .greatest, step: 5, limit: 130)
            #expect(before == all[..<border].suffix(130).reversed())
        }
    }

    /// Ascending, descending and random insertion of keys that all begin alike, as counters in text do.
    @Test("keys in any order of arrival come out in order", arguments: ["ascending", "descending", "random", "zigzag"])
    func orders(order: String) throws {
        let count = SuiteScale.count(4_000, thorough: 20_000)
        let table = try MemTable(capacity: 16 << 20, pool: nil)
        var generator = Generator(seed: 7)
        var numbers = Array(0..<count)
        switch order {
        case "descending": numbers.reverse()
        case "random": numbers.shuffle(using: &generator)
        case "zigzag": numbers = numbers.map { $0 % 2 == 0 ? $0 / 2 : count - 1 - $0 / 2 }
        default: break
        }
        func key(_ number: Int) -> [UInt8] {
            let digits = String(number)
            return Array((String(repeating: "0", count: 16 - digits.count) + digits).utf8)
        }
        for (index, number) in numbers.enumerated() { table.insert(key(number), [1], UInt64(index + 1)) }
        #expect(table.forward(visible: .greatest, step: 100).map(\.key) == (0..<count).map(key))
        #expect(table.backward(visible: .greatest, step: 100).map(\.key) == (0..<count).reversed().map(key))
        for number in stride(from: 0, to: count, by: 7) { #expect(table.find(key(number)) != nil) }
        #expect(table.find(key(count)) == nil)
    }

    @Test("an empty memtable holds nothing and says so")
    func empty() throws {
        let table = try MemTable(capacity: 0, pool: nil)
        #expect(table.isEmpty)
        #expect(table.find([]) == nil)
        #expect(table.forward(visible: nil).isEmpty)
        #expect(table.forward(from: [1], visible: .greatest).isEmpty)
        #expect(table.backward(visible: .greatest).isEmpty)
        #expect(table.backward(below: [1], visible: .greatest).isEmpty)
        #expect(table.greatestSequence == 0)
    }

    @Test("the empty key is a key, the first one")
    func emptyKey() throws {
        let table = try MemTable(capacity: 1 << 20, pool: nil)
        table.insert([0], [9], 1)
        #expect(table.find([]) == nil)
        table.insert([], [8], 2)
        #expect(table.find([])?.value == [8])
        #expect(table.forward(visible: .greatest).map(\.key) == [[], [0]])
        #expect(table.backward(below: [], visible: .greatest).isEmpty)
        #expect(table.backward(below: [0], visible: .greatest).map(\.key) == [[]])
    }

    @Test("a snapshot reads an old version of a key that was overwritten many times since")
    func versionChain() throws {
        let table = try MemTable(capacity: 16 << 20, pool: nil)
        table.insert([1], [], 1)
        for sequence in 2...UInt64(50_000) {
            table.insert([2], [UInt8(truncatingIfNeeded: sequence)], sequence, sequence % 3 == 0 ? .tombstone : .value)
        }
        #expect(table.keyCount == 2)
        for visible in [UInt64(2), 3, 4, 25_000, 49_999] {
            let found = table.find([2], visible: visible)
            #expect(found?.sequence == visible)
            #expect(found?.value == [UInt8(truncatingIfNeeded: visible)])
            #expect(found?.kind == (visible % 3 == 0 ? .tombstone : .value))
        }
        #expect(table.find([2], visible: 1) == nil)
        #expect(table.forward(visible: 1).map(\.key) == [[1]])
        let all = table.forward(visible: nil, step: 64)
        #expect(all.map(\.sequence) == [1] + (2...50_000).reversed())
    }

    @Test("keys of 64 KiB and values of a megabyte come back whole")
    func bigRecords() throws {
        let table = try MemTable(capacity: 16 << 20, pool: nil)
        let long = [UInt8](repeating: 7, count: 64 << 10)
        let value = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        for sequence in 1...UInt64(100) {
            table.insert(long.dropLast(Int(sequence)), [UInt8(sequence)], sequence)
        }
        table.insert(long, value, 101)
        #expect(table.find(long)?.value == value)
        #expect(
            table.forward(visible: .greatest).map(\.key.count) == (1...100).reversed().map { long.count - $0 } + [
                long.count
            ])
        #expect(table.find(Array(long.dropLast(50)))?.value == [50])
    }
}

extension MemTable {
    fileprivate func insert(_ key: ArraySlice<UInt8>, _ value: [UInt8], _ sequence: UInt64) {
        insert(Array(key), value, sequence)
    }
}
