import TableKit

/// The log of errors in tests, which provoke errors by the thousand and expect each of them.
package enum QuietErrors {
    private static let once: Void = { CRUDLogging.errorLogDestinations = [] }()

    /// From the first call on, this process logs errors nowhere.
    ///
    /// Only the first call does anything: the destinations belong to the process, and no suite is to take from another the
    /// ones that it has set since.
    package static func begin() { once }
}
