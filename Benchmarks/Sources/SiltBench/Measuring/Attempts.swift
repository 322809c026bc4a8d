/// How often transactions were run, those included that met a conflict.
struct Attempts: Sendable {
    private(set) var total = 0
    /// The most of one transaction.
    private(set) var most = 0

    /// Counts those of a transaction.
    @inline(__always)
    mutating func add(_ attempts: Int) {
        total &+= attempts
        most = max(most, attempts)
    }
}
