/// How a workload went: what its threads measured, and what the process had used before and after.
struct Course: Sendable {
    /// By thread.
    var records: [ThreadRecord]
    var before: ProcessUsage
    var after: ProcessUsage

    /// What all threads read.
    var tally: Tally { records.reduce(Tally()) { $0 + $1.tally } }
    /// Bytes of keys and values that all threads wrote.
    var userBytes: Int { records.reduce(0) { $0 + $1.userBytes } }
}
