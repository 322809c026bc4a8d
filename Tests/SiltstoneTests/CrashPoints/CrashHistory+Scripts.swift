import Siltstone

/// The scripted histories: everything that writes to the disk, in each configuration that writes it differently.
extension CrashHistory {
    static let scripts: [CrashHistory] =
        [Durability.synced, .buffered].flatMap { durability in
            LogWriting.allCases.flatMap { writing in
                var configuration = Self.small(durability, writing)
                let suffix = "\(durability), \(writing)"
                var scripts = [
                    CrashHistory(name: "small changes, \(suffix)", configuration: configuration, steps: smallChanges),
                    CrashHistory(name: "big values, \(suffix)", configuration: configuration, steps: bigValues),
                    CrashHistory(
                        name: "batches of big values, \(suffix)", configuration: configuration, steps: bigBatches),
                    CrashHistory(
                        name: "value files in turn, \(suffix)", configuration: configuration, steps: valueFiles),
                    CrashHistory(name: "checkpoints, \(suffix)", configuration: configuration, steps: checkpoints),
                ]
                configuration.automaticCompaction = true
                scripts.append(
                    CrashHistory(name: "many flushes, \(suffix)", configuration: configuration, steps: manyFlushes))
                configuration.compression = .deflate(level: 1)
                scripts.append(
                    CrashHistory(name: "large batches, \(suffix)", configuration: configuration, steps: largeBatches))
                return scripts
            }
        }

    /// As small as a configuration may be.
    static func small(_ durability: Durability, _ writing: LogWriting) -> Configuration {
        var configuration = Configuration()
        configuration.durability = durability
        configuration.logWriting = writing
        configuration.memTableBytes = 64 << 10
        configuration.segmentBytes = 64 << 10
        configuration.blockBytes = 4 << 10
        configuration.largeValueBytes = 200
        configuration.valueFileBytes = 64 << 10
        configuration.cacheBytes = 0
        configuration.automaticCompaction = false
        return configuration
    }

    private static func key(_ number: Int) -> [UInt8] { Array("key \(number)".utf8) }

    /// A value that no other step writes.
    private static func value(_ step: Int, _ length: Int = 30) -> [UInt8] {
        let text = Array("value \(step) ".utf8)
        return (0..<length).map { text[$0 % text.count] }
    }

    private static let smallChanges: [HistoryStep] = [
        .put(key(1), value(1)), .put(key(2), value(2)), .put(key(3), value(3), .buffered),
        .put(key(4), value(4), .synced), .delete(key(2)), .insert(key(5), value(5)), .insert(key(1), value(99)),
        .compareAndSet(key(1), value(1), value(6)), .hold, .flush,
        .put(key(2), value(7)), .put(key(6), []), .put([], value(8)), .remove(key(3)), .remove(key(77)),
        .replace(key(6), value(98)), .replace(key(78), value(97)),
        .write([.put(key(7), value(9)), .delete(key(1)), .put(key(7), value(10)), .deleteRange(key(4), key(6))]),
        .flush, .release, .deleteRange(key(2), key(3), .synced), .put(key(2), value(11)), .sync,
        .compact, .put(key(8), value(12)), .delete(key(7)), .reopen, .put(key(9), value(13), .buffered),
        .reopen, .delete(key(8)), .compact, .put(key(1), value(14)), .deleteRange([], [0xff]), .put(key(1), value(15)),
        .put(key(3), value(16)), .deleteRange(key(5), key(4), .synced), .delete(key(1)), .write([], .synced),
    ]

    private static let bigValues: [HistoryStep] = [
        .put(key(1), value(1, 300)), .put(key(2), value(2, 900)), .put(key(3), value(3)),
        .write([.put(key(1), value(4, 700)), .put(key(4), value(5, 2500))]), .flush,
        .put(key(2), value(6, 600), .synced), .delete(key(1)), .put(key(5), value(7, 300), .buffered), .flush,
        .put(key(2), value(8)), .compact, .put(key(4), value(9, 500)), .reopen,
        .put(key(6), value(10, 1200)), .deleteRange(key(2), key(5)), .compact, .put(key(3), value(11, 513)),
        .compact, .put(key(7), value(12, 220)),
    ]

    /// Memtables whose big values all come from batches.
    private static let bigBatches: [HistoryStep] = [
        .write([.put(key(1), value(1, 300)), .put(key(2), value(2, 700))]), .flush,
        .write([.put(key(3), value(3, 400)), .put(key(1), value(4))]), .write([.put(key(4), value(5, 900))], .synced),
        .flush, .write([.put(key(2), value(6, 250)), .delete(key(3))]), .compact,
        .write([.put(key(5), value(7, 600))]), .flush, .reopen, .write([.put(key(5), value(8, 500))]),
    ]

    /// So many big values that several value files are begun, between one sync and the next.
    private static let valueFiles: [HistoryStep] =
        (0..<7).map { .put(key($0), value($0, 12_000), .buffered) } + [.sync]
        + (0..<7).map { .put(key($0), value(10 + $0, 12_000), .buffered) } + [.put(key(9), value(30), .synced), .flush]
        + (0..<4).map { .put(key($0), value(40 + $0, 12_000)) } + [.compact, .put(key(1), value(50, 300))]

    private static let checkpoints: [HistoryStep] = [
        .put(key(1), value(1)), .put(key(2), value(2, 300)), .checkpoint("first"), .put(key(3), value(3)), .flush,
        .put(key(1), value(4)), .checkpoint("second"), .delete(key(2)), .compact, .checkpoint("third"),
        .put(key(4), value(5)),
    ]

    /// Runs pile up until a compaction begins by itself; a snapshot is open across it.
    private static let manyFlushes: [HistoryStep] =
        (0..<7).flatMap { round -> [HistoryStep] in
            let steps: [HistoryStep] = [
                .put(key(round % 3), value(round * 10)), .put(key(10 + round), value(round * 10 + 1)),
                .delete(key(9 + round)),
            ]
            return steps + (round == 2 ? [.hold] : []) + [.flush]
        } + [.put(key(1), value(98)), .release, .put(key(2), value(99))]

    /// A batch that fills a memtable, and one that is larger than it.
    private static let largeBatches: [HistoryStep] = [
        .put(key(1), value(1)), .write((0..<40).map { .put(key($0), value(100 + $0, 190)) }),
        .write((0..<500).map { .put(key($0), value(200 + $0, 180)) }), .put(key(2), value(2)),
        .write((0..<300).map { .delete(key($0)) } + [.put(key(3), value(3))]), .flush, .put(key(4), value(4)),
        .write((300..<700).map { .put(key($0), value(1000 + $0, 190)) }, .synced), .compact, .put(key(5), value(5)),
    ]
}
