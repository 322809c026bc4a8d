import Testing

@testable import Siltstone

/// Reads of several ranges and of keys alone.
struct RangeReadTests {
    /// Keys in a memtable, in flushed runs and in level 1; every seventh value in a value file.
    private func store(_ access: FileAccess = .mapped) throws -> KeyValueStore {
        var configuration = StoreFixture.small()
        configuration.access = access
        configuration.largeValueBytes = 2000
        configuration.automaticCompaction = false
        configuration.fileSystem = InMemoryFileSystem()
        let store = try KeyValueStore.open(at: "/store", configuration: configuration)
        for number in 0..<1000 {
            try store.put(key(number), [UInt8](repeating: 7, count: number % 7 == 0 ? 2000 : 20))
            if number == 400 { try store.compact() }
            if number == 800 { try store.flush() }
        }
        for number in stride(from: 3, to: 1000, by: 10) { try store.delete(key(number)) }
        return store
    }

    @Test("ranges may come in any order, overlap, touch and be empty: each entry is visited once, in key order")
    func normalised() {
        func range(_ from: UInt8?, _ to: UInt8?) -> KeyRange { KeyRange(from: from.map { [$0] }, to: to.map { [$0] }) }
        #expect(KeyRange.sortedAndDisjoint([]) == [])
        #expect(KeyRange.sortedAndDisjoint([range(5, 5), range(7, 3), KeyRange(to: [])]) == [])
        let apart = [range(1, 2), range(2, 4), range(6, nil)]
        #expect(KeyRange.sortedAndDisjoint(apart) == apart)
        #expect(
            KeyRange.sortedAndDisjoint([range(6, 9), range(1, 4), range(3, 5), range(2, 3)]) == [
                range(1, 5), range(6, 9),
            ])
        #expect(
            KeyRange.sortedAndDisjoint([range(4, nil), range(6, 7), range(nil, 2)]) == [range(nil, 2), range(4, nil)])
        #expect(KeyRange(prefix: [1, 0xff]) == KeyRange(from: [1, 0xff], to: [2]))
        #expect(KeyRange(key: [1]) == KeyRange(from: [1], to: [1, 0]))
    }

    @Test("a limit counts the entries of all ranges together")
    func limited() throws {
        let store = try store()
        let ranges = (0..<100).map { KeyRange(from: key($0 * 10), to: key($0 * 10 + 2)) }
        for limit in [0, 1, 2, 3, 150, 200, 300] {
            let expected = (0..<200).map { key($0 / 2 * 10 + $0 % 2) }.prefix(limit)
            #expect(try store.scan(ranges: ranges, limit: limit).remaining().map(\.key) == Array(expected))
            let transaction = store.begin()
            #expect(try transaction.scan(ranges: ranges, limit: limit).remaining().map(\.key) == Array(expected))
        }
        try store.close()
    }

    @Test("a cursor goes to a key ahead or back, and not out of its range")
    func seeks() throws {
        let store = try store()
        let cursor = try store.scan(from: key(100), to: key(900), limit: 6)
        try cursor.seek(to: key(503))
        #expect(try cursor.nextKey() == key(504))
        try cursor.seek(to: key(50))
        #expect(try cursor.nextKey() == key(100))
        try cursor.seek(to: key(101))
        #expect(try cursor.next()?.key == key(101))
        try cursor.seek(to: key(899))
        #expect(try cursor.nextKey() == key(899))
        #expect(try cursor.nextKey() == nil)
        try cursor.seek(to: key(950))
        #expect(try cursor.nextKey() == nil)
        try cursor.seek(to: key(200))
        #expect(try cursor.nextKey() == key(200))
        #expect(try cursor.nextKey() == key(201))
        #expect(try cursor.nextKey() == nil, "its limit is used up")
        let back = try store.scan(from: key(100), to: key(900), reverse: true)
        try back.seek(to: key(503))
        #expect(try back.nextKey() == key(502))
        try back.seek(to: key(950))
        #expect(try back.nextKey() == key(899))
        try back.seek(to: key(700))
        #expect(try back.nextKey() == key(700))
        try back.seek(to: key(10))
        #expect(try back.nextKey() == nil)
        try store.close()
    }

    @Test("a cursor of a transaction seeks behind deleted keys, in both directions and among writes of its own")
    func seeksBehindDeletedKeys() throws {
        let store = try KeyValueStore.inMemory()
        for number in 0..<9 { try store.put(key(number), [1]) }
        for number in [1, 2, 5] { try store.delete(key(number)) }
        let transaction = store.begin()
        try transaction.put(key(20), [2])
        for reverse in [false, true] {
            for limit in [nil, 100] {
                let cursor = try transaction.scan(from: [], reverse: reverse, limit: limit)
                for start in [0, 3, 8, 4, 20, 0, 6] {
                    try cursor.seek(to: key(start))
                    #expect(try cursor.nextKey() == key(start))
                    for _ in 0..<2 { _ = try cursor.nextKey() }
                }
            }
        }
        transaction.rollback()
        try store.close()
    }

    @Test("a seek past the last key leaves nothing, also where entries that were read ahead are still to come")
    func seeksPastTheEnd() throws {
        let store = try store()
        for reader: any KeyValueReader in [store, store.snapshot(), store.begin(isolation: .snapshot)] {
            for limit in [nil, 500] {
                let cursor = try reader.scan(from: [], limit: limit)
                #expect(try cursor.nextKey() == key(0))
                try cursor.seek(to: key(5000))
                #expect(try cursor.nextKey() == nil)
                try cursor.seek(to: key(7))
                #expect(try cursor.nextKey() == key(7))
                let back = try reader.scan(from: [], reverse: true, limit: limit)
                #expect(try back.nextKey() == key(999))
                try back.seek(to: [0])
                #expect(try back.nextKey() == nil)
            }
        }
        try store.close()
    }

    @Test(
        "keys and counts need no value: they go on where a value file is damaged",
        arguments: [FileAccess.mapped, .read])
    func keysAlone(_ access: FileAccess) async throws {
        var configuration = StoreFixture.small()
        configuration.access = access
        configuration.largeValueBytes = 100
        let fixture = StoreFixture()
        let written = try fixture.open(configuration)
        for number in 0..<50 { try await written.put(key(number), [UInt8](repeating: 1, count: 200)) }
        try await written.flush()
        try await written.close()
        for name in try fixture.names(ending: ".values") {
            var bytes = try fixture.read(name)
            for index in 4096..<max(4096, bytes.count) { bytes[index] ^= 0xff }
            try fixture.write(bytes, to: name)
        }
        let store = try fixture.open(configuration)
        #expect(StoreError.Code.of { try store.scan().remaining() } == .corrupt)
        var keys: [[UInt8]] = []
        try store.forEachKey {
            keys.append($0.array); return true
        }
        #expect(keys == (0..<50).map { key($0) })
        var fromEnd: [[UInt8]] = []
        for try await key in store.keys(reverse: true) { fromEnd.append(key) }
        #expect(fromEnd == keys.reversed())
        let counted: Int = try await store.count(from: key(10), to: key(20))
        #expect(counted == 10)
        let prefixed: Int = try await store.stable().count(prefix: "key".utf8)
        #expect(prefixed == 50)
        #expect(try store.scan(from: key(9)).nextKey() == key(9))
        try await store.close()
    }

    @Test("asynchronous sequences give several ranges in chunks, both ways, each as its cursor does")
    func asynchronous() async throws {
        let store = try store(.read)
        var ranges = (0..<300).map { KeyRange(from: key($0 * 3), to: key($0 * 3 + 2)) }
        // More ranges than a chunk looks into, most of them without entries.
        ranges += (0..<2500).map { KeyRange(key: key(900) + [1, UInt8($0 / 256), UInt8($0 % 256)]) }
        ranges.append(KeyRange(from: key(990)))
        for reverse in [false, true] {
            for limit in [nil, 256, 300, 600] {
                let expected = try store.scan(ranges: ranges, reverse: reverse, limit: limit).remaining()
                #expect(limit != nil || expected.count > 500)
                var entries: [Entry] = []
                for try await entry in store.entries(ranges: ranges, reverse: reverse, limit: limit) {
                    entries.append(entry)
                }
                #expect(entries == expected)
                var keys: [[UInt8]] = []
                for try await key in store.begin().keys(ranges: ranges, reverse: reverse, limit: limit) {
                    keys.append(key)
                }
                #expect(keys == expected.map(\.key))
            }
        }
        try await store.close()
    }

    @Test("a scan over several ranges stops where it is told to, and hands on what its closure throws")
    func stopping() throws {
        struct Stop: Error {}
        let store = try store()
        let ranges = [KeyRange(from: key(10), to: key(12)), KeyRange(from: key(500), to: key(510))]
        for reader in [store.snapshot()] {
            var count = 0
            try reader.forEach(ranges: ranges) { _, _ in
                count += 1
                return count < 4
            }
            #expect(count == 4)
            count = 0
            let transaction = store.begin()
            try transaction.forEachKey(ranges: ranges, reverse: true) { _ in
                count += 1
                return count < 11
            }
            #expect(count == 11)
            #expect(throws: Stop.self) { try reader.forEach(ranges: ranges) { _, _ in throw Stop() } }
            let cursor = try transaction.scan(ranges: ranges)
            count = 0
            try cursor.forEach { _, _ in
                count += 1
                return count < 4
            }
            #expect(try cursor.nextKey() == key(502))
        }
        #expect(throws: StoreError.self) {
            let snapshot = store.snapshot()
            snapshot.release()
            _ = try snapshot.scan(ranges: ranges)
        }
        try store.close()
    }

    @Test("a scan that cannot enter its next range throws again and again, and skips no range")
    func endedInBetween() throws {
        let store = try store()
        let transaction = store.begin()
        let cursor = try transaction.scan(ranges: [KeyRange(key: key(1)), KeyRange(key: key(3)), KeyRange(key: key(5))])
        #expect(try cursor.nextKey() == key(1))
        transaction.rollback()
        for _ in 0..<4 { #expect(StoreError.Code.of { _ = try cursor.nextKey() } == .transactionEnded) }
        try store.close()
    }

    @Test("a transaction that has read several ranges is stopped by changes in them, and by none between them")
    func readSets() throws {
        let store = try store()
        let ranges = [KeyRange(from: key(10), to: key(12)), KeyRange(from: key(500), to: key(510))]
        let reads: [(Transaction) throws -> Void] = [
            { try $0.forEach(ranges: ranges) { _, _ in true } },
            { try $0.forEachKey(ranges: ranges, reverse: true) { _ in true } },
            { transaction in
                let count = try transaction.count(ranges: ranges)
                #expect(count == 11)
            },
            { transaction in
                let entries = try transaction.scan(ranges: ranges).remaining()
                #expect(entries.count == 11)
            },
            { transaction in
                let cursor = try transaction.scan(to: key(510))
                try cursor.seek(to: key(10))
                let first = [try cursor.nextKey(), try cursor.nextKey()]
                #expect(first == [key(10), key(11)])
                try cursor.seek(to: key(500))
                while try cursor.next() != nil {}
                try cursor.seek(to: key(10))
                let again = try cursor.nextKey()
                #expect(again == key(10))
            },
            { transaction in
                let keys = [10, 11] + Array(500..<510)
                let values = try transaction.get(all: keys.map { key($0) })
                #expect(values.count == 12)
            },
        ]
        for read in reads {
            for (changed, isConflict) in [(11, true), (505, true), (100, false), (510, false)] {
                let transaction = store.begin()
                try read(transaction)
                _ = try transaction.estimate()
                try transaction.put(key(5000), [1])
                try store.put(key(changed), [2])
                let code = StoreError.Code.of { try transaction.commit() }
                #expect(code == (isConflict ? .conflict : nil), "change of \(changed)")
            }
        }
        try store.close()
    }
}
