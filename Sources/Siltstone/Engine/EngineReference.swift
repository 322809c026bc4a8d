/// Leads to an engine for as long as its ``KeyValueStore`` is there, and does not keep it.
///
/// A weak reference would do, but for its price: an object that has one counts its references in a side table, which makes
/// every read and every write some tens of nanoseconds slower.
final class EngineReference: Sendable {
    private let engine = Locked<Unmanaged<Engine>?>(nil)

    func set(_ engine: Engine) { self.engine.withLock { $0 = .passUnretained(engine) } }

    /// To be called while somebody keeps the engine, for the last time: by the store when it goes.
    func clear() { engine.withLock { $0 = nil } }

    /// The engine, if its store is still there.
    var value: Engine? {
        // Retained under the lock, before whoever clears can go on.
        engine.withLock { $0?.takeUnretainedValue() }
    }
}
