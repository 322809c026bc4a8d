/// Thrown for a payload that is not a sequence of changes.
struct MalformedChange: Error, Hashable {
    /// Byte offset in the payload at which the unreadable change starts.
    var offset: Int
}

/// Reads the changes of a batch's payload, and assigns their sequence numbers.
///
/// It checks every length against the remaining bytes, so no payload makes it read outside the payload.
struct ChangeReader {
    private let payload: Bytes
    /// The sequence number of the next change.
    private var sequence: SequenceNumber
    /// Byte offset in the payload of the next change.
    private(set) var offset = 0

    /// Creates a reader before the first change.
    /// - Parameters:
    ///   - payload: the changes. It must outlive the records that are read.
    ///   - firstSequence: the sequence number of the first change.
    init(_ payload: Bytes, firstSequence: SequenceNumber) {
        self.payload = payload
        sequence = firstSequence
    }

    /// Reads the next change, as a record that borrows from the payload; nil after the last change.
    /// - Throws: ``MalformedChange``, again for every further call.
    @inline(__always)
    mutating func next() throws(MalformedChange) -> Record? {
        guard offset < payload.count else { return nil }
        var position = offset &+ 1
        guard let kind = RecordKind(rawValue: payload[offset]),
            let keyLength = Varint.read(payload, at: &position).flatMap({ Int(exactly: $0) }),
            let valueLength = Varint.read(payload, at: &position).flatMap({ Int(exactly: $0) }),
            let key = payload.slice(position, keyLength),
            let value = payload.slice(position &+ keyLength, valueLength),
            Self.isValidLength(kind, valueLength)
        else { throw MalformedChange(offset: offset) }
        offset = position &+ keyLength &+ valueLength
        defer { sequence &+= 1 }
        return Record(key: key, value: value, sequence: sequence, kind: kind)
    }

    /// Returns true if a value of this length is possible in a change of a kind.
    @inline(__always)
    private static func isValidLength(_ kind: RecordKind, _ valueLength: Int) -> Bool {
        switch kind {
        // The value of a range tombstone is the end of its range.
        case .value, .rangeTombstone: true
        case .tombstone: valueLength == 0
        case .pointer: valueLength == ValuePointer.size
        }
    }
}
