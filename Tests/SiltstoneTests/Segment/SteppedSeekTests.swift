import Testing

@testable import Siltstone

/// Seeks that are taken step by step.
struct SteppedSeekTests {
    private var random = SeededGenerator(31)

    private static func key(_ number: Int) -> [UInt8] { Array(String(100_000 + number).utf8) }

    /// A run of three segments, with room between the keys.
    private static func run(_ access: FileAccess) throws -> (run: Run, records: [OwnedRecord]) {
        let parts = (0..<3).map { part in
            (0..<700).map { OwnedRecord(key(part * 10_000 + $0 * 10), Array(repeating: UInt8(part), count: 40), 1) }
        }
        let readers = try parts.map { try SegmentFixture($0, options: SegmentOptions(blockBytes: 4096)).open(access) }
        return (Run(number: 1, segments: readers), parts.flatMap { $0 })
    }

    @Test(
        "they end where those do that are taken at a go, whatever was begun before and not ended",
        arguments: [FileAccess.mapped, .read])
    mutating func cursors(access: FileAccess) throws {
        let (run, records) = try Self.run(access)
        var cursor = RunCursor(run, caching: false)
        var batch = RecordBatch(capacity: 5)
        for _ in 0..<3000 {
            let direction = Bool.random(using: &random) ? ScanDirection.forward : .backward
            // Begun for another key, and given up.
            let steps = Int.random(in: 0...2, using: &random)
            try Self.step(&cursor, Self.key(Int.random(in: 0..<30_000, using: &random)), direction, steps)
            let key =
                Int.random(in: 0..<10, using: &random) == 0 ? nil : Self.key(Int.random(in: 0..<30_000, using: &random))
            if let key { try Self.step(&cursor, key, direction, Int.random(in: 1...2, using: &random)) }
            try Self.seek(&cursor, key, direction)
            batch.removeAll()
            try cursor.fill(&batch, direction, limit: 5, visible: .greatest)
            let found = (0..<batch.count).map { OwnedRecord(batch[$0]) }
            let expected = Self.expected(records, key, direction)
            // Perhaps fewer where a block ends.
            #expect(!found.isEmpty == !expected.isEmpty && found == Array(expected.prefix(found.count)))
        }
    }

    @Test("memtables, runs and blocks that are read together give what is there, both ways, from any key")
    mutating func stores() throws {
        for access in [FileAccess.mapped, .read] {
            var configuration = Configuration()
            configuration.access = access
            configuration.tidiesWhenIdle = false
            configuration.automaticCompaction = false
            configuration.blockBytes = 4096
            let store = try StoreFixture().open(configuration)
            var model: [[UInt8]: [UInt8]] = [:]
            for part in 0..<4 {
                for number in 0..<600 {
                    let key = Self.key(Int.random(in: 0..<3000, using: &random))
                    let value: [UInt8] = [UInt8(part), UInt8(truncatingIfNeeded: number)]
                    try store.put(key, value)
                    model[key] = value
                }
                if part < 3 { try store.flush() }
            }
            let sorted = model.keys.sorted { $0.precedes($1) }
            for _ in 0..<600 {
                let bound = Self.key(Int.random(in: -5..<3005, using: &random))
                let limit = Int.random(in: 1...40, using: &random)
                let isReverse = Bool.random(using: &random)
                var found: [[UInt8]] = []
                var isRight = true
                try store.forEach(
                    from: isReverse ? nil : bound, to: isReverse ? bound : nil, reverse: isReverse, limit: limit
                ) { key, value in
                    let key = key.withBytes { Array($0) }
                    found.append(key)
                    isRight = isRight && value.withBytes { Array($0) } == model[key]
                    return true
                }
                let behind = sorted.filter { $0.precedes(bound) == isReverse }
                #expect(isRight && found == Array((isReverse ? behind.reversed() : behind).prefix(limit)))
            }
            try store.close()
        }
    }

    private static func step(
        _ cursor: inout RunCursor, _ key: [UInt8], _ direction: ScanDirection, _ steps: Int
    ) throws {
        let bytes = HeapBytes(copying: key)
        if steps > 0 { cursor.approach(bytes.bytes, direction) }
        if steps > 1 { try cursor.narrow(bytes.bytes, direction, reading: 5) }
        withExtendedLifetime(bytes) {}
    }

    private static func seek(_ cursor: inout RunCursor, _ key: [UInt8]?, _ direction: ScanDirection) throws {
        let bytes = key.map { HeapBytes(copying: $0) }
        try cursor.seek(bytes?.bytes, direction, reading: 5)
        withExtendedLifetime(bytes) {}
    }

    /// The next five.
    private static func expected(
        _ records: [OwnedRecord], _ key: [UInt8]?, _ direction: ScanDirection
    ) -> [OwnedRecord] {
        let border = key.map { key in records.firstIndex { !$0.key.precedes(key) } ?? records.count }
        switch direction {
        case .forward: return Array(records[(border ?? 0)...].prefix(5))
        case .backward: return Array(records[..<(border ?? records.count)].suffix(5).reversed())
        }
    }
}
