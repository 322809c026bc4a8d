import Synchronization

/// Idle coders, by type and structure. A coder keeps its structure alive, so that no other structure gets the same
/// identity. Creating a coder takes microseconds, a row some hundred nanoseconds: without a pool, statements of one row
/// would mostly create coders.
final class CoderPool<Coder: AnyObject>: Sendable {
    /// The type and the structure of a coder.
    struct Key: Hashable {
        let type: ObjectIdentifier
        let structure: ObjectIdentifier
    }

    /// Coders without other references, which may therefore move between threads.
    private struct Idle: @unchecked Sendable {
        var coders: [Key: [Coder]] = [:]
        /// The coder given back last: the next statement usually wants it.
        var recent: (key: Key, coder: Coder)?

        mutating func take(_ key: Key) -> Coder? {
            guard let recent, recent.key == key else { return coders[key]?.popLast() }
            self.recent = nil
            return recent.coder
        }

        mutating func give(_ coder: Coder, _ key: Key, most: Int) {
            if let recent, recent.key == key { return keep(coder, key, most: most) }
            if let recent { keep(recent.coder, recent.key, most: most) }
            recent = (key, coder)
        }

        private mutating func keep(_ coder: Coder, _ key: Key, most: Int) {
            if coders.count > CoderPool.mostKeys { coders = [:] }
            if coders[key, default: []].count < most { coders[key, default: []].append(coder) }
        }
    }

    private let idle = Mutex(Idle())
    private let most: Int
    /// The maximum number of keys. Types have few structures; this bounds the coders of transient structures.
    private static var mostKeys: Int { 1000 }

    /// - Parameter most: the maximum number of idle coders for each key.
    init(most: Int) { self.most = most }

    /// Removes a coder from the pool, or creates one.
    func take(_ key: Key, make: () -> Coder) -> Coder {
        nonisolated(unsafe) var found: Coder?
        idle.withLock { unsafe found = $0.take(key) }
        return unsafe found ?? make()
    }

    /// Returns a coder to the pool. The caller must keep no reference to it.
    func give(_ coder: Coder, _ key: Key) {
        nonisolated(unsafe) let coder = coder
        idle.withLock { unsafe $0.give(coder, key, most: most) }
    }
}

/// The pools of the process.
enum CoderPools {
    static let decoders = CoderPool<AnyItemDecoder>(most: 16)
    static let encoders = CoderPool<ItemEncoder>(most: 16)
}
