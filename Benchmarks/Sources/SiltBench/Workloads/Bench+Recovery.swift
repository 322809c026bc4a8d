import Foundation

extension Bench {
    /// Bytes of keys and values that are in the log when the process is killed.
    private static var recoveredBytes: Int { EngineSettings.writeBufferBytes }
    /// What an entry may take in memory beside key and value.
    private static var overheadBytes: Int { 48 }

    /// Entries that these are; where they are small, as many as are certain to be in memory.
    private var recoveredCount: Int {
        let entryBytes = KeySpace.decimal.keyBytes + section.valueBytes
        let fitting = recoverySettings.writeBufferBytes * 3 / 4 / (entryBytes + Self.overheadBytes)
        return max(1, min(section.count, Self.recoveredBytes / entryBytes, fitting))
    }

    private var recoverySettings: EngineSettings {
        var settings = EngineSettings()
        settings.valueBytes = section.valueBytes
        settings.hasWriteMap = section.hasWriteMap
        // Twice what comes in, as entries take more in memory: nothing is to be anywhere but in the log.
        settings.writeBufferBytes = 2 * Self.recoveredBytes
        return settings
    }

    /// Has a child process fill a database and die, and times how long the database takes to answer again.
    func measureRecovery(_ run: WorkloadRun) throws {
        let directory = directory + "/recovery"
        let order = WorkerOrder(
            task: .fillAndDie, options: options, section: section, engine: engine, round: round, directory: directory)
        let child = try ChildProcess(order)
        guard case .filled = try child.nextMessage(), child.waitForKill() else {
            throw BenchmarkError("the child did not fill its database")
        }
        let logBytes = Machine.fileBytes(directory) { E.isLog($0) }
        if let logBytes, logBytes < recoveredCount * section.valueBytes {
            throw BenchmarkError("only \(logBytes) bytes are in the log")
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: directory)
        if let name = names.first(where: { E.isTable($0) }) {
            throw BenchmarkError("\(name) was written before the kill")
        }
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
        try report(measurement)
    }

    /// What the child does: fills, says so, and kills itself, as a power switch would. No engine has the time to tidy up.
    func fillAndDie(_ say: (WorkerMessage) throws -> Void) throws {
        let database = try Database<E>(directory: directory, settings: recoverySettings, keys: .decimal)
        database.model.reserve(recoveredCount)
        let order = IndexStream.permutation(recoveredCount, .fillOrder)
        _ = try database.putBatches(recoveredCount, batch: Section.batchCount, .listed(order, from: 0))
        try withExtendedLifetime(database) {
            try say(.filled)
            kill(getpid(), SIGKILL)
        }
    }

    /// Every key once.
    private func fillModel(_ model: Model) {
        model.reserve(recoveredCount)
        for index in 0..<recoveredCount { _ = model.nextStamp(index) }
    }
}
