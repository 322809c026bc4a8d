/// The writes of a transaction as a source of a merge: one record for each key, in key order, with ascending sequence
/// numbers.
final class WriteBufferSource: RecordSource {
    private let writes: WriteBuffer
    private let place: HeapCell<SortedWrites.Place>
    /// The number of the next record.
    private let sequence: HeapCell<SequenceNumber>
    /// Values of at least this many bytes are moved.
    private let largeValueBytes: Int
    private let move: (_ key: Bytes, _ value: Bytes) throws(StoreError) -> ValuePointer
    /// Room for the pointers of one batch.
    private let pointers = HeapBytes(count: RecordSource.greatestBatch * ValuePointer.size)

    override var recordCount: Int { writes.writes.count }

    /// - Parameters:
    ///   - writes: sealed (``WriteBuffer/seal()``).
    ///   - first: the number of the first record.
    ///   - move: writes a large value to a value file.
    init(
        _ writes: WriteBuffer, first: SequenceNumber, largeValueBytes: Int,
        move: @escaping (_ key: Bytes, _ value: Bytes) throws(StoreError) -> ValuePointer
    ) {
        self.writes = writes
        place = HeapCell(SortedWrites.Place(piece: 0, index: 0))
        sequence = HeapCell(first)
        self.largeValueBytes = largeValueBytes
        self.move = move
    }

    /// A merge reads the source once, from its start.
    override func position(_ key: Bytes?, _ direction: ScanDirection, reading count: Int) throws(StoreError) {
        assert(key == nil && direction == .forward)
    }

    override func fill(
        limit: Int, _ direction: ScanDirection, visible: SequenceNumber?, numbered: Bool
    ) throws(StoreError) {
        try writes.batch.withPayload { payload throws(StoreError) in
            for index in 0..<limit {
                guard let write = writes.writes[place.value] else { return }
                var record = Record(
                    key: write.key(in: payload), value: write.value(in: payload), sequence: sequence.value,
                    kind: write.isDeletion ? .tombstone : .value)
                if record.kind == .value, record.value.count >= largeValueBytes {
                    let room = pointers.buffer[index * ValuePointer.size..<(index + 1) * ValuePointer.size]
                    try move(record.key, record.value).write(to: room)
                    record.value = room.bytes
                    record.kind = .pointer
                }
                batch.value.append(record)
                place.value = writes.writes.place(after: place.value)
                sequence.value += 1
            }
        }
    }
}
