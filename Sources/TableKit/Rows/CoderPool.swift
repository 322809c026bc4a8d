import Synchronization

/// Coders that are not in use. A coder holds its structure, so that no other structure gets the address by which it is kept.
/// Making one takes microseconds, a row some hundred nanoseconds: statements of one row would
/// mostly make coders.
final class CoderPool<Coder: AnyObject>: Sendable {
    /// What a coder is for.
    struct Key: Hashable {
        let type: ObjectIdentifier
        let structure: ObjectIdentifier
    }

    /// Coders that nobody else refers to, so that they may go from thread to thread.
    private struct Idle: @unchecked Sendable {
        var coders: [Key: [Coder]] = [:]
    }

    private let idle = Mutex(Idle())
    private let most: Int
    /// How many keys are kept. Structures of types are few; this bounds what structures that come and go leave behind.
    private static var mostKeys: Int { 1000 }

    /// - Parameter most: how many coders are kept for each key.
    init(most: Int) { self.most = most }

    /// A coder of the pool, or a new one.
    func take(_ key: Key, make: () -> Coder) -> Coder {
        nonisolated(unsafe) var found: Coder?
        idle.withLock { unsafe found = $0.coders[key]?.popLast() }
        return unsafe found ?? make()
    }

    /// Gives a coder back. The caller keeps no reference to it.
    func give(_ coder: Coder, _ key: Key) {
        nonisolated(unsafe) let coder = coder
        idle.withLock { idle in
            if idle.coders.count > CoderPool.mostKeys { idle.coders = [:] }
            if idle.coders[key, default: []].count < most { unsafe idle.coders[key, default: []].append(coder) }
        }
    }
}

/// The pools of the process.
enum CoderPools {
    static let decoders = CoderPool<AnyItemDecoder>(most: 16)
    static let encoders = CoderPool<ItemEncoder>(most: 16)
}
