/// An unowned reference to an object that a store keeps; nil once the store is gone.
///
/// A weak reference measured slower, because an object that has one counts its references in a side table, which adds
/// some tens of nanoseconds to every read and every write.
final class OwnerReference<Owner: AnyObject & Sendable>: Sendable {
    private let owner = Locked<Borrowed<Owner>?>(nil, rank: .leaf)

    func set(_ owner: Owner) { self.owner.withLock { $0 = Borrowed(owner) } }

    /// Clears the reference. The store calls this at its end, while it still keeps the object.
    func clear() { owner.withLock { $0 = nil } }

    /// The object, retained; nil once its store is gone.
    var value: Owner? {
        // Retained under the lock, before ``clear()`` can go on.
        owner.withLock { $0?.object }
    }
}
