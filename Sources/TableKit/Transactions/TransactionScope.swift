/// One `transaction { }`, from its begin to its end: what statements in its body belong to.
package final class TransactionScope: Sendable {
    /// The innermost scope of the task, of any engine.
    @TaskLocal package static var innermost: TransactionScope?

    let engine: any TableEngine
    let session: SharedSession
    let isReadOnly: Bool
    private let outer: TransactionScope?

    package init(_ engine: any TableEngine, _ session: SharedSession, isReadOnly: Bool = false) {
        self.engine = engine
        self.session = session
        self.isReadOnly = isReadOnly
        outer = Self.innermost
    }

    /// The innermost scope of the task on an engine.
    package static func current(of engine: any TableEngine) -> TransactionScope? {
        var scope = innermost
        while let found = scope {
            if found.engine === engine { return found }
            scope = found.outer
        }
        return nil
    }
}
