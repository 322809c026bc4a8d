/// One committed change of a key, or of a range of keys.
public struct Change: Sendable, Hashable {
    /// What the change did.
    public enum Operation: Sendable, Hashable {
        /// The key was set to this value.
        case put([UInt8])
        /// The key was set to a large value of this many bytes, at least the ``Configuration/largeValueBytes`` of the
        /// time of the write. The feed does not contain the value: read it from the store.
        case putLarge(byteCount: Int)
        /// The key was removed.
        case delete
        /// All keys from the change's key up to, but excluding, `to` were removed. The range is not cut to that of the
        /// subscriber.
        case deleteRange(to: [UInt8])
    }

    /// The sequence number of the change.
    public let sequence: UInt64
    /// The key, or the first key of the range.
    public let key: [UInt8]
    /// What the change did.
    public let operation: Operation
}

/// An element of a change feed.
public enum ChangeEvent: Sendable, Hashable {
    /// The changes of one write, batch or transaction, which took effect together. They are in the order in which they
    /// were made, and only those in the subscriber's range are included.
    /// - `through`: the sequence number of the commit's last change. A feed with `since: through` continues after this
    ///   commit.
    case commit([Change], through: UInt64)
    /// The changes with these sequence numbers, both inclusive, are lost for this subscriber. It was too slow, the logs
    /// no longer hold them, one commit was larger than the feed, or a power loss has removed them from the store. They
    /// may all be outside the subscriber's range. Read the store again.
    case missed(from: UInt64, through: UInt64)
}
