import Siltstone

/// One change of a batch of a ``HistoryStep``.
enum HistoryChange: Sendable {
    case put([UInt8], [UInt8])
    case delete([UInt8])
    case deleteRange([UInt8], [UInt8])

    /// Whether it is the removal of a range without keys.
    var isEmpty: Bool {
        if case .deleteRange(let from, let to) = self { !from.lexicographicallyPrecedes(to) } else { false }
    }

    func apply(to model: inout StoreModel) {
        switch self {
        case .put(let key, let value): model[key] = value
        case .delete(let key): model[key] = nil
        case .deleteRange(let from, let to): model.deleteRange(from, to)
        }
    }

    func add(to batch: inout WriteBatch) {
        switch self {
        case .put(let key, let value): batch.put(key, value)
        case .delete(let key): batch.delete(key)
        case .deleteRange(let from, let to): batch.deleteRange(from: from, to: to)
        }
    }

    func make(in transaction: Transaction) throws {
        switch self {
        case .put(let key, let value): try transaction.put(key, value)
        case .delete(let key): try transaction.delete(key)
        case .deleteRange(let from, let to): try transaction.deleteRange(from: from, to: to)
        }
    }
}

/// One step of a history that is to be crashed.
enum HistoryStep: Sendable {
    case put([UInt8], [UInt8], Durability? = nil)
    case delete([UInt8], Durability? = nil)
    case deleteRange([UInt8], [UInt8], Durability? = nil)
    case write([HistoryChange], Durability? = nil)
    /// A transaction, in which a savepoint undoes some more changes.
    case transaction([HistoryChange], Durability? = nil)
    /// A transaction that would make changes, and that another write stops.
    case conflict([HistoryChange])
    case insert([UInt8], [UInt8])
    case replace([UInt8], [UInt8])
    case remove([UInt8])
    case compareAndSet([UInt8], [UInt8]?, [UInt8]?)
    case flush
    case compact
    case sync
    /// Makes a checkpoint, beside the store, of this name.
    case checkpoint(String)
    /// Takes a snapshot, which is compared when it is released.
    case hold
    /// Compares the oldest snapshot, and gives it up.
    case release
    /// Closes the store and opens it again.
    case reopen

    /// Whether the step may change what the store holds.
    var changesData: Bool {
        switch self {
        case .put, .delete, .deleteRange, .write, .transaction, .insert, .replace, .remove, .compareAndSet: true
        case .conflict, .flush, .compact, .sync, .checkpoint, .hold, .release, .reopen: false
        }
    }

    /// Whether the store has promised, once the step has taken effect, that all up to it survives a loss of power. (A
    /// condition that does not hold changes nothing, and so makes nothing durable.)
    func isDurable(_ configuration: Configuration) -> Bool {
        switch self {
        case .put(_, _, let durability), .delete(_, let durability), .deleteRange(_, _, let durability),
            .write(_, let durability):
            (durability ?? configuration.durability) == .synced
        case .transaction(let changes, let durability):
            // One that changes nothing makes nothing durable.
            (durability ?? configuration.durability) == .synced && changes.contains { !$0.isEmpty }
        case .insert, .replace, .remove, .compareAndSet: configuration.durability == .synced
        case .flush, .compact, .sync, .reopen: true
        case .conflict, .checkpoint, .hold, .release: false
        }
    }

    /// What the step makes of what the store holds.
    func apply(to model: inout StoreModel) {
        switch self {
        case .put(let key, let value, _): model[key] = value
        case .delete(let key, _), .remove(let key): model[key] = nil
        case .deleteRange(let from, let to, _): model.deleteRange(from, to)
        case .write(let changes, _), .transaction(let changes, _): for change in changes { change.apply(to: &model) }
        case .insert(let key, let value): if model[key] == nil { model[key] = value }
        case .replace(let key, let value): if model[key] != nil { model[key] = value }
        case .compareAndSet(let key, let expected, let new): if model[key] == expected { model[key] = new }
        case .conflict, .flush, .compact, .sync, .checkpoint, .hold, .release, .reopen: break
        }
    }
}
