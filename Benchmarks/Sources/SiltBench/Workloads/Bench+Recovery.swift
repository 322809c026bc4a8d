import Foundation

extension Bench {
    /// Entries that are in the log when the process is killed: just less than a write buffer holds, so that none of them
    /// is elsewhere.
    private var recoveredCount: Int {
        let entryBytes = KeySpace.decimal.keyBytes + section.valueBytes
        return max(1, min(section.count, (EngineSettings.writeBufferBytes - (8 << 20)) / entryBytes))
    }

    private var recoverySettings: EngineSettings {
        var settings = EngineSettings()
        settings.valueBytes = section.valueBytes
        settings.hasWriteMap = section.hasWriteMap
        return settings
    }

    /// Has a child process fill a database, kills it, and times how long the database takes to answer again.
    func measureRecovery(_ run: WorkloadRun) throws {
        let directory = directory + "/recovery"
        let order = WorkerOrder(
            task: .fillAndWait, options: options, section: section, engine: engine, round: round, directory: directory)
        let child = try ChildProcess(order)
        guard case .ready = try child.nextMessage() else { throw BenchmarkError("the child did not fill its database") }
        child.kill()
        Machine.prepare(prewarming: options.prewarmBytes)
        let model = Model(capacity: recoveredCount)
        fillModel(model)
        let before = ProcessUsage.now()
        var database: Database<E>?
        let seconds = try Clock.seconds {
            let opened = try Database<E>(
                opening: directory, settings: recoverySettings, keys: .decimal, model: model)
            database = opened
            try getOne(opened)
        }
        let after = ProcessUsage.now()
        try database?.verify()
        try database?.discard()
        var measurement = Measurement(
            engine: engine, label: run.name, round: round, unit: .milliseconds, value: seconds * 1000,
            operations: recoveredCount, seconds: seconds)
        measurement.otherCores = after.otherCores(since: before)
        report(measurement)
    }

    /// What the child does: fills, says so, and waits to be killed.
    func fillAndWait(_ say: (WorkerMessage) throws -> Void) throws {
        let database = try Database<E>(directory: directory, settings: recoverySettings, keys: .decimal)
        database.model.reserve(recoveredCount)
        let order = IndexStream.permutation(recoveredCount, .fillOrder)
        _ = try database.putBatches(recoveredCount, batch: Section.batchCount, .listed(order, from: 0))
        try say(.ready)
        while true { sleep(3600) }
    }

    /// Every key once.
    private func fillModel(_ model: Model) {
        model.reserve(recoveredCount)
        for index in 0..<recoveredCount { _ = model.nextStamp(index) }
    }
}
