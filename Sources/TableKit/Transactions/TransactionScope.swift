/// One `transaction { }` or `read { }` call, to which the statements in its body belong.
package final class TransactionScope: Sendable {
    /// The task's innermost scope, of any engine.
    @TaskLocal package static var innermost: TransactionScope?

    let engine: any TableEngine
    let session: SharedSession
    let isReadOnly: Bool
    /// True if the scope belongs to a ``TransactionMode/serial`` transaction.
    package let isSerial: Bool
    private let outer: TransactionScope?

    package init(
        _ engine: any TableEngine, _ session: SharedSession, isReadOnly: Bool = false, isSerial: Bool = false
    ) {
        self.engine = engine
        self.session = session
        self.isReadOnly = isReadOnly
        self.isSerial = isSerial
        outer = Self.innermost
    }

    /// The task's innermost scope of an engine.
    package static func current(of engine: any TableEngine) -> TransactionScope? {
        var scope = innermost
        while let found = scope {
            if found.engine === engine { return found }
            scope = found.outer
        }
        return nil
    }
}
