/// How transactions of several threads got on with each other.
struct Contention: Codable, Sendable {
    /// Transactions run again after a conflict, for each one that was committed. An engine with one writer at a time has
    /// none.
    var retries: Double
    /// The most attempts that one transaction took.
    var mostAttempts: Int
    /// Transactions of the slowest thread when the first thread was through, as a share of the average thread's: 1 where
    /// nobody has to stand back. Nil where that was too short: the kernel decides who begins.
    var slowestThread: Double?
}

extension Contention {
    /// Seconds that tell who is slow.
    private static let leastSeconds = 0.1

    /// - Parameter records: of all threads, one at least, which have counted their attempts.
    init(_ records: [ThreadRecord]) {
        let operations = records.reduce(0) { $0 + $1.operations }
        let attempts = records.reduce(0) { $0 + $1.attempts.total }
        retries = Double(attempts - operations) / Double(max(1, operations))
        mostAttempts = records.map(\.attempts.most).max() ?? 0
        let moment = records.map(\.finish).min() ?? 0
        let start = records.map(\.start).min() ?? 0
        guard Double(moment - start) * 1e-9 >= Self.leastSeconds else { return }
        let done = records.map { $0.operations(at: moment) }
        let average = Double(done.reduce(0, +)) / Double(max(1, done.count))
        if average > 0 { slowestThread = Double(done.min() ?? 0) / average }
    }
}

extension ThreadRecord {
    /// Operations that were done at a moment, to a two hundredth part of all.
    fileprivate func operations(at moment: UInt64) -> Int {
        finish <= moment ? operations : min(operations, marks.count { $0 <= moment } * interval)
    }
}
