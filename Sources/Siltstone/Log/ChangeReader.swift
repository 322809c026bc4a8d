/// A payload that is not a sequence of changes.
struct MalformedChange: Error, Hashable {
    /// Where in the payload the change begins that cannot be read, in bytes.
    var offset: Int
}

/// Reads the changes of a batch's payload, and gives them their sequence numbers.
///
/// Every length is checked against what is there, so that no payload can make it read elsewhere.
struct ChangeReader {
    private let payload: Bytes
    private var sequence: SequenceNumber
    private(set) var offset = 0

    /// - Parameters:
    ///   - payload: the changes, which must outlive the records that are read.
    ///   - firstSequence: the sequence number of the first one.
    init(_ payload: Bytes, firstSequence: SequenceNumber) {
        self.payload = payload
        sequence = firstSequence
    }

    /// The next change, as a record that borrows from the payload; nil behind the last one.
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
            Self.isPlausible(kind, valueLength)
        else { throw MalformedChange(offset: offset) }
        offset = position &+ keyLength &+ valueLength
        defer { sequence &+= 1 }
        return Record(key: key, value: value, sequence: sequence, kind: kind)
    }

    @inline(__always)
    private static func isPlausible(_ kind: RecordKind, _ valueLength: Int) -> Bool {
        switch kind {
        case .value, .rangeTombstone: true
        case .tombstone: valueLength == 0
        case .pointer: valueLength == ValuePointer.size
        }
    }
}
