/// A batch of a log that is about to be taken into a memtable.
///
/// A checksum proves that a frame is as it was written, and not that it was written by an engine in its right mind. So
/// the whole of a batch is looked at before any of it is taken: a batch has an effect as a whole or none, and what a
/// memtable is not made for ends the process.
struct RecoveredBatch {
    /// Bytes that a change takes at least: its kind and two lengths.
    private static let smallestChange = 3

    private let frame: Frame

    /// - Parameter frame: a batch, whose file must outlive this.
    init(_ frame: Frame) { self.frame = frame }

    /// Bytes of its changes.
    var byteCount: Int { frame.payload.count }

    /// How many changes it holds at most, whatever the frame says: memory is made ready for so many before they are
    /// looked at.
    var greatestCount: Int { min(frame.count, frame.payload.count / Self.smallestChange) }

    /// The sequence number of its last change, once it was checked.
    var lastSequence: SequenceNumber { frame.firstSequence &+ UInt64(frame.count) &- 1 }

    /// Checks that the payload is changes and nothing else, as many as the frame says, with keys that can be and sequence
    /// numbers for all of them.
    /// - Complexity: O(changes)
    func check() throws(MalformedChange) {
        guard frame.count > 0, frame.firstSequence > 0, frame.firstSequence <= .greatest,
            UInt64(frame.count) - 1 <= .greatest - frame.firstSequence
        else { throw MalformedChange(offset: 0) }
        var changes = ChangeReader(frame.payload, firstSequence: frame.firstSequence)
        var count = 0
        while let change = try changes.next() {
            count += 1
            let isRange = change.kind == .rangeTombstone
            guard change.key.count <= Limits.keyBytes, !isRange || change.value.count <= Limits.keyBytes else {
                throw MalformedChange(offset: changes.offset)
            }
        }
        guard count == frame.count else { throw MalformedChange(offset: changes.offset) }
    }

    /// Calls `body` with each change, up to the first that is malformed: with all, once the batch was checked.
    func forEach(_ body: (Record) -> Void) {
        let _: Never? = firstResult { change throws(Never) in
            body(change)
            return nil
        }
    }

    /// The first result that `body` gives for a change; nil where it gives none.
    func firstResult<R, E: Error>(_ body: (Record) throws(E) -> R?) throws(E) -> R? {
        var changes = ChangeReader(frame.payload, firstSequence: frame.firstSequence)
        while true {
            let change: Record?
            do throws(MalformedChange) { change = try changes.next() } catch { return nil }
            guard let change else { return nil }
            if let result = try body(change) { return result }
        }
    }
}

extension ChangeSize {
    /// Adds what a batch may need, before it was checked.
    mutating func add(_ batch: RecoveredBatch) {
        keyBytes += batch.byteCount
        count += batch.greatestCount
    }
}
