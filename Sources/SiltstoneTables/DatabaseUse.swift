import Siltstone
import Synchronization
import TableKit

/// One configuration's use of an engine, until it is closed or the last copy of the configuration goes.
final class DatabaseUse: Sendable {
    private let used: SiltstoneEngine
    private let isClosed = Atomic<Bool>(false)

    init(_ engine: SiltstoneEngine) { used = engine }

    // Sessions and streams may outlive the configuration. They keep the engine, and the engine keeps the store open.
    deinit {
        if !isClosed.load(ordering: .relaxed) { _ = EngineRegistry.shared.end(used, isClosing: false) }
    }

    /// The engine, or one that refuses everything after the end of the use.
    var engine: any TableEngine {
        isClosed.load(ordering: .relaxed) ? ClosedEngine.shared : used
    }

    /// Ends the use.
    /// - Returns: the store to be closed, where this was the last use.
    func end() -> SharedStore? {
        if isClosed.exchange(true, ordering: .acquiringAndReleasing) { return nil }
        return EngineRegistry.shared.end(used, isClosing: true)
    }
}
