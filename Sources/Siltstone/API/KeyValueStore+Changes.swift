extension KeyValueStore {
    /// Returns the committed changes of keys in `[from, to)`, in commit order, as an asynchronous sequence.
    ///
    /// ```swift
    /// for try await event in try store.changes(prefix: "user:".utf8) {
    ///     switch event {
    ///     case .commit(let changes, _): for change in changes { refresh(change.key) }
    ///     case .missed: refreshEverything()
    ///     }
    /// }
    /// ```
    ///
    /// A change is delivered as soon as reads can see it. It may not be durable yet: a power loss can remove a change
    /// that was delivered, if it was written as ``Durability/buffered`` or if its sync was still in progress.
    ///
    /// The feed keeps the newest commits in memory, up to ``Configuration/changeFeedBytes`` in total. A subscriber that
    /// falls further behind gets ``ChangeEvent/missed(from:through:)``. Writers never wait until a subscriber has read.
    /// While there is no subscriber, the feed costs each write one load from memory.
    /// - Parameters:
    ///   - from: the first key; nil for the smallest.
    ///   - to: the first key after the range; nil for no upper bound.
    ///   - since: a sequence number from an earlier event, a write or a snapshot; the first change is the one after it.
    ///     Nil starts with the next change. The logs hold the changes that were not flushed to a segment yet; older
    ///     changes are reported as missed. If the number is beyond the store's last one, the store has lost changes: by a
    ///     power loss, by a repair, or because it is an older copy. They are reported as missed too. New changes reuse
    ///     their numbers, so once the store has passed `since` again, the loss cannot be detected. A subscriber that must
    ///     be certain reads the store again after such an event.
    /// - Throws: ``StoreError`` if the store is closed, or a log cannot be opened.
    public func changes(
        from: [UInt8]? = nil, to: [UInt8]? = nil, since: UInt64? = nil
    ) throws(StoreError) -> ChangeSequence {
        ChangeSequence(subscription: try ChangeSubscription(self, KeyRange(from: from, to: to), since: since))
    }

    /// Returns the committed changes of keys that start with `prefix`; see ``changes(from:to:since:)``.
    public func changes(prefix: some Collection<UInt8>, since: UInt64? = nil) throws(StoreError) -> ChangeSequence {
        ChangeSequence(subscription: try ChangeSubscription(self, KeyRange(prefix: prefix), since: since))
    }

    /// Calls `body` with the committed changes of keys in `[from, to)`, in commit order, on the observation's own
    /// queue.
    /// - Parameters:
    ///   - from: the first key; nil for the smallest.
    ///   - to: the first key after the range; nil for no upper bound.
    ///   - since: see ``changes(from:to:since:)``.
    ///   - body: gets each event. A failure is always the last call, and comes from reading the logs.
    /// - Returns: the observation, which ends when its last reference is released.
    /// - Throws: ``StoreError`` if the store is closed, or a log cannot be opened.
    public func observeChanges(
        from: [UInt8]? = nil, to: [UInt8]? = nil, since: UInt64? = nil,
        _ body: @escaping @Sendable (Result<ChangeEvent, StoreError>) -> Void
    ) throws(StoreError) -> ChangeObservation {
        let range = KeyRange(from: from, to: to)
        return ChangeObservation(try ChangeSubscription(self, range, since: since), body)
    }

    /// Calls `body` with the committed changes of keys that start with `prefix`; see
    /// ``observeChanges(from:to:since:_:)``.
    public func observeChanges(
        prefix: some Collection<UInt8>, since: UInt64? = nil,
        _ body: @escaping @Sendable (Result<ChangeEvent, StoreError>) -> Void
    ) throws(StoreError) -> ChangeObservation {
        ChangeObservation(try ChangeSubscription(self, KeyRange(prefix: prefix), since: since), body)
    }
}
