/// Computes a segment's properties from its records. The writer stores them, and the verifier must compute the same
/// ones.
struct SegmentSummary {
    /// Bytes of value records that the records refer to, by number of the value file.
    private(set) var uses: [UInt64: Int] = [:]
    /// The properties so far, complete after ``finish(lastKey:rangeTombstones:)``.
    var info: SegmentInfo

    init(number: UInt64) {
        info = SegmentInfo(number: number)
        info.smallestSequence = .max
    }

    /// Adds a record. The first record's key becomes the first key.
    /// - Returns: false if the record is a pointer record and its value is no valid pointer.
    @inline(__always)
    mutating func add(_ record: Record) -> Bool {
        if info.recordCount == 0 { info.firstKey = Array(record.key) }
        info.recordCount &+= 1
        info.userBytes &+= record.key.count &+ record.value.count
        info.smallestSequence = min(info.smallestSequence, record.sequence)
        info.greatestSequence = max(info.greatestSequence, record.sequence)
        if record.kind == .tombstone { info.tombstoneCount &+= 1 }
        return record.kind == .pointer ? addUse(record) : true
    }

    private mutating func addUse(_ record: Record) -> Bool {
        guard let pointer = ValuePointer(record.value) else { return false }
        uses[pointer.file, default: 0] += ValueRecord.size(key: record.key.count, value: Int(pointer.length))
        return true
    }

    /// Adds the last key and the range tombstones, which are known only at the end.
    mutating func finish(lastKey: [UInt8], rangeTombstones: [RangeTombstone]) {
        info.lastKey = lastKey
        info.rangeTombstoneCount = rangeTombstones.count
        for (index, range) in rangeTombstones.enumerated() {
            let isFirst = info.recordCount == 0 && index == 0
            if isFirst || range.start.lexicographicallyPrecedes(info.firstKey) { info.firstKey = range.start }
            if info.lastKey.lexicographicallyPrecedes(range.end) { info.lastKey = range.end }
            info.smallestSequence = min(info.smallestSequence, range.sequence)
            info.greatestSequence = max(info.greatestSequence, range.sequence)
        }
        if info.smallestSequence == .max { info.smallestSequence = 0 }
        info.valueFiles = uses.sorted { $0.key < $1.key }.map { .init(file: $0.key, bytes: $0.value) }
    }
}
