import Synchronization

/// The key of the last row inserted by SQL, for each engine: `last_insert_rowid()`.
enum LastInsertID {
    private struct Entry {
        weak var engine: (any TableEngine)?
        var number: Int64
    }

    private static let entries = Mutex<[Entry]>([])

    /// The key; 0 before the first INSERT.
    static func of(_ engine: any TableEngine) -> Int64 {
        entries.withLock { entries in entries.first { $0.engine === engine }?.number ?? 0 }
    }

    static func set(_ number: Int64, of engine: any TableEngine) {
        entries.withLock { entries in
            entries.removeAll { $0.engine == nil || $0.engine === engine }
            entries.append(Entry(engine: engine, number: number))
        }
    }
}
