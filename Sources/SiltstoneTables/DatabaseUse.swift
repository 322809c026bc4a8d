import Siltstone
import Synchronization
import TableKit

/// One configuration's use of an engine. Ends when it is closed, or with the last copy of the configuration.
final class DatabaseUse: Sendable {
    private let used: SiltstoneEngine
    /// Ends observations with the use.
    let closing = ClosingSignal()
    private let isClosed = Atomic<Bool>(false)

    init(_ engine: SiltstoneEngine) { used = engine }

    // Sessions and streams may outlive the configuration. They retain the engine, which keeps the store open.
    deinit {
        if !isClosed.load(ordering: .relaxed) { _ = EngineRegistry.shared.end(used, isClosing: false) }
    }

    /// The engine, or after the end of the use a ``ClosedEngine``.
    var engine: any TableEngine {
        isClosed.load(ordering: .relaxed) ? ClosedEngine.shared : used
    }

    /// Ends the use.
    /// - Returns: the store for the caller to close, if this was the last use.
    func end() -> SharedStore? {
        if isClosed.exchange(true, ordering: .acquiringAndReleasing) { return nil }
        closing.send()
        return EngineRegistry.shared.end(used, isClosing: true)
    }
}
