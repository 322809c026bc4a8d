extension KeyValueStore {
    /// The committed changes of keys in `[from, to)`, in commit order, as an asynchronous sequence.
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
    /// A change appears once reads see it. It may not be durable yet: after a loss of power, a change that was written as
    /// ``Durability/buffered``, or whose sync was under way, may have appeared in a feed and be gone.
    ///
    /// The feed keeps the newest commits in memory, ``Configuration/changeFeedBytes`` in all. A subscriber that falls
    /// further behind gets ``ChangeEvent/missed(from:through:)``; no writer waits for it. While nobody listens, a feed costs
    /// a write one load.
    /// - Parameters:
    ///   - from: the first key; nil for the beginning.
    ///   - to: the first key behind the range; nil for the end.
    ///   - since: a sequence number behind which to begin, from an earlier event, a write or a snapshot; nil for now. The
    ///     logs hold the changes that no flush has written to a segment yet; what they do not hold any more is reported as
    ///     missed. So are numbers that the store has not reached: a loss of power has taken those changes, and the next ones
    ///     get their numbers. Once the store has reached the number again, nothing tells of that loss: who must be certain
    ///     reads the store anew after a loss of power.
    /// - Throws: ``StoreError`` where the store is closed, or a log cannot be opened.
    public func changes(
        from: [UInt8]? = nil, to: [UInt8]? = nil, since: UInt64? = nil
    ) throws(StoreError) -> ChangeSequence {
        ChangeSequence(subscription: try ChangeSubscription(self, KeyRange(from: from, to: to), since: since))
    }

    /// The committed changes of keys that begin with `prefix`; see ``changes(from:to:since:)``.
    public func changes(prefix: some Collection<UInt8>, since: UInt64? = nil) throws(StoreError) -> ChangeSequence {
        let prefix = Array(prefix)
        return try changes(from: prefix, to: KeyRange.successor(ofPrefix: prefix), since: since)
    }

    /// Calls `body` with the committed changes of keys in `[from, to)`, in commit order, on a queue of its own.
    /// - Parameters:
    ///   - from: the first key; nil for the beginning.
    ///   - to: the first key behind the range; nil for the end.
    ///   - since: as of ``changes(from:to:since:)``.
    ///   - body: gets each event; a failure is the last one, and comes from reading the logs.
    /// - Returns: the observation, which ends with its last reference.
    /// - Throws: ``StoreError`` where the store is closed, or a log cannot be opened.
    public func observeChanges(
        from: [UInt8]? = nil, to: [UInt8]? = nil, since: UInt64? = nil,
        _ body: @escaping @Sendable (Result<ChangeEvent, StoreError>) -> Void
    ) throws(StoreError) -> ChangeObservation {
        let range = KeyRange(from: from, to: to)
        return ChangeObservation(try ChangeSubscription(self, range, since: since), body)
    }

    /// Calls `body` with the committed changes of keys that begin with `prefix`; see
    /// ``observeChanges(from:to:since:_:)``.
    public func observeChanges(
        prefix: some Collection<UInt8>, since: UInt64? = nil,
        _ body: @escaping @Sendable (Result<ChangeEvent, StoreError>) -> Void
    ) throws(StoreError) -> ChangeObservation {
        let prefix = Array(prefix)
        return try observeChanges(from: prefix, to: KeyRange.successor(ofPrefix: prefix), since: since, body)
    }
}
