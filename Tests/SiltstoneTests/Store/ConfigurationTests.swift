import Foundation
import Testing

@testable import Siltstone

/// A configuration says how a store does its work, and never what it answers.
struct ConfigurationTests {
    private static let configurations = SuiteScale.count(8, thorough: 40)
    private static let steps = 250

    @Test("Any history has the same answers in any configuration, and those of a sorted dictionary")
    func sameAnswers() throws {
        try attack("configurations") { _, configuration in { configuration } }
    }

    @Test("Any history has the same answers where each opening has another configuration")
    func changedAtEachOpening() throws {
        try attack("configurations, another one at each opening") { seed, configuration in
            var random = SeededGenerator(seed)
            var first: Configuration? = configuration
            return {
                defer { first = nil }
                return first ?? RandomConfiguration.make(&random)
            }
        }
    }

    /// Runs one history after the other, each in many configurations.
    /// - Parameter next: gives, for a seed and a first configuration, what each opening takes.
    private func attack(
        _ name: String, _ next: (UInt64, Configuration) -> () -> Configuration
    ) throws {
        let deadline = SuiteScale.deadline()
        var seed = SuiteScale.seed
        var (tried, compared) = (0, 0)
        repeat {
            let script = HistoryScript(Self.steps, seed: seed)
            var model = ModelSubject()
            let expected = try model.answers(script)
            var random = SeededGenerator(seed)
            for round in 0..<Self.configurations {
                let configuration = RandomConfiguration.make(&random)
                let place: Comment =
                    """
                    \(SuiteScale.replay("ConfigurationTests", seed: seed)); configuration \(round): \
                    \(RandomConfiguration.describe(configuration))
                    """
                var store = try StoreSubject(StoreFixture(), next(random.next(), configuration))
                let answers = try store.answers(script)
                let difference = zip(answers, expected).enumerated().first { $1.0 != $1.1 }?.offset
                #expect(difference == nil && answers.count == expected.count, place)
                #expect(try store.finish().isEmpty, place)
                if difference != nil { return }
                tried += 1
                compared += answers.count
            }
            seed &+= 1
        } while deadline.map { $0 > Date() } ?? false
        SuiteScale.report(name, ["configurations": tried, "answers": compared])
    }

    @Test("What a setting cannot be is refused before anything is made, and what it can be at most is taken")
    func limits() throws {
        let bad: [(String, (inout Configuration) -> Void)] = [
            ("memTableBytes 0", { $0.memTableBytes = 0 }), ("memTableBytes -1", { $0.memTableBytes = -1 }),
            ("memTableBytes under 64 KiB", { $0.memTableBytes = 64 << 10 - 1 }),
            ("memTableBytes over 4 GiB", { $0.memTableBytes = 4 << 30 + 1 }),
            ("sealedMemTableLimit 0", { $0.sealedMemTableLimit = 0 }),
            ("sealedMemTableLimit 65", { $0.sealedMemTableLimit = 65 }),
            ("sealedMemTableLimit max", { $0.sealedMemTableLimit = .max }),
            ("memTableBytes max", { $0.memTableBytes = .max }), ("segmentBytes 0", { $0.segmentBytes = 0 }),
            ("segmentBytes under 64 KiB", { $0.segmentBytes = 64 << 10 - 1 }),
            ("segmentBytes over 2 GiB", { $0.segmentBytes = 2 << 30 + 1 }),
            ("segmentBytes min", { $0.segmentBytes = .min }), ("blockBytes 0", { $0.blockBytes = 0 }),
            ("blockBytes 2 KiB", { $0.blockBytes = 2 << 10 }), ("blockBytes 128 KiB", { $0.blockBytes = 128 << 10 }),
            ("blockBytes 5000", { $0.blockBytes = 5000 }), ("blockBytes min", { $0.blockBytes = .min }),
            ("largeValueBytes 0", { $0.largeValueBytes = 0 }), ("largeValueBytes 63", { $0.largeValueBytes = 63 }),
            ("valueFileBytes 0", { $0.valueFileBytes = 0 }), ("cacheBytes -1", { $0.cacheBytes = -1 }),
            ("level 0", { $0.compression = .deflate(level: 0) }),
            ("level 10", { $0.compression = .deflate(level: 10) }),
            ("level min", { $0.compression = .deflate(level: .min) }),
        ]
        for (name, change) in bad {
            let fixture = StoreFixture()
            var configuration = StoreFixture.small()
            change(&configuration)
            #expect(StoreError.Code.of { try fixture.open(configuration) } == .invalidArgument, "\(name)")
            #expect(try fixture.fileSystem.attributes(of: fixture.path) == nil, "\(name)")
        }
        SuiteScale.report("configurations that are refused", ["configurations": bad.count])
    }
}
