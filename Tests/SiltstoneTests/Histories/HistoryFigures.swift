/// How much was checked.
struct HistoryFigures {
    var histories = 0
    var operations = 0
    /// Observations of several keys at once: scans, multi-gets, and all that was read through one snapshot or cursor.
    var snapshots = 0
    var checkpoints = 0
    var flushes = 0
    var compactions = 0
    var closings = 0
    var delays = 0

    mutating func add(_ operations: [Operation]) {
        histories += 1
        self.operations += operations.count
        snapshots += operations.count {
            if case .observe(let seen) = $0.effect { seen.count > 1 } else { false }
        }
    }

    static func += (left: inout HistoryFigures, right: HistoryFigures) {
        left.histories += right.histories
        left.operations += right.operations
        left.snapshots += right.snapshots
        left.checkpoints += right.checkpoints
        left.flushes += right.flushes
        left.compactions += right.compactions
        left.closings += right.closings
        left.delays += right.delays
    }

    func report(_ attack: String) {
        SuiteScale.report(
            attack,
            [
                "histories": histories, "operations": operations, "snapshots": snapshots,
                "checkpoints": checkpoints, "flushes": flushes, "compactions": compactions, "closings": closings,
                "delays": delays,
            ])
    }
}
