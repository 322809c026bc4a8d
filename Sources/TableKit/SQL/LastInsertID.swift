import Synchronization

/// The key of the last row inserted by SQL, for each engine: `last_insert_rowid()`.
enum LastInsertID {
    private struct Entry {
        weak var engine: (any TableEngine)?
        var number: Int64
    }

    private static let entries = Mutex<[Entry]>([])

    // The engines that are read from entries outlive the lock. Otherwise the release of a last reference could close a
    // store under it.

    /// The key; 0 before the first INSERT.
    static func of(_ engine: any TableEngine) -> Int64 {
        let (engines, number) = entries.withLock { entries in
            let engines = entries.map(\.engine)
            return (engines, engines.firstIndex { $0 === engine }.map { entries[$0].number } ?? 0)
        }
        return withExtendedLifetime(engines) { number }
    }

    static func set(_ number: Int64, of engine: any TableEngine) {
        let engines = entries.withLock { entries in
            let engines = entries.map(\.engine)
            entries = zip(entries, engines).filter { $1 != nil && $1 !== engine }.map(\.0)
            entries.append(Entry(engine: engine, number: number))
            return engines
        }
        withExtendedLifetime(engines) {}
    }
}
