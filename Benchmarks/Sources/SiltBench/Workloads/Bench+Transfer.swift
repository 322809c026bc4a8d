extension Bench {
    /// Opens accounts in a database of its own, times transfers between them, and checks every account.
    func measureTransfers(_ run: WorkloadRun) throws {
        let bank = try Bank<E>(
            directory: directory + "/bank", settings: section.settings(run), accounts: section.accountCount(run))
        _ = Machine.settle(isHasty: section.isHasty)
        try bank.preload()
        Machine.prepare(prewarming: prewarmBytes(run.workload))
        let course = try bank.transfer(section.transferCount(run), threads: run.threads)
        var measurement = Measurement(engine: engine, label: run.name, round: round, records: course.records)
        measurement.contention = Contention(course.records)
        measurement.otherCores = course.after.otherCores(since: course.before)
        measurement.settleSeconds = Machine.settle(isHasty: section.isHasty)
        let end = ProcessUsage.now()
        let operations = Double(max(measurement.operations, 1))
        measurement.cpuMicroseconds = (end.processSeconds - course.before.processSeconds) * 1e6 / operations
        if let before = course.before.bytesWritten, let after = end.bytesWritten, course.userBytes > 0 {
            measurement.writeAmplification = Double(after - before) / Double(course.userBytes)
        }
        try bank.verify()
        measurement.tally = bank.ledger.tally
        try bank.discard()
        try report(measurement)
        try say(.verified)
    }
}
