import Testing

@testable import Siltstone

struct RangeEstimateTests {
    private static let valueBytes = 50

    private func configuration() -> Configuration {
        var configuration = StoreFixture.small()
        configuration.automaticCompaction = false
        configuration.memTableBytes = 8 << 20
        return configuration
    }

    /// Keys in random order.
    private func shuffled(_ range: Range<Int>) -> [Int] {
        var random = SeededGenerator(5)
        return range.shuffled(using: &random)
    }

    private func put(_ numbers: [Int], into store: KeyValueStore) throws {
        for number in numbers { try store.put(key(number), [UInt8](repeating: 1, count: Self.valueBytes)) }
    }

    /// Compares with the truth for ranges of all lengths.
    /// - Parameters:
    ///   - slack: entries that an estimate may be off.
    ///   - factor: and how many times as many, or as few, it may say.
    private func check(_ reader: some KeyValueReader, upTo limit: Int, slack: Int, factor: Double = 1) throws {
        var random = SeededGenerator(6)
        for round in 0..<300 {
            let start = random.index(limit + 100)
            let length = 1 + random.index(round % 3 == 0 ? 20 : limit)
            let from = random.chance(0.1) ? nil : start
            let to = random.chance(0.1) ? nil : start + length
            let range = KeyRange(from: from.map { key($0) }, to: to.map { key($0) })
            // All keys below the limit are there.
            let first = min(from ?? 0, limit)
            let end = min(to ?? limit, limit)
            let truth = end - first
            let estimate = try reader.estimate(from: range.from, to: range.to)
            let entry = key(0).count + Self.valueBytes
            for (name, said, right, unit) in [
                ("entries", estimate.entries, truth, 1), ("bytes", estimate.bytes, truth * entry, entry),
            ] {
                #expect(
                    Double(said) <= Double(right) * factor + Double(slack * unit)
                        && Double(said) >= Double(right) / factor - Double(slack * unit),
                    "\(name): \(said) for \(right) from \(start), \(length) long")
            }
        }
    }

    @Test("in a run it is right but for a block at either end", arguments: [Compression.none, .deflate(level: 1)])
    func oneRun(_ compression: Compression) throws {
        var configuration = configuration()
        configuration.compression = compression
        let store = try StoreFixture().open(configuration)
        try put(shuffled(0..<8_000), into: store)
        try store.compact()
        #expect(store.statistics.levels.reduce(0) { $0 + $1.segments } > 5)
        let perBlock = configuration.blockBytes / (key(0).count + Self.valueBytes)
        try check(store, upTo: 8_000, slack: 2 * perBlock)
        let all = try store.stable().estimate()
        #expect(all == RangeEstimate(entries: 8_000, bytes: 8_000 * (key(0).count + Self.valueBytes)))
        try store.close()
    }

    @Test("several runs add their errors")
    func severalRuns() throws {
        let store = try StoreFixture().open(configuration())
        let numbers = shuffled(0..<8_000)
        for part in 0..<4 {
            try put(Array(numbers[(part * 2000)..<((part + 1) * 2000)]), into: store)
            try store.flush()
        }
        try check(store, upTo: 8_000, slack: 4 * 2 * (4096 / 62))
        try store.close()
    }

    @Test("in a memtable a short range is exact, and a long one within a factor of two", arguments: [true, false])
    func memTable(_ isSequential: Bool) throws {
        let store = try StoreFixture().open(configuration())
        try put(isSequential ? Array(0..<10_000) : shuffled(0..<10_000), into: store)
        try check(store, upTo: 10_000, slack: 0, factor: 2)
        for length in [0, 1, 5, 127] {
            #expect(try store.estimate(from: key(777), to: key(777 + length)).entries == length)
        }
        try store.delete(key(780))
        #expect(try store.estimate(from: key(777), to: key(787)).entries == 9)
        try store.close()
    }

    @Test("what a range was deleted of counts no more; large values count where they are")
    func removed() throws {
        var configuration = configuration()
        configuration.largeValueBytes = 1000
        let store = try StoreFixture().open(configuration)
        try put(Array(0..<10_000), into: store)
        try store.put(key(20_000), [UInt8](repeating: 1, count: 100_000))
        try store.flush()
        #expect(try store.estimate(from: key(15_000)).entries <= 70)
        #expect(try store.estimate().bytes > 10_000 * 62 + 100_000)
        try store.deleteRange(from: key(1000), to: key(5000))
        try store.deleteRange(from: key(4000), to: key(9000))
        #expect(try store.estimate(from: key(1000), to: key(9000)).entries == 0)
        #expect(abs(try store.estimate(from: key(0), to: key(10_000)).entries - 2000) < 140)
        try store.flush()
        #expect(try store.estimate(from: key(1000), to: key(9000)).entries == 0)
        try store.compact()
        #expect(try store.estimate(from: key(1000), to: key(9000)).entries <= 70)
        #expect(try store.estimate(from: key(9), to: key(3)) == RangeEstimate(entries: 0, bytes: 0))
        try store.close()
        #expect(StoreError.Code.of { try store.estimate() } == .closed)
    }
}
