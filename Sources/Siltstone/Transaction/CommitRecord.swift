/// The changes of one commit as a feed keeps them: encoded as in the log.
final class CommitRecord: Sendable {
    let first: SequenceNumber
    let last: SequenceNumber
    /// Nil where the changes take more memory than the feed may.
    let payload: [UInt8]?

    /// Bytes of memory besides the payload.
    private static let overhead = 96

    init(first: SequenceNumber, last: SequenceNumber, payload: [UInt8]?) {
        self.first = first
        self.last = last
        self.payload = payload
    }

    var byteCount: Int { Self.overhead + (payload?.count ?? 0) }

    /// Calls `body` with each change.
    func forEachChange(_ body: (Record) -> Void) throws(StoreError) {
        guard let payload else { return }
        try withContiguousBytes(payload) { bytes throws(StoreError) in
            var changes = ChangeReader(bytes, firstSequence: first)
            do throws(MalformedChange) {
                while let change = try changes.next() { body(change) }
            } catch {
                throw StoreError(.corrupt, "a commit holds no change at byte \(error.offset) of its payload")
            }
        }
    }

    /// The event for a subscriber to a range; nil where no change concerns it.
    func event(in range: KeyRange) throws(StoreError) -> ChangeEvent? {
        if payload == nil { return .missed(from: first, through: last) }
        var changes: [Change] = []
        try forEachChange { record in
            if let change = Change(record, in: range) { changes.append(change) }
        }
        return changes.isEmpty ? nil : .commit(changes, through: last)
    }
}

extension Change {
    /// Nil where the record does not concern `range`.
    fileprivate init?(_ record: Record, in range: KeyRange) {
        if record.kind == .rangeTombstone {
            guard range.overlaps([UInt8](record.key), [UInt8](record.value)) else { return nil }
        } else if !range.contains(record.key) {
            return nil
        }
        let operation: Operation =
            switch record.kind {
            case .value: .put([UInt8](record.value))
            case .pointer: .putLarge(byteCount: ValuePointer(record.value).map { Int($0.length) } ?? 0)
            case .tombstone: .delete
            case .rangeTombstone: .deleteRange(to: [UInt8](record.value))
            }
        self.init(sequence: record.sequence, key: [UInt8](record.key), operation: operation)
    }
}
