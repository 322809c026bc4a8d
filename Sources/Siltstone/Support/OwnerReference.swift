/// Leads to an owner for as long as its store is there, and does not keep it.
///
/// A weak reference would do, but for its price: an object that has one counts its references in a side table, which makes
/// every read and every write some tens of nanoseconds slower.
final class OwnerReference<Owner: AnyObject & Sendable>: Sendable {
    private let owner = Locked<Borrowed<Owner>?>(nil, rank: .leaf)

    func set(_ owner: Owner) { self.owner.withLock { $0 = Borrowed(owner) } }

    /// Called while somebody keeps the owner, for the last time: by the store when it goes.
    func clear() { owner.withLock { $0 = nil } }

    /// The owner, if its store is still there.
    var value: Owner? {
        // Retained under the lock, before whoever clears can go on.
        owner.withLock { $0?.object }
    }
}
