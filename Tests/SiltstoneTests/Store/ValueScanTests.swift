import Testing

@testable import Siltstone

struct ValueScanTests {
    private static func configuration(_ access: FileAccess) -> Configuration {
        var configuration = StoreFixture.small()
        configuration.access = access
        configuration.largeValueBytes = 64
        return configuration
    }

    private static func value(_ random: inout SeededGenerator) -> [UInt8] {
        let size = [0, 10, 63, 64, 65, 500, 4000].randomElement(using: &random) ?? 0
        return [UInt8](repeating: UInt8.random(in: 0...255, using: &random), count: size)
    }

    /// All that there is, by each way to scan.
    private static func expect(_ store: KeyValueStore, _ model: [[UInt8]: [UInt8]]) throws {
        let entries = model.sorted { $0.key.precedes($1.key) }.map {
            Entry(key: $0.key, value: $0.value)
        }
        #expect(try store.allEntries() == entries)
        for reverse in [false, true] {
            var found: [Entry] = []
            try store.forEach(reverse: reverse) { key, value in
                found.append(
                    Entry(key: key.withBytes { [UInt8]($0) }, value: value.withBytes { [UInt8]($0) }))
                return true
            }
            #expect(found == (reverse ? entries.reversed() : entries))
        }
    }

    @Test("scans give large values out of many files, the first time and again", arguments: [FileAccess.mapped, .read])
    func again(_ access: FileAccess) throws {
        let fixture = try StoreFixture(onDisk: ())
        let store = try fixture.open(Self.configuration(access))
        var random = SeededGenerator(5)
        var model: [[UInt8]: [UInt8]] = [:]
        for round in 0..<6 {
            for _ in 0..<200 {
                let key = key(Int.random(in: 0..<300, using: &random))
                model[key] = Self.value(&random)
                try store.put(key, model[key] ?? [])
            }
            for _ in 0..<2 { try Self.expect(store, model) }
            if round % 2 == 1 { try store.flush() }
            if round == 4 { try store.compact() }
            for _ in 0..<2 { try Self.expect(store, model) }
        }
        try store.close()
    }

    @Test("a scan goes on over the values of its moment while all are replaced, merged and their files removed")
    func replaced() throws {
        let fixture = try StoreFixture(onDisk: ())
        let store = try fixture.open(Self.configuration(.mapped))
        for number in 0..<300 { try store.put(key(number), [UInt8](repeating: 1, count: 1000)) }
        try store.flush()
        _ = try store.allEntries()
        let files = try fixture.names(ending: ".values")
        var count = 0
        try store.forEach { _, value in
            #expect(value.withBytes { [UInt8]($0) } == [UInt8](repeating: 1, count: 1000))
            if count == 20 {
                for number in 0..<300 { try store.put(key(number), [UInt8](repeating: 2, count: 1000)) }
                try store.compact()
                #expect(try Set(fixture.names(ending: ".values")).isDisjoint(with: files.dropLast()))
            }
            count += 1
            return true
        }
        #expect(files.count > 2 && count == 300)
        #expect(try store.allEntries().allSatisfy { $0.value == [UInt8](repeating: 2, count: 1000) })
        try store.close()
    }

    @Test("a scan refuses a damaged value, beside others that it gives", arguments: [FileAccess.mapped, .read])
    func damaged(_ access: FileAccess) throws {
        let fixture = try StoreFixture(onDisk: ())
        var store = try fixture.open(Self.configuration(access))
        for number in 0..<20 { try store.put(key(number), [UInt8](repeating: 7, count: 1000)) }
        try store.flush()
        try store.close()
        let name = try #require(try fixture.names(ending: ".values").first)
        // In the tenth value, or the one beside it.
        try fixture.flip(name, at: 10_500)
        store = try fixture.open(Self.configuration(access))
        for _ in 0..<2 {
            var count = 0
            let code = StoreError.Code.of {
                try store.forEach { _, _ in
                    count += 1
                    return true
                }
            }
            #expect(code == .corrupt)
            #expect((8...11).contains(count))
        }
        try store.close()
    }
}
