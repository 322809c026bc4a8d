/// What is measured of tables in servers. The raw value is the label.
enum ServerWorkload: String, CaseIterable, Sendable {
    case insert
    /// By eight tasks.
    case insertEight = "insert@8"
    case batch, find
    case findEight = "find@8"
    case range, update, transfer, count

    /// Rows of a transaction of ``batch``.
    static let batchCount = 1000
    /// Rows that a range of the index holds.
    static let rangeRows = 10
    /// Tasks of the workloads for several.
    static let tasks = 8
}

/// What is measured of adapters.
enum AdapterWorkload: String, CaseIterable, Sendable {
    case key, batch
}

extension Section {
    /// Changes of single rows, each a commit that waits for the disk.
    var serverChanges: Int { max(40, count / 1000) }
    /// The same, by eight tasks together.
    var sharedServerChanges: Int { 2 * serverChanges }
    /// Rows of the table at the end of the inserts: those of single commits, then whole batches.
    var serverRows: Int {
        let batches = max(2, count / 20 / ServerWorkload.batchCount)
        return serverChanges + sharedServerChanges + batches * ServerWorkload.batchCount
    }
    /// Look-ups, and queries of some rows.
    var serverReads: Int { max(200, count / 100) }
    var serverRanges: Int { max(100, count / 200) }
    var serverCounts: Int { max(10, count / 10_000) }

    /// Turns of an adapter and of the plain client, and look-ups of a turn.
    var adapterTurns: Int { max(8, count / 10_000) }
    var readsOfTurn: Int { max(50, count / 5000) }
}
