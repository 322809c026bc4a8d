import Foundation
import Testing

@testable import Siltstone

/// Random histories against a sorted dictionary. The long form runs a hundred times as many.
struct StoreModelTests {
    /// A configuration by name, for the test's report.
    struct Variant: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var change: @Sendable (inout Configuration) -> Void

        init(_ name: String, _ change: @escaping @Sendable (inout Configuration) -> Void = { _ in }) {
            testDescription = name
            self.change = change
        }

        var configuration: Configuration {
            var configuration = StoreFixture.small()
            change(&configuration)
            return configuration
        }
    }

    static let variants = [
        Variant("as it is"),
        Variant("compressed") { $0.compression = .deflate(level: 1) },
        Variant("read, not mapped") { $0.access = .read },
        Variant("compressed and read, no cache") {
            $0.compression = .deflate(level: 6)
            $0.access = .read
            $0.cacheBytes = 0
        },
        Variant("written log") { $0.logWriting = .written },
        Variant("large blocks") { $0.blockBytes = 64 << 10 },
        Variant("synced") { $0.durability = .synced },
        Variant("nearly all values are large") { $0.largeValueBytes = 64 },
        Variant("large values, read, written log") {
            $0.largeValueBytes = 100
            $0.access = .read
            $0.logWriting = .written
        },
        Variant("no automatic compaction") { $0.automaticCompaction = false },
    ]

    private static let seeds: Range<UInt64> = SuiteScale.count(1..<2, thorough: 1..<2, long: 1..<101)
    private static let steps = SuiteScale.count(800, thorough: 1_600, long: 20_000)

    @Test("any history reads as in a sorted dictionary, in memory", arguments: variants, seeds)
    func inMemory(_ variant: Variant, _ seed: UInt64) throws {
        try ModelRun(StoreFixture(), variant.configuration, seed: seed).run(Self.steps)
    }

    @Test("any history reads as in a sorted dictionary, on disk", arguments: variants, seeds)
    func onDisk(_ variant: Variant, _ seed: UInt64) throws {
        try ModelRun(try StoreFixture(onDisk: ()), variant.configuration, seed: seed + 1000).run(Self.steps / 2)
    }
}
