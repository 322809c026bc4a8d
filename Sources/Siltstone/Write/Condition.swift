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

extension Engine {
    /// Evaluates a condition by what is visible now. Not under the write lock, for it may read from disk.
    func gather(_ key: Bytes, _ condition: Condition) throws(StoreError) -> ConditionEvidence {
        while true {
            // Before the view, so that the view has everything up to this number; what it has beyond is looked at as
            // well, and found again by `refresh`.
            let sequence = visible.load(ordering: .acquiring)
            let view = views.current()
            var pin = BlockPin()
            defer { withExtendedLifetime(pin) {} }
            let record = try view.lookup(key, visible: .greatest, pin: &pin)
            // No snapshot keeps the value of a record that is newer than the view: it may be collected by now.
            if let record, record.kind == .pointer, hasMovedOn(from: view, record) { continue }
            return ConditionEvidence(
                holds: try holds(condition, record, view.version), sequence: sequence, version: view.version)
        }
    }

    /// Brings evidence up to date under the write lock: evaluated again only where something has touched the key since.
    func refresh(_ evidence: inout ConditionEvidence, _ key: Bytes, _ condition: Condition) throws(StoreError) {
        if state.pointee.lastSequence == evidence.sequence { return }
        if state.pointee.version === evidence.version, !isTouched(key, after: evidence.sequence) { return }
        evidence = try gather(key, condition)
    }

    /// Whether a change in memory that is newer than `sequence` concerns a key. Under the write lock.
    private func isTouched(_ key: Bytes, after sequence: SequenceNumber) -> Bool {
        func touches(_ table: MemTable) -> Bool {
            (table.newestSequence(of: key) ?? 0) > sequence
                || table.rangeTombstones.newestCovering(key, visible: .greatest) > sequence
        }
        return touches(state.pointee.active.table) || state.pointee.sealed.contains { touches($0.table) }
    }

    private func holds(_ condition: Condition, _ record: Record?, _ version: Version) throws(StoreError) -> Bool {
        switch condition {
        case .present: return record != nil
        case .absent: return record == nil
        case .equals(let expected):
            guard let record else { return false }
            return try withResolvedValue(record, version) { keysEqual($0, expected) }
        }
    }
}
