import Foundation

/// Measures typed tables: Siltstone's, SQLite's C API, and the way in which Perfect-SQLite uses it.
final class TableBench {
    private let order: WorkerOrder
    private let memory = MemorySampler()
    /// What the process held when the workload began.
    private var baseline: MemorySampler.Peak = (0, 0)

    init(_ order: WorkerOrder) {
        self.order = order
        restartMemory()
    }

    /// Runs all workloads of the section.
    /// - Throws: ``BenchmarkError`` where something was read that should not be there, or not all that should.
    func run(_ say: @escaping (WorkerMessage) throws -> Void) throws {
        switch order.engine {
        case .siltstone:
            try run(SiltstoneTableStore.self, say)
            if !order.section.isSynced {
                try observe(say)
                try open(say) { try SiltstoneOpening(directory: $0, operations: order.section.openOperations).run() }
            }
        #if PEER_SQLITE
        case .sqlite:
            try run(SQLiteTableStore.self, say)
            if !order.section.isSynced {
                try open(say) { try SQLiteOpening(directory: $0, operations: order.section.openOperations).run() }
            }
        case .perfect: try run(PerfectTableStore.self, say)
        #endif
        default: throw BenchmarkError("there are no tables on \(order.engine.title)")
        }
    }

    private func run<Store: TableStore>(_ type: Store.Type, _ say: @escaping (WorkerMessage) throws -> Void) throws {
        let (version, options) = Store.description
        try say(.engine(EngineDescription(engine: order.engine, version: version, options: options, build: "")))
        let run = TableRun<Store>(
            section: order.section, maker: PlayerMaker(count: order.section.count), directory: directory,
            prepare: prepare, report: { [self] in try say(.measurement(measurement($0, $1))) })
        try order.section.isSynced ? run.allSynced() : run.all()
        try say(.verified)
    }

    private func observe(_ say: (WorkerMessage) throws -> Void) throws {
        prepare(writes: true)
        let (path, isPaced) = (try directory("observed"), !order.section.isHasty)
        let course = try Blocking.wait { try await ObservationRun(directory: path, isPaced: isPaced).run() }
        var measurement = measurement(.observe, course)
        measurement.unit = .milliseconds
        measurement.value = (measurement.latency?.p50 ?? 0) / 1000
        try say(.measurement(measurement))
        try say(.verified)
    }

    /// - Parameter body: opens a store again and again, and gives the seconds of each time.
    private func open(
        _ say: (WorkerMessage) throws -> Void, _ body: (String) throws -> [(TableWorkload, [Double])]
    ) throws {
        for (workload, seconds) in try body(directory("opened")) {
            try say(
                .measurement(
                    Measurement(
                        engine: order.engine, label: order.section.label(workload.rawValue), round: order.round,
                        unit: .milliseconds, value: seconds.median * 1000, operations: seconds.count,
                        seconds: seconds.reduce(0, +))))
        }
        try say(.verified)
    }

    private func directory(_ name: String) throws -> String {
        let path = order.directory + "/" + name
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    /// Waits for background work, so that no workload pays for the one before.
    private func prepare(writes: Bool) {
        _ = Machine.settle(isHasty: order.section.isHasty)
        Machine.prepare(prewarming: writes ? order.options.prewarmBytes : 0)
        restartMemory()
    }

    private func restartMemory() {
        memory.restart()
        baseline = memory.peak
    }

    private func measurement(_ workload: TableWorkload, _ course: Course) -> Measurement {
        var measurement = Measurement(
            engine: order.engine, label: order.section.label(workload.rawValue), round: order.round,
            records: course.records)
        measurement.otherCores = course.after.otherCores(since: course.before)
        let seconds = course.after.processSeconds - course.before.processSeconds
        measurement.cpuMicroseconds = seconds * 1e6 / Double(max(1, measurement.operations))
        let peak = memory.peak
        measurement.peakMemoryBytes = ProcessUsage.peakMemoryBytes
        measurement.peakMappedBytes = max(0, peak.mapped - baseline.mapped)
        measurement.peakAnonymousBytes = max(0, peak.anonymous - baseline.anonymous)
        restartMemory()
        if course.tally.found > 0 { measurement.tally = course.tally }
        return measurement
    }
}
