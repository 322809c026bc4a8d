/// A reference to an owner that does not keep it, and is nil once the owner's store is gone.
///
/// A weak reference measured slower, because an object that has one counts its references in a side table, which adds
/// some tens of nanoseconds to every read and every write.
final class OwnerReference<Owner: AnyObject & Sendable>: Sendable {
    private let owner = Locked<Borrowed<Owner>?>(nil, rank: .leaf)

    func set(_ owner: Owner) { self.owner.withLock { $0 = Borrowed(owner) } }

    /// Clears the reference. The store calls this at its end, while it still keeps the owner.
    func clear() { owner.withLock { $0 = nil } }

    /// The owner, retained; nil once its store is gone.
    var value: Owner? {
        // Retained under the lock, before ``clear()`` can go on.
        owner.withLock { $0?.object }
    }
}
