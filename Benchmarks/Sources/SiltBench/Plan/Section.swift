/// A part of a run: workloads in their order, on keys and values of one shape and number.
struct Section: Codable, Sendable {
    /// What is measured.
    enum Kind: String, Codable, Sendable {
        /// Engines, by the workloads listed.
        case engines
        /// Repositories of items that stand on them.
        case repositories
        /// Item formats.
        case transformers
        /// Typed tables and queries.
        case tables
        /// Tables in servers and clusters, beside embedded ones.
        case servers
        /// The adapters of servers, beside the C libraries below them.
        case adapters
    }

    /// Short, for the command line and before the labels; the main one's labels stand alone.
    var name: String
    /// A line for the reports.
    var title: String
    var kind = Kind.engines
    /// Keys, or items: N in the summaries of the workloads.
    var count: Int
    /// Bytes of a value, but for the workloads that have a size of their own.
    var valueBytes = 100
    /// The shape of the keys, but for YCSB's.
    var keys = KeySpace.decimal
    /// Whether each engine compresses as it does by default; else none does.
    var hasDefaultCompression = false
    /// Whether LMDB writes through its mapping instead of by system calls.
    var hasWriteMap = false
    /// Whether every write waits for the disk, not only those of `fillsync`.
    var isSynced = false
    /// Bytes of memory that the process of an engine may take, the page cache that it fills included; nil for all there is.
    var memoryLimit: Int?
    var engines: [EngineKind]
    var workloads: [WorkloadRun] = []

    /// The name of the section that the goals are about.
    static let mainName = "main"
    /// The name of the section whose stores do not fit into memory.
    static let limitedName = "larger-than-memory"
    /// Seconds that a workload of reads takes about where memory is limited: peers differ by a factor of a hundred there.
    static let limitedSeconds = 6.0
    /// What the names of sections begin with that differ by their number of keys alone.
    static let growthPrefix = "growth-"

    /// Whether it is too small to say anything of speed, so that its engines need not be waited for as long.
    var isHasty: Bool { count * (valueBytes + keys.keyBytes) < 8 << 20 }

    /// The label of a measurement, unique in the whole run.
    func label(_ text: String) -> String { name == Self.mainName ? text : "\(name)/\(text)" }

    /// Whether it is meant by a name: its own, or what comes before the dash in those of several.
    func isCalled(_ text: String) -> Bool { name == text || name.hasPrefix(text + "-") }

    /// Whether measurements of another section are further rounds of this one's, or workloads beside them.
    func isAlike(_ other: Section) -> Bool {
        kind == other.kind && count == other.count && valueBytes == other.valueBytes && keys == other.keys
            && hasDefaultCompression == other.hasDefaultCompression && hasWriteMap == other.hasWriteMap
            && isSynced == other.isSynced && memoryLimit == other.memoryLimit
    }

    /// A label as it reads under the section's title.
    func shortLabel(_ label: String) -> String {
        label.hasPrefix(name + "/") ? String(label.dropFirst(name.count + 1)) : label
    }
}

extension Section {
    /// Entries of a transaction of `fillbatch`.
    static let batchCount = 1000
    /// Entries that `seekrandom` reads for each seek: the one it finds, and ten more.
    static let entriesPerSeek = 11
    /// Bytes of a value of `fill100K`.
    static let largeValueBytes = 100_000
    /// Bytes of a record of YCSB: ten fields of a hundred.
    static let recordBytes = 1000
    /// Entries that a scan of `scandeleted` reads, and how often it is done at least.
    static let (entriesPerScan, deletedScans) = (10, 20)
    /// Rounds of `bursts`, and of `sessions`.
    static let (burstRounds, sessionRounds) = (20, 50)
    /// Seconds between the puts and the seeks of `bursts`.
    static let burstPause = 0.2

    /// Records of YCSB.
    var recordCount: Int { max(1, count / 2) }
    /// Operations of a workload of YCSB.
    var mixCount: Int { max(1, count / 5) }
    /// Keys that a workload of reads draws: enough to tell a rate, however many there are.
    var readCount: Int { min(count, 2_000_000) }
    /// Puts of a round of `bursts`, and seeks.
    var burst: (puts: Int, seeks: Int) { (max(1, count / 25), max(1, count / 1000)) }
    /// Gets of a round of `sessions`, and seeks.
    var session: (gets: Int, seeks: Int) { (max(1, count / 1000), max(1, count / 10_000)) }
    /// Rounds of `queue`, and entries that wait in it: few, since an engine that walks over what was deleted takes
    /// their square.
    var queueCount: Int { max(100, count / 100) }
    var backlog: Int { max(10, count / 1000) }
    /// Entries that the deletes before `scandeleted` leave, at the end.
    var survivorCount: Int { max(1, count / 100) }

    /// Accounts of a workload that moves amounts between them.
    func accountCount(_ run: WorkloadRun) -> Int { run.workload == .transfer100 ? 100 : count }
    /// Transfers between them.
    func transferCount(_ run: WorkloadRun) -> Int { isSynced ? syncedCount(run) : max(100, count / 5) }

    /// Operations that wait for the disk, which takes a hundred times as long as anything else.
    private func syncedCount(_ run: WorkloadRun) -> Int {
        run.threads == 1 ? max(100, count / 125) : run.threads * max(100, count / 500)
    }

    /// Puts of a workload that fills in random order.
    func putCount(_ run: WorkloadRun) -> Int {
        switch run.workload {
        case .fill100K: max(20, count / 1000)
        case .fillsync: syncedCount(run)
        default: count
        }
    }

    /// The settings of the database of a workload.
    func settings(_ run: WorkloadRun) -> EngineSettings {
        var settings = EngineSettings()
        settings.isSynced = isSynced || run.workload == .fillsync
        settings.hasDefaultCompression = hasDefaultCompression
        settings.hasWriteMap = hasWriteMap
        settings.hasTransactions = run.workload.isTransfer
        settings.threads = run.threads
        settings.valueBytes = valueBytes
        if run.workload == .fill100K { settings.valueBytes = Self.largeValueBytes }
        if run.workload == .ycsbLoad || run.workload.ground == .records { settings.valueBytes = Self.recordBytes }
        return settings
    }
}
