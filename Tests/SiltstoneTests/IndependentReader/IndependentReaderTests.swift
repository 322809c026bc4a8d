import Foundation
import Testing

@testable import CrashChild
@testable import Siltstone

/// Two programs that share nothing but the page on the format read the same from the same bytes.
@Suite("Independent reader", .enabled(if: IndependentReader.isAvailable, "there is no python3"))
struct IndependentReaderTests {
    private let directory: String

    init() throws {
        directory = FileManager.default.temporaryDirectory.path + "/siltstone-reader-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    }

    private var path: String { directory + "/store" }

    private func remove() throws { try FileManager.default.removeItem(atPath: directory) }

    /// All that the engine finds in a store, which it does not change.
    private func listing(_ path: String) throws -> (records: [[UInt8]: [UInt8]], isClean: Bool) {
        var configuration = Configuration()
        configuration.readOnly = true
        let store = try KeyValueStore.open(at: path, configuration: configuration)
        var records: [[UInt8]: [UInt8]] = [:]
        let cursor = try store.scan()
        while let entry = try cursor.next() { records[entry.key] = entry.value }
        let isClean = try store.verify().isClean
        try store.close()
        return (records, isClean)
    }

    private func expectAgreement(_ path: String, _ comment: Comment? = nil) throws {
        let (records, isClean) = try listing(path)
        #expect(isClean, comment)
        let outcome = try IndependentReader.read(path)
        #expect(outcome == .records(records), comment)
        #expect(!records.isEmpty, comment)
    }

    // MARK: Stores closed in good order

    struct Shape: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var configure: @Sendable (inout Configuration) -> Void
    }

    static let shapes = [
        Shape(testDescription: "default sizes") { $0.memTableBytes = 64 << 20 },
        Shape(testDescription: "small blocks") { $0.blockBytes = 4 << 10 },
        Shape(testDescription: "large blocks, no compaction") {
            $0.blockBytes = 64 << 10
            $0.automaticCompaction = false
        },
        Shape(testDescription: "compressed") { $0.compression = .deflate(level: 6) },
        Shape(testDescription: "compressed, large blocks") {
            $0.compression = .deflate(level: 1)
            $0.blockBytes = 64 << 10
        },
        Shape(testDescription: "large values apart") { $0.largeValueBytes = 256 },
        Shape(testDescription: "written log, files read") {
            $0.logWriting = .written
            $0.access = .read
        },
    ]

    /// Puts, overwrites, deletes, ranges, batches, keys of all lengths, values that take several units.
    private func fill(_ store: KeyValueStore, seed: UInt64, steps: Int) throws {
        var random = SplitMix64(seed: seed)
        func bytes(_ count: Int, of alphabet: UInt64) -> [UInt8] {
            [UInt8](count: count) { _ in UInt8(random.next() % alphabet) }
        }
        func key() -> [UInt8] {
            switch random.next() % 20 {
            case 0: bytes(Int(random.next() % 4), of: 256)
            case 1: bytes(20 + Int(random.next() % 300), of: 2)
            default: Array("key".utf8) + bytes(2 + Int(random.next() % 12), of: 5)
            }
        }
        for step in 0..<steps {
            switch random.next() % 100 {
            case 0:
                let (a, b) = (key(), key())
                let (from, to) = a.precedes(b) ? (a, b) : (b, a)
                // Not too much at once.
                if from.count > 4, to.starts(with: from.prefix(4)) { try store.deleteRange(from: from, to: to) }
            case 1...15: try store.delete(key())
            case 16...25:
                var batch = WriteBatch()
                for _ in 0..<(1 + random.next() % 5) { batch.put(key(), bytes(Int(random.next() % 60), of: 256)) }
                batch.delete(key())
                try store.write(batch)
            case 26: try store.put(key(), bytes(Int(random.next() % 90_000), of: 3))
            default: try store.put(key(), bytes(Int(random.next() % 300), of: 7))
            }
            if step == steps / 2 { try store.flush() }
        }
    }

    @Test("it lists what the engine lists, whatever the store's configuration", arguments: shapes)
    func configurations(_ shape: Shape) throws {
        var configuration = Configuration()
        configuration.durability = .buffered
        configuration.memTableBytes = 128 << 10
        configuration.segmentBytes = 64 << 10
        configuration.valueFileBytes = 256 << 10
        shape.configure(&configuration)
        let store = try KeyValueStore.open(at: path, configuration: configuration)
        let part = SuiteScale.count(200, thorough: 1_000)
        try fill(store, seed: 1, steps: 3 * part)
        // Versions that a snapshot needs stay in the segments.
        let snapshot = store.snapshot()
        try fill(store, seed: 2, steps: part)
        try store.flush()
        try fill(store, seed: 3, steps: part / 5)
        try store.close()
        withExtendedLifetime(snapshot) {}
        try expectAgreement(path)
        let again = try KeyValueStore.open(at: path, configuration: configuration)
        try again.compact()
        try again.close()
        try expectAgreement(path, "compacted")
        try remove()
    }

    @Test("a store that holds nothing is an empty list")
    func empty() throws {
        try KeyValueStore.open(at: path).close()
        #expect(try IndependentReader.read(path) == .records([:]))
        try remove()
    }

    // MARK: Every form of files

    /// A fixture's files, of which some are changed first.
    private func leave(_ fixture: FormatFixture, _ change: (inout StoreFiles) throws -> Void = { _ in }) throws {
        var files = try fixture.files()
        try change(&files)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        for name in files.names { try Data(files.bytes(name) ?? []).write(to: URL(fileURLWithPath: path + "/" + name)) }
    }

    @Test("it lists what each form of files holds that releases have ever written", arguments: FormatFixture.all)
    func forms(_ fixture: FormatFixture) throws {
        try leave(fixture)
        let records = fixture.contents.map { (Array($0.key.utf8), Array($0.value.utf8)) }
        #expect(try IndependentReader.read(path) == .records(Dictionary(uniqueKeysWithValues: records)))
        try remove()
    }

    @Test("a log that has lost what the next one's link vouches for is refused by both")
    func synced() throws {
        try leave(FormatFixture(form: FormatFixture.current, name: "crashed")) { files in
            let log = try #require(files.names.first { $0.hasSuffix(".log") })
            let bytes = try #require(files.bytes(log))
            let last = try #require(bytes.lastIndex { $0 != 0 })
            files.entries[log] = .file(Array(bytes.prefix(last - 8)))
        }
        guard case .damaged = try IndependentReader.read(path) else {
            Issue.record("the reader has not noticed")
            return
        }
        #expect(StoreError.Code.of { try listing(path) } == .corrupt)
        try remove()
    }

    // MARK: Stores that were not closed

    /// Lets a child write for a while, and kills it.
    private func leaveStore(of scenario: CrashScenario, seed: UInt64, operations: UInt64) throws {
        let child = try CrashChildProcess(
            CrashArguments(
                scenario: scenario, store: path, journal: directory + "/journal", seed: seed, stopAfter: 0,
                firstIndexes: Array(repeating: 0, count: scenario.lanes)))
        try child.wait { $0.acknowledged(lane: 0) >= operations }
        child.kill()
    }

    @Test("it lists what the engine lists after the death of a process", arguments: CrashScenario.allCases)
    func deaths(_ scenario: CrashScenario) throws {
        try leaveStore(of: scenario, seed: 7, operations: scenario.operationsPerRound)
        try expectAgreement(path)
        try remove()
    }

    @Test("torn and damaged files: what one of both accepts, the other reads alike", arguments: 0..<3)
    func damage(_ seed: UInt64) throws {
        let scenarios: [(CrashScenario, UInt64)] = [(.transfers, 800), (.largeValues, 120), (.rangeDeletes, 1_500)]
        let (scenario, operations) = scenarios[Int(seed) % scenarios.count]
        try leaveStore(of: scenario, seed: seed, operations: operations)
        var random = SplitMix64(seed: seed)
        for round in 0..<SuiteScale.count(4, thorough: 12) {
            let copy = directory + "/copy"
            try FileManager.default.copyItem(atPath: path, toPath: copy)
            let what = try spoil(copy, &random, logsOnly: round % 2 == 0)
            let outcome = try IndependentReader.read(copy)
            let found = Result { try listing(copy) }
            let comment: Comment =
                "seed \(seed), round \(round): \(what); reader \(outcome.brief), engine \(found.brief)"
            if case .records(let records) = outcome {
                #expect(try found.get().records == records, comment)
            } else if case .success((_, let isClean)) = found {
                // It reads everything, the engine what is asked for: but then verification must have seen it.
                #expect(!isClean, comment)
            }
            try FileManager.default.removeItem(atPath: copy)
        }
        try remove()
    }

    /// Cuts a file short, or changes some of its bytes.
    private func spoil(_ store: String, _ random: inout SplitMix64, logsOnly: Bool) throws -> String {
        let names = try FileManager.default.contentsOfDirectory(atPath: store)
            .filter { $0 != "LOCK" && (!logsOnly || $0.hasSuffix(".log")) }.sorted()
            // A log that was just being made when the child died may have nothing in it.
            .filter { try !Data(contentsOf: URL(fileURLWithPath: store + "/" + $0)).isEmpty }
        let name = names[Int(random.next() % UInt64(names.count))]
        let url = URL(fileURLWithPath: store + "/" + name)
        var data = try Data(contentsOf: url)
        // Where there is something: most of a log is space for what is to come.
        let used = 1 + (data.lastIndex { $0 != 0 } ?? 0)
        let place = Int(random.next() % UInt64(used))
        switch random.next() % 3 {
        case 0:
            data.removeSubrange(place...)
            try data.write(to: url)
            return "\(name) cut to \(place) of \(used) bytes"
        case 1:
            let end = min(data.count, place + 1 + Int(random.next() % 600))
            data.replaceSubrange(place..<end, with: Data(count: end - place))
            try data.write(to: url)
            return "\(name) with zeros at \(place)..<\(end) of \(used) bytes"
        default:
            data[place] ^= UInt8(1) << UInt8(random.next() % 8)
            try data.write(to: url)
            return "\(name) with a bit changed at \(place) of \(used) bytes"
        }
    }
}

extension IndependentReader.Outcome {
    fileprivate var brief: String {
        switch self {
        case .records(let records): "\(records.count) records"
        case .damaged(let why): "refuses: \(why)"
        }
    }
}

extension Result where Success == (records: [[UInt8]: [UInt8]], isClean: Bool), Failure == any Error {
    fileprivate var brief: String {
        switch self {
        case .success(let found): "\(found.records.count) records, \(found.isClean ? "clean" : "not clean")"
        case .failure(let error): "refuses: \(error)"
        }
    }
}
