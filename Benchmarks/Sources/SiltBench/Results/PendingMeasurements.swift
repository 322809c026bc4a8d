/// What an engine has measured on a database that was not found yet to hold what it should. Until it is, that does not count.
struct PendingMeasurements {
    private var pending: [Measurement] = []

    mutating func add(_ measurement: Measurement) { pending.append(measurement) }

    /// All since the last call, which count from now on.
    mutating func confirm() -> [Measurement] {
        defer { pending = [] }
        return pending
    }
}
