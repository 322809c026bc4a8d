/// The changes of one commit, encoded as in the log. The change feed holds these records.
final class CommitRecord: Sendable {
    /// The sequence numbers of the first and of the last change.
    let first: SequenceNumber
    let last: SequenceNumber
    /// Nil if the changes take more memory than the feed may use.
    let payload: [UInt8]?

    /// Bytes of memory for each record besides the payload, about.
    private static let overhead = 96

    init(first: SequenceNumber, last: SequenceNumber, payload: [UInt8]?) {
        self.first = first
        self.last = last
        self.payload = payload
    }

    /// Bytes of memory, about.
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

    /// Returns the event for a subscriber to a range; nil if no change is in the range. If the changes were too large
    /// for the feed, they are reported as missed.
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
    /// Nil if the record does not affect `range`.
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
