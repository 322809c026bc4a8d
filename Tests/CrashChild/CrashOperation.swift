import Siltstone

/// One change of one key, or of a range.
enum CrashChange: Equatable, Sendable {
    case put([UInt8], [UInt8])
    case delete([UInt8])
    case deleteRange([UInt8], [UInt8])
}

/// What a lane does in one step, which a crash leaves done or not done, but never half done.
enum CrashOperation: Equatable, Sendable {
    /// Changes that take effect together; a single one goes in without a batch.
    case write([CrashChange])
    /// A change by the conditional calls, whose condition is known to hold: the lane has the key for itself.
    case conditional(CrashChange)
    /// A transaction on accounts that other lanes use, too.
    case transfer(CrashTransfer)
    case flush
    case compact([UInt8], [UInt8])
    /// A checkpoint in a directory whose name ends in a number.
    case checkpoint(UInt64)

    /// The changes of the lane's keys.
    var changes: [CrashChange] {
        switch self {
        case .write(let changes): changes
        case .conditional(let change): [change]
        case .transfer(let transfer): [transfer.count]
        case .flush, .compact, .checkpoint: []
        }
    }

    /// A condition that did not hold, although nobody else touches the key: the store has lost or invented something.
    struct ConditionFailed: Error {
        var operation: CrashOperation
    }

    /// Does it; returns when the store has acknowledged it.
    /// - Parameter checkpoints: the path of a checkpoint, but for its number.
    func perform(on store: KeyValueStore, checkpoints: String) throws {
        switch self {
        case .write(let changes): try write(changes, to: store)
        case .conditional(let change): try performConditionally(change, on: store)
        case .transfer(let transfer): try transfer.perform(on: store)
        case .flush: try store.flush()
        case .compact(let from, let to): try store.compact(from: from, to: to)
        case .checkpoint(let number): try store.checkpoint(to: checkpoints + String(number))
        }
    }

    private func write(_ changes: [CrashChange], to store: KeyValueStore) throws {
        if changes.count == 1 {
            switch changes[0] {
            case .put(let key, let value): try store.put(key, value)
            case .delete(let key): try store.delete(key)
            case .deleteRange(let from, let to): try store.deleteRange(from: from, to: to)
            }
            return
        }
        var batch = WriteBatch()
        for change in changes {
            switch change {
            case .put(let key, let value): batch.put(key, value)
            case .delete(let key): batch.delete(key)
            case .deleteRange(let from, let to): batch.deleteRange(from: from, to: to)
            }
        }
        try store.write(batch)
    }

    private func performConditionally(_ change: CrashChange, on store: KeyValueStore) throws {
        let held =
            switch change {
            case .put(let key, let value):
                try store.contains(key) ? store.replace(key, value) : store.insert(key, value)
            case .delete(let key): try store.remove(key)
            case .deleteRange: false
            }
        if !held { throw ConditionFailed(operation: self) }
    }
}
