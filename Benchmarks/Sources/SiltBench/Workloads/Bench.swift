import Foundation

/// Runs workloads on one engine, one after another, and tells each result as it comes.
final class Bench<E: Engine> {
    let options: Options
    let section: Section
    let engine: EngineKind
    let round: Int
    /// Where databases are made.
    let directory: String
    let say: (WorkerMessage) throws -> Void
    /// How often each label has been reported.
    private var occurrences: [String: Int] = [:]

    /// The database that the workloads are at.
    private var database: Database<E>?
    private var ground = Workload.Ground.empty
    private let memory = MemorySampler()
    /// Memory of the process before there was any database: the harness and the code of all libraries.
    private let baseline = ProcessUsage.memory

    init(_ order: WorkerOrder, say: @escaping (WorkerMessage) throws -> Void) {
        options = order.options
        section = order.section
        engine = order.engine
        round = order.round
        directory = order.directory
        self.say = say
    }

    /// Hands a result over; one of a workload that ran before on this database or another is told apart by a number.
    func report(_ measurement: Measurement) throws {
        var measurement = measurement
        measurement.label = section.label(measurement.label)
        occurrences[measurement.label, default: 0] += 1
        if let count = occurrences[measurement.label], count > 1 { measurement.label += "#\(count)" }
        try say(.measurement(measurement))
    }

    /// Runs all workloads.
    /// - Throws: ``BenchmarkError`` where the engine fails or reads something wrong.
    func run() throws {
        for run in section.workloads where !run.workload.isTransfer || engine.hasTransactions {
            do { try measure(run) } catch { throw BenchmarkError("\(run.name): \(error)") }
        }
        try leave()
    }

    /// Ends the work on a database: checks every byte of it, and removes it.
    private func leave() throws {
        guard let database else { return }
        try database.verify()
        try database.discard()
        self.database = nil
        try say(.verified)
    }

    // MARK: Databases

    /// The database to run a workload on: the one that is there where that fits, else a new one.
    private func database(for run: WorkloadRun) throws -> Database<E> {
        let wanted = run.workload.ground
        if let database, wanted != .empty, wanted == ground {
            try adapt(database, to: run)
            return database
        }
        try leave()
        let keys = run.workload == .ycsbLoad || wanted == .records ? .hashed : section.keys
        let new = try Database<E>(directory: directory + "/database", settings: section.settings(run), keys: keys)
        database = new
        switch wanted {
        case .empty: break
        case .filled: try fill(new)
        case .records: try load(new)
        }
        switch run.workload {
        case .fillseq, .fillrandom, .readatonce, .seekatonce: ground = .filled
        case .ycsbLoad: ground = .records
        default: ground = wanted
        }
        return new
    }

    /// A cache for each connection must be cut to the number of threads: opens the database anew where that changes.
    private func adapt(_ database: Database<E>, to run: WorkloadRun) throws {
        let threads = run.workload == .readwhilewriting ? 2 : run.threads
        guard threads != database.settings.threads else { return }
        guard E.isCutToThreads else { return database.settings.threads = threads }
        try database.close()
        database.settings.threads = threads
        try database.reopen()
        _ = Machine.settle(isHasty: section.isHasty)
    }

    private func fill(_ database: Database<E>) throws {
        try putAll(database)
        _ = Machine.settle(isHasty: section.isHasty)
    }

    /// Puts all keys in random order, unmeasured.
    func putAll(_ database: Database<E>) throws {
        let order = IndexStream.permutation(section.count, .fillOrder)
        database.reserve(section.count, listed: section.count)
        _ = try database.put(section.count, threads: 1) { _ in .listed(order, from: 0) }
    }

    private func load(_ database: Database<E>) throws {
        database.model.reserve(section.recordCount)
        _ = try database.put(section.recordCount, threads: 1) { _ in .ascending(from: 0) }
        _ = Machine.settle(isHasty: section.isHasty)
    }

    /// Deletes all but the last keys, in order.
    private func deleteMost(_ database: Database<E>) throws {
        let count = section.count - section.survivorCount
        _ = try database.delete(count, threads: 1) { _ in .ascending(from: 0) }
        _ = Machine.settle(isHasty: section.isHasty)
        database.state = .written
    }

    // MARK: Measuring

    private func measure(_ run: WorkloadRun) throws {
        if run.workload == .recover {
            // It has a database of its own, and does not tell whether this one is right.
            try leave()
            return try measureRecovery(run)
        }
        if run.workload.isTransfer {
            try leave()
            return try measureTransfers(run)
        }
        let database = try database(for: run)
        if run.workload == .scandeleted { try deleteMost(database) }
        let label = run.name + (run.workload.writes ? "" : database.state.suffix)
        database.forgetLists()
        if run.workload.isPreloaded {
            try database.preload()
        } else if run.workload.writes {
            database.isPreloaded = false
        }
        Machine.prepare(prewarming: run.workload.writes ? prewarmBytes(run.workload) : 0)
        memory.restart()
        switch run.workload {
        case .compact: try report(compact(database, label))
        case .open: try report(open(database, label))
        case .readwhilewriting: try readWhileWriting(database, label)
        case .bursts: try bursts(database, label)
        default:
            let outcome = try perform(run, database)
            let course = outcome.course
            var measurement = Measurement(engine: engine, label: label, round: round, records: course.records)
            // Where memory is limited, a slow engine reads less than a fast one.
            if database.model.isReproducible, section.memoryLimit == nil { measurement.tally = course.tally }
            account(&measurement, course, database, settle: run.workload.leavesWork)
            try outcome.check()
            try report(measurement)
        }
        switch run.workload {
        case .compact: database.state = .compacted
        case .fillseq: database.state = .filledInOrder
        // Of what was deleted, no other workload knows.
        case .scandeleted: ground = .empty
        case .sessions:
            database.state = .written
            database.isPreloaded = false
        default: if run.workload.writes { database.state = .written }
        }
    }

    /// Memory to touch before a workload that writes: its data pass through logs, tables and the page cache, more than once.
    func prewarmBytes(_ workload: Workload) -> Int {
        guard options.prewarmBytes > 0, section.memoryLimit == nil else { return 0 }
        let written = workload == .ycsbLoad ? section.recordCount * 1000 : section.count * section.valueBytes
        return min(max(options.prewarmBytes, 6 * written), max(options.prewarmBytes, 4 << 30))
    }

    /// Adds what a workload cost beside its time, the work that goes on in the background after it included.
    private func account(
        _ measurement: inout Measurement, _ course: Course, _ database: Database<E>, settle: Bool
    ) {
        measurement.otherCores = course.after.otherCores(since: course.before)
        var end = course.after
        if settle {
            measurement.settleSeconds = Machine.settle(isHasty: section.isHasty)
            measurement.diskBytes = Machine.diskBytes(directory)
            measurement.liveBytes = database.liveBytes
            end = .now()
        }
        let operations = Double(max(measurement.operations, 1))
        measurement.cpuMicroseconds = (end.processSeconds - course.before.processSeconds) * 1e6 / operations
        if course.userBytes > 0, let before = course.before.bytesWritten, let after = end.bytesWritten {
            measurement.writeAmplification = Double(after - before) / Double(course.userBytes)
        }
        let peak = memory.peak
        measurement.peakMemoryBytes = ProcessUsage.peakMemoryBytes
        measurement.peakMappedBytes = max(0, peak.mapped - baseline.mapped)
        // Less what the harness itself holds: its lists, and what is known of the database.
        measurement.peakAnonymousBytes = max(0, peak.anonymous - baseline.anonymous - database.workingBytes)
    }

    private func readWhileWriting(_ database: Database<E>, _ label: String) throws {
        let course = try database.getWhilePutting(section.readCount)
        guard course.records.count == 2 else { throw BenchmarkError("a thread is missing") }
        let (reader, writer) = (course.records[0], course.records[1])
        var reading = Measurement(engine: engine, label: label + ".reader", round: round, records: [reader])
        account(&reading, course, database, settle: true)
        // Both threads' work is one bill.
        reading.cpuMicroseconds = nil
        try check(reader.tally, found: reader.operations)
        try report(reading)
        var writing = Measurement(engine: engine, label: label + ".writer", round: round, records: [writer])
        writing.otherCores = reading.otherCores
        try report(writing)
    }

    private func bursts(_ database: Database<E>, _ label: String) throws {
        let (puts, seeks) = section.burst
        let (course, expected) = try database.bursts(
            Section.burstRounds, puts: puts, pause: Section.burstPause, seeks: seeks, entries: Section.entriesPerSeek)
        try Outcome(course: course) { expected }.check()
        for (name, record) in zip([".puts", ".seeks"], course.records) {
            var part = Measurement(engine: engine, label: label + name, round: round, records: [record])
            // What it cost is both parts', and told once.
            if name == ".puts" {
                account(&part, course, database, settle: true)
                part.cpuMicroseconds = nil
            } else {
                part.otherCores = course.after.otherCores(since: course.before)
                // As of any workload: behind writes of several threads, what is read is not the same in all engines.
                if database.model.isReproducible { part.tally = record.tally }
            }
            try report(part)
        }
    }

    private func compact(_ database: Database<E>, _ label: String) throws -> Measurement {
        let before = ProcessUsage.now()
        let seconds = try Clock.seconds { try database.engine.compact() }
        let course = Course(records: [], before: before, after: .now())
        var measurement = Measurement(
            engine: engine, label: label, round: round, unit: .milliseconds, value: seconds * 1000, operations: 1,
            seconds: seconds)
        account(&measurement, course, database, settle: true)
        return measurement
    }

    /// Opens a closed database five times; takes the median.
    private func open(_ database: Database<E>, _ label: String) throws -> Measurement {
        var times: [Double] = []
        for _ in 0..<5 {
            try database.close()
            times.append(
                try Clock.seconds {
                    try database.reopen()
                    try getOne(database)
                })
        }
        return Measurement(
            engine: engine, label: label, round: round, unit: .milliseconds, value: times.median * 1000, operations: 5,
            seconds: times.reduce(0, +))
    }

    /// Gets the key in the middle.
    func getOne(_ database: Database<E>) throws {
        let index = database.model.count / 2
        let keys = KeyMaker(database.keys)
        var tally = Tally()
        try database.engine.makeSession().get(keys.key(index), of: index, &tally)
        try check(tally, found: database.model.stamp(index) == nil ? 0 : 1)
    }

    /// - Throws: where something was not found, or is not what belongs there.
    func check(_ tally: Tally, found: Int) throws {
        guard tally.found == found, tally.wrong == 0 else {
            throw BenchmarkError("found \(tally.found) of \(found) keys, \(tally.wrong) with a wrong value")
        }
    }
}
