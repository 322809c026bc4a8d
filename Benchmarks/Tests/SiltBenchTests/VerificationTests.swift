import Foundation
import Testing

@testable import SiltBench

/// Verification of results.
struct VerificationTests {
    /// A database of 500 keys, of which a quarter was deleted.
    private func database(_ lie: LyingEngine.Lie) throws -> Database<LyingEngine> {
        let directory = FileManager.default.temporaryDirectory.path + "/silt-bench-tests-\(UUID())/\(lie.rawValue)"
        let database = try Database<LyingEngine>(directory: directory, settings: EngineSettings(), keys: .decimal)
        database.model.reserve(500)
        _ = try database.put(500, threads: 2) { .ascending(from: $0 * 250) }
        _ = try database.delete(125, threads: 1) { _ in .ascending(from: 100) }
        return database
    }

    @Test("an honest engine passes")
    func honest() throws {
        let database = try database(.none)
        try database.verify()
        #expect(try database.walk(reverse: false).tally == database.expectedOfWalk())
        #expect(try database.walk(reverse: true).tally == database.expectedOfWalk())
        let stream = { @Sendable (thread: Int) in IndexStream.uniform(500, .seeking, thread: thread, of: 2) }
        #expect(
            try database.seek(100, threads: 2, entries: 11, stream).tally
                == database.expectedOfSeek(100, threads: 2, entries: 11, stream))
        #expect(
            try database.get(100, threads: 2, stream).tally == database.expectedOfGet(100, threads: 2, stream))
        try database.discard()
    }

    @Test(
        "an engine that loses, keeps, changes or hides entries does not",
        arguments: [LyingEngine.Lie.dropsWrites, .forgetsDeletes, .swapsValues, .cutsScans])
    func lying(lie: LyingEngine.Lie) throws {
        let database = try database(lie)
        #expect(throws: BenchmarkError.self) { try database.verify() }
        try database.discard()
    }

    @Test(
        "what an engine has measured is not confirmed where its database then holds something else",
        arguments: [false, true])
    func confirmation(isLying: Bool) throws {
        let lie = isLying ? LyingEngine.Lie.swapsValues : .none
        let section = Section(
            name: Section.mainName, title: "", count: 500, engines: [.siltstone],
            workloads: try WorkloadRun.list("fillrandom,readseq", threads: 1))
        let directory = FileManager.default.temporaryDirectory.path + "/silt-bench-tests-\(UUID())/\(lie.rawValue)"
        var options = Options()
        options.prewarmBytes = 0
        let order = WorkerOrder(
            task: .measure, options: options, section: section, engine: .siltstone, round: 0, directory: directory)
        var said: [String] = []
        let bench = Bench<LyingEngine>(order) { message in
            switch message {
            case .measurement(let measurement): said.append(measurement.label)
            case .verified: said.append("verified")
            default: break
            }
        }
        if isLying {
            #expect(throws: BenchmarkError.self) { try bench.run() }
        } else {
            try bench.run()
        }
        #expect(said == ["fillrandom", "readseq"] + (isLying ? [] : ["verified"]))
        try FileManager.default.removeItem(atPath: directory)
    }

    @Test("a queue gives what was put, in its order; a scan finds what is left", arguments: [false, true])
    func queue(isLying: Bool) throws {
        let lie = isLying ? LyingEngine.Lie.forgetsDeletes : .none
        let directory = FileManager.default.temporaryDirectory.path + "/silt-bench-tests-\(UUID())/\(lie.rawValue)"
        let database = try Database<LyingEngine>(directory: directory, settings: EngineSettings(), keys: .decimal)
        database.reserve(120)
        let tally = try database.queue(100, backlog: 20).tally
        #expect((tally == database.expectedOfQueue(100)) == !isLying)
        let head = try database.scanHead(atLeast: 3, entries: 10)
        #expect(head.records.allSatisfy { $0.operations >= 3 })
        #expect((head.tally == database.expectedOfHead(entries: 10)) == !isLying)
        #expect(database.liveBytes == 20 * 116)
        try database.discard()
    }

    @Test(
        "bursts read what was put before each of them, and sessions what the ones before have left",
        arguments: [LyingEngine.Lie.none, .cutsScans, .dropsWrites, .forgetsAtClose])
    func bursts(lie: LyingEngine.Lie) throws {
        let database = try database(lie)
        let isHonest = lie == .none || lie == .forgetsAtClose  // until then
        let (bursts, sought) = try database.bursts(3, puts: 100, pause: 0.001, seeks: 60, entries: 11)
        #expect(bursts.records.map(\.operations) == [300, 180])
        #expect((bursts.tally == sought) == isHonest)
        let (sessions, expected) = try database.sessions(3, gets: 200, seeks: 20, entries: 11)
        #expect(sessions.records.map(\.operations) == [3])
        #expect((sessions.tally == expected) == (lie == .none))
        try database.discard()
    }

    @Test("the clock of a meter stands still while it is paused")
    func pausedMeter() {
        var meter = Meter(operations: 2)
        meter.begin()
        meter.lap()
        meter.pause()
        let before = Clock.now()
        Thread.sleep(forTimeInterval: 0.05)
        let paused = Clock.now() - before
        meter.resume()
        meter.lap()
        let record = meter.record()
        #expect(record.operations == 2 && record.finish - record.start < Clock.now() - before)
        #expect(record.start + paused <= Clock.now() && record.marks.allSatisfy { $0 <= record.finish })
    }

    @Test("a YCSB mix of an honest engine passes, alone and with threads that race", arguments: [1, 2])
    func mixes(threads: Int) throws {
        for workload in [Workload.ycsbA, .ycsbD, .ycsbE, .ycsbF] {
            let directory = FileManager.default.temporaryDirectory.path + "/silt-bench-tests-\(UUID())/none"
            var settings = EngineSettings()
            settings.valueBytes = Section.recordBytes
            let database = try Database<LyingEngine>(directory: directory, settings: settings, keys: .hashed)
            database.model.reserve(200)
            _ = try database.put(200, threads: 1) { _ in .ascending(from: 0) }
            let mix = Mix(workload, count: 100, threads: threads, records: 200)
            let tally = try database.run(mix).tally
            #expect(tally.wrong == 0)
            if workload == .ycsbE {
                let expected = database.expectedScanned(mix, of: 200)
                #expect(expected.contains(tally.found) && expected.lowerBound > 1000)
            } else {
                #expect(tally.found == database.expectedReads(mix))
            }
            try database.verify()
            try database.discard()
        }
    }
}
