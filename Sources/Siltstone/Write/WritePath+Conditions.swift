import Synchronization

/// What a conditional write asks of a key's present value.
enum Condition {
    case present
    case absent
    /// The value is these bytes.
    case equals(Bytes)
}

/// What is known about a condition, and until when that stays true.
struct ConditionEvidence {
    /// Whether the condition held.
    var holds: Bool
    /// All changes up to this number were seen.
    fileprivate var sequence: SequenceNumber
    /// The version that was read; its segments may have replaced a memtable since.
    fileprivate var version: Version
}

extension WritePath {
    /// Evaluates a condition by what is visible now. Not under the write lock, for it may read from disk.
    func gather(_ key: Bytes, _ condition: Condition) throws(StoreError) -> ConditionEvidence {
        while true {
            // Before the super version, so that this has everything up to the number; changes beyond are looked at as
            // well, and found again by `refresh`.
            let sequence = reads.visible.load(ordering: .acquiring)
            let superVersion = reads.superVersions.current()
            var pin = BlockPin()
            defer { withExtendedLifetime(pin) {} }
            let record = try superVersion.lookup(key, visible: .greatest, pin: &pin)
            // No snapshot keeps the value of a record that is newer than the super version: it may be collected by now.
            if let record, record.kind == .pointer, reads.hasMovedOn(from: superVersion, record) { continue }
            return ConditionEvidence(
                holds: try holds(condition, record, superVersion.version), sequence: sequence,
                version: superVersion.version)
        }
    }

    /// Brings evidence up to date under the write lock: evaluated again only where something has touched the key since.
    func refresh(_ evidence: inout ConditionEvidence, _ key: Bytes, _ condition: Condition) throws(StoreError) {
        if state.lastSequence == evidence.sequence { return }
        if versions.current === evidence.version, !isTouched(key, after: evidence.sequence) { return }
        evidence = try gather(key, condition)
    }

    /// Whether a change in memory that is newer than `sequence` concerns a key. Under the write lock.
    private func isTouched(_ key: Bytes, after sequence: SequenceNumber) -> Bool {
        func touches(_ table: MemTable) -> Bool {
            (table.newestSequence(of: key) ?? 0) > sequence
                || table.rangeTombstones.newestCovering(key, visible: .greatest) > sequence
        }
        return touches(state.active.table) || state.sealed.contains { touches($0.table) }
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
