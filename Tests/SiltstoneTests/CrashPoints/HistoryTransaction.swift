@testable import Siltstone

/// The transactions of a history that is to be crashed.
enum HistoryTransaction {
    private struct Undone: Error {}

    /// What a savepoint undoes: nobody must ever see it.
    private static let undoneKey: [UInt8] = Array("~ undone".utf8)

    /// Commits changes, beside some that are undone.
    static func commit(_ changes: [HistoryChange], _ store: KeyValueStore, _ durability: Durability?) throws {
        try store.transaction(durability: durability) { transaction in
            _ = try transaction.get(undoneKey)
            for change in changes.dropLast() { try change.make(in: transaction) }
            try undo(transaction)
            if let last = changes.last { try last.make(in: transaction) }
        }
    }

    private static func undo(_ transaction: Transaction) throws {
        do {
            try transaction.savepoint {
                try transaction.put(undoneKey, [UInt8](repeating: 1, count: 300))
                try transaction.deleteRange(from: [], to: [0xff])
                throw Undone()
            }
        } catch is Undone {}
    }

    /// Lets changes meet a conflict with a write that leaves the store as it is.
    static func conflict(_ changes: [HistoryChange], _ store: KeyValueStore) throws {
        let transaction = store.begin()
        let key: [UInt8] = Array("key 1".utf8)
        let value = try transaction.get(key)
        for change in changes { try change.make(in: transaction) }
        try transaction.put(undoneKey, [UInt8](repeating: 2, count: 300))
        if let value { try store.put(key, value) } else { try store.delete(key) }
        let code = StoreError.Code.of { try transaction.commit() }
        try BrokenPromise.unless(code == .conflict, "no conflict, but \(code as Any)")
    }
}
