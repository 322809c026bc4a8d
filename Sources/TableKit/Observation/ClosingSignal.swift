import Synchronization

/// Reports that a configuration has closed while its engine may go on for other configurations.
package final class ClosingSignal: Sendable {
    private struct State {
        var hasClosed = false
        var nextNumber = 0
        var handlers: [Int: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())

    /// A signal of an open configuration.
    package init() {}

    /// Calls the handlers, once.
    package func send() {
        let handlers = state.withLock { state in
            defer { state.handlers = [:] }
            state.hasClosed = true
            return state.handlers.values
        }
        for handler in handlers { handler() }
    }

    /// Calls `handler` when the configuration closes; at once if it has closed.
    /// - Returns: the number for ``remove(_:)``.
    func add(_ handler: @escaping @Sendable () -> Void) -> Int {
        let (number, hasClosed) = state.withLock { state in
            state.nextNumber += 1
            if !state.hasClosed { state.handlers[state.nextNumber] = handler }
            return (state.nextNumber, state.hasClosed)
        }
        if hasClosed { handler() }
        return number
    }

    /// Removes a handler.
    func remove(_ number: Int) { state.withLock { _ = $0.handlers.removeValue(forKey: number) } }
}

/// A configuration whose engine may serve others after it has closed.
package protocol SharedEngineConfiguration: DatabaseConfigurationProtocol {
    /// Reports that this configuration has closed.
    var closing: ClosingSignal { get }
}

extension DatabaseProtocol {
    /// The signal of a configuration that shares its engine; else nil.
    var closing: ClosingSignal? { (configuration as? any SharedEngineConfiguration)?.closing }
}

extension TableProtocol {
    /// The signal of the chain's configuration. Nil if the configuration does not share its engine.
    var closing: ClosingSignal? {
        if let table = self as? any RootLink { return table.rootClosing }
        return (self as? any FromTableProtocol)?.previousClosing
    }
}

/// The first link of a chain.
private protocol RootLink {
    var rootClosing: ClosingSignal? { get }
}

extension Table: RootLink {
    fileprivate var rootClosing: ClosingSignal? { database.closing }
}

extension FromTableProtocol {
    fileprivate var previousClosing: ClosingSignal? { fromTable.closing }
}
