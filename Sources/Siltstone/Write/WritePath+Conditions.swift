import Synchronization

/// The condition of a conditional write on the key's current value.
enum Condition {
    case present
    case absent
    /// The value equals these bytes.
    case equals(Bytes)
}

/// The result of evaluating a condition, and the state for which it is valid.
struct ConditionEvidence {
    /// True if the condition held.
    var holds: Bool
    /// The evaluation covers all changes up to this number.
    fileprivate var sequence: SequenceNumber
    /// The version that was read. A flush may have moved changes from a memtable to segments since.
    fileprivate var version: Version
}

extension WritePath {
    /// Evaluates a condition on the newest data, including changes that are in a memtable and not visible yet. Writes
    /// call it before they take the write lock, because it may read from disk. Only ``refresh(_:_:_:_:)`` calls it
    /// under the lock.
    func gather(_ key: Bytes, _ condition: Condition) throws(StoreError) -> ConditionEvidence {
        while true {
            // Loads the number before the super version, which then contains at least all changes up to that number.
            // The evaluation also sees later changes, and `refresh` detects them again.
            let sequence = reads.visible
            let superVersion = reads.superVersions.current()
            var pin = BlockPin()
            defer { withExtendedLifetime(pin) {} }
            let record = try superVersion.lookup(key, visible: .greatest, pin: &pin)
            // No snapshot protects the value of a record that is newer than the super version. It may already be
            // collected, so the loop reads again.
            if let record, record.kind == .pointer, reads.hasMovedOn(from: superVersion, record) { continue }
            return ConditionEvidence(
                holds: try holds(condition, record, superVersion.version), sequence: sequence,
                version: superVersion.version)
        }
    }

    /// Whether ``gather(_:_:)`` reads nothing from the disk. If it would, and files are mapped, this starts its reads.
    func isReady(_ key: Bytes, _ condition: Condition) throws(StoreError) -> Bool {
        // As in a read, the fast path decides first. It takes a tenth of the time of asking the system for each page.
        let pinned = reads.pin(key, at: .greatest)
        guard pinned.isUnclear else {
            reads.unpin(pinned)
            return true
        }
        let superVersion = reads.superVersions.current()
        guard reads.isReady(key, superVersion, .greatest) else { return false }
        guard case .equals = condition else { return true }
        var pin = BlockPin()
        defer { withExtendedLifetime(pin) {} }
        return try superVersion.lookup(key, visible: .greatest, pin: &pin)?.kind != .pointer
    }

    /// Brings a result up to date under the write lock. Evaluates the condition again only if a change may have touched
    /// the key since, or if the version was replaced.
    /// - Parameter waits: ``WaitPolicy/never`` if this must not read from the disk.
    /// - Returns: false if it would have to read from the disk and must not.
    func refresh(
        _ evidence: inout ConditionEvidence, _ key: Bytes, _ condition: Condition, _ waits: WaitPolicy
    ) throws(StoreError) -> Bool {
        if state.lastSequence == evidence.sequence { return true }
        if versions.current === evidence.version, !isTouched(key, after: evidence.sequence) { return true }
        if waits == .never, try !isReady(key, condition) { return false }
        evidence = try gather(key, condition)
        return true
    }

    /// True if a change in memory with a number above `sequence` affects the key. The caller holds the write lock.
    private func isTouched(_ key: Bytes, after sequence: SequenceNumber) -> Bool {
        state.active.table.hasChange(of: key, after: sequence)
            || state.sealed.contains { $0.table.hasChange(of: key, after: sequence) }
    }

    private func holds(_ condition: Condition, _ record: Record?, _ version: Version) throws(StoreError) -> Bool {
        switch condition {
        case .present: return record != nil
        case .absent: return record == nil
        case .equals(let expected):
            guard let record else { return false }
            return try reads.withResolvedValue(record, version) { keysEqual($0, expected) }
        }
    }
}
