import Foundation

/// What the command line asks for.
struct Options: Codable, Sendable {
    var engines: [EngineKind] = EngineKind.available
    var workloads: [WorkloadRun] = []
    /// Keys: N in the summaries of the workloads.
    var count = 1_000_000
    /// Bytes of a value, but for the workloads that have a size of their own.
    var valueBytes = 100
    /// Threads of the workloads that do not say it themselves.
    var threads = 1
    /// Rounds: how often everything is measured.
    var rounds = 3
    /// Bytes of memory that are touched and freed before each workload that writes.
    var prewarmBytes = 1 << 30
    /// Where databases are made.
    var directory = FileManager.default.temporaryDirectory.path + "/silt-bench"
    /// Where the results go, beside the terminal.
    var jsonPath: String?
    var htmlPath: String?

    /// Entries of a transaction of `fillbatch`.
    static let batchCount = 1000
    /// Entries that `seekrandom` reads for each seek: the one it finds, and ten more.
    static let entriesPerSeek = 11
    /// Bytes of a value of `fill100K`.
    static let largeValueBytes = 100_000
    /// Bytes of a record of YCSB: ten fields of a hundred.
    static let recordBytes = 1000

    /// Records of YCSB.
    var recordCount: Int { max(1, count / 2) }
    /// Operations of a workload of YCSB.
    var mixCount: Int { max(1, count / 5) }

    /// Puts of a workload that fills in random order.
    func putCount(_ run: WorkloadRun) -> Int {
        switch run.workload {
        case .fill100K: max(20, count / 1000)
        // A sync takes a hundred times as long as anything else.
        case .fillsync: run.threads == 1 ? max(100, count / 500) : run.threads * max(100, count / 1000)
        default: count
        }
    }
}
