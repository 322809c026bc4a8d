/// One committed change of a key, or of a range of keys.
public struct Change: Sendable, Hashable {
    /// What the change did.
    public enum Operation: Sendable, Hashable {
        /// The key has this value.
        case put([UInt8])
        /// The key has a value of so many bytes, at least ``Configuration/largeValueBytes``. The feed does not carry it:
        /// read it from the store.
        case putLarge(byteCount: Int)
        /// The key was removed.
        case delete
        /// All keys from the change's key up to, not including, `to` were removed.
        case deleteRange(to: [UInt8])
    }

    /// The number of the change in the store's history.
    public let sequence: UInt64
    /// The key, or the first key of the range.
    public let key: [UInt8]
    /// What the change did.
    public let operation: Operation
}

/// An element of a feed of changes.
public enum ChangeEvent: Sendable, Hashable {
    /// Changes that took effect together: of a write, a batch or a transaction. In the order in which they were made;
    /// only those that concern the subscriber's range.
    /// - `through`: the number of the commit's last change. A feed that begins with `since: through` goes on behind it.
    case commit([Change], through: UInt64)
    /// The changes with these numbers are lost for this subscriber: it was too slow, or the logs do not hold them any
    /// more. Read the store anew.
    case missed(from: UInt64, through: UInt64)
}
