/// A batch of a log, before it is applied to a memtable.
///
/// A checksum proves that a frame is as it was written. It does not prove that a correct engine wrote it. Recovery
/// therefore checks the complete batch before it applies any of it, for two reasons: a batch must be applied completely
/// or not at all, and input that a memtable does not support would end the process.
struct RecoveredBatch {
    /// Bytes of the smallest change: its kind and two lengths.
    private static let smallestChange = 3

    private let frame: Frame

    /// - Parameter frame: a batch frame. Its file must outlive this value.
    init(_ frame: Frame) { self.frame = frame }

    /// Bytes of its changes.
    var byteCount: Int { frame.payload.count }

    /// Upper bound of the number of changes, even if the frame's count is wrong. Memory is allocated for this many
    /// changes before they are checked.
    var greatestCount: Int { min(frame.count, frame.payload.count / Self.smallestChange) }

    /// The sequence number of its last change. Valid only after ``check()``.
    var lastSequence: SequenceNumber { frame.firstSequence &+ UInt64(frame.count) &- 1 }

    /// Checks that the payload consists of as many changes as the frame says, that their keys have valid lengths, and
    /// that there is a valid sequence number for each.
    /// - Throws: ``MalformedChange`` with the offset in the payload, in bytes.
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

    /// Same as ``check()``.
    /// - Parameter path: of the file with the frame, for the error.
    /// - Throws: ``StoreError/Code/corrupt``
    func check(in path: String) throws(StoreError) {
        do throws(MalformedChange) { try check() } catch {
            throw .corrupt(
                "a batch is malformed at byte \(error.offset) of its changes", file: path, offset: frame.offset)
        }
    }

    /// Calls `body` with each change. Stops at the first malformed change, which a checked batch does not have.
    func forEach<E: Error>(_ body: (Record) throws(E) -> Void) throws(E) {
        let _: Never? = try firstResult { change throws(E) in
            try body(change)
            return nil
        }
    }

    /// Calls `body` with each change until it returns a result. Returns that result; nil if there is none.
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
    /// Adds an upper bound of the memory that an unchecked batch needs. Counts values as keys.
    mutating func add(_ batch: RecoveredBatch) {
        keyBytes += batch.byteCount
        count += batch.greatestCount
    }
}
