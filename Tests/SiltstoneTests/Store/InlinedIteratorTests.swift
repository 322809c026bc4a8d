import Testing

@testable import Siltstone

/// Walks that become part of the caller.
struct InlinedIteratorTests {
    /// Three hundred keys, in segments and a memtable: values beside the keys and in a value file, and removed ones.
    /// - Parameter hasRange: whether some are removed by a range, not merged yet.
    private func store(hasRange: Bool) throws -> KeyValueStore {
        var configuration = Configuration()
        configuration.tidiesWhenIdle = false
        configuration.automaticCompaction = false
        let store = try KeyValueStore.inMemory(configuration: configuration)
        for index in 0..<300 {
            let count = index % 7 == 3 ? configuration.largeValueBytes : index % 50
            try store.put(key(index), [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: count))
            if index == 150 { try store.flush() }
        }
        for index in stride(from: 0, to: 300, by: 5) { try store.delete(key(index)) }
        if hasRange { try store.deleteRange(from: key(120), to: key(170)) }
        return store
    }

    private func key(_ index: Int) -> [UInt8] { [UInt8(index / 256), UInt8(index % 256)] }

    @Test(
        "a scan hands out what a cursor does, up to its limit, from either end, and stops where it is told",
        arguments: [false, true])
    func agrees(hasRange: Bool) throws {
        let store = try store(hasRange: hasRange)
        let snapshot = store.snapshot()
        for limit in [nil, 0, 1, 4, 5, 7, 8, 9, 63, 64, 65, 200, 1000] {
            for reverse in [false, true] {
                for (from, to) in [(nil, nil), (key(3), key(160)), (key(118), nil)] as [([UInt8]?, [UInt8]?)] {
                    let expected = try store.scan(from: from, to: to, reverse: reverse, limit: limit).remaining()
                    var found: [Entry] = []
                    try store.forEach(from: from, to: to, reverse: reverse, limit: limit) { key, value in
                        found.append(Entry(key: copy(key), value: copy(value)))
                        return true
                    }
                    #expect(found == expected, "limit \(limit ?? -1), from \(from ?? [])")
                    var some: [Entry] = []
                    try snapshot.forEach(from: from, to: to, reverse: reverse, limit: limit) { key, value in
                        some.append(Entry(key: copy(key), value: copy(value)))
                        return some.count < 6
                    }
                    #expect(some == Array(expected.prefix(6)), "limit \(limit ?? -1), from \(from ?? [])")
                }
            }
        }
        var prefixed = 0
        try store.forEach(prefix: [1], limit: 20) { key, _ in
            #expect(key.byteCount == 2 && key.unsafeLoad(as: UInt8.self) == 1)
            prefixed += 1
            return true
        }
        #expect(prefixed == 20)
        try store.close()
    }

    private func copy(_ span: RawSpan) -> [UInt8] { span.withBytes { [UInt8]($0) } }

    @Test("a store that is given up during a scan is kept until the scan has ended")
    func keepsStore() throws {
        var holder: KeyValueStore? = try store(hasRange: false)
        weak var engine = holder?.engine
        var count = 0
        try holder?.forEach { _, _ in
            holder = nil
            if engine != nil { count += 1 }
            return true
        }
        #expect(count == 240)
        var snapshot: Snapshot? = try store(hasRange: false).snapshot()
        engine = snapshot?.engine
        try snapshot?.forEach(reverse: true) { _, _ in
            snapshot = nil
            if engine != nil { count += 1 }
            return true
        }
        #expect(count == 480)
    }

    private struct Stop: Error {}

    @Test("an error ends a scan, reaches the caller, and leaves the store ready for the next one")
    func errors() throws {
        let store = try store(hasRange: false)
        for round in 0..<20 {
            var count = 0
            #expect(throws: Stop.self) {
                try store.forEach { _, _ in
                    count += 1
                    if count > round { throw Stop() }
                    return true
                }
            }
            #expect(count == round + 1)
        }
        // A scan within a scan has a place of its own.
        var pairs = 0
        try store.forEach(limit: 3) { _, _ in
            try store.forEach(limit: 4) { _, _ in
                pairs += 1
                return true
            }
            return true
        }
        #expect(pairs == 12)
        try store.close()
    }
}
