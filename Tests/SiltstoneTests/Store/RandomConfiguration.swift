@testable import Siltstone

/// Configurations that change nothing of what is read.
enum RandomConfiguration {
    /// A configuration at random, its sizes from the smallest that is taken up to some that are never reached.
    static func make(_ random: inout SeededGenerator) -> Configuration {
        func one<T>(of choices: [T]) -> T { choices[random.index(choices.count)] }
        var configuration = Configuration()
        configuration.durability = one(of: [.synced, .buffered])
        configuration.memTableBytes = one(of: [64 << 10, 100_000, 256 << 10, 64 << 20])
        configuration.sealedMemTableLimit = one(of: [1, 2, 5])
        configuration.segmentBytes = one(of: [64 << 10, 70_001, 1 << 20, 2 << 30])
        configuration.blockBytes = one(of: [4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10])
        configuration.largeValueBytes = one(of: [64, 65, 500, 8 << 10, .max])
        configuration.valueFileBytes = one(of: [64 << 10, 200_000, 256 << 20, .max])
        configuration.cacheBytes = one(of: [0, 1, 64 << 10, 64 << 20, .max])
        configuration.compression = one(of: [.none, .deflate(level: 1), .deflate(level: 6), .deflate(level: 9)])
        configuration.access = one(of: [.mapped, .read])
        configuration.logWriting = one(of: [.mapped, .written])
        configuration.automaticCompaction = one(of: [true, false])
        configuration.transactionMemoryBytes = one(of: [0, 500, 64 << 20])
        return configuration
    }

    /// What one cannot do without to see a failure again: everything but the file system.
    static func describe(_ configuration: Configuration) -> String {
        """
        durability \(configuration.durability), memTableBytes \(configuration.memTableBytes), \
        sealedMemTableLimit \(configuration.sealedMemTableLimit), \
        segmentBytes \(configuration.segmentBytes), blockBytes \(configuration.blockBytes), \
        largeValueBytes \(configuration.largeValueBytes), valueFileBytes \(configuration.valueFileBytes), \
        cacheBytes \(configuration.cacheBytes), compression \(configuration.compression), \
        access \(configuration.access), logWriting \(configuration.logWriting), \
        automaticCompaction \(configuration.automaticCompaction), \
        transactionMemoryBytes \(configuration.transactionMemoryBytes)
        """
    }
}
