@testable import Siltstone

extension StoreFixture {
    /// Writes a segment.
    /// - Parameter records: in the order of the segment; a nil value makes a tombstone.
    @discardableResult
    func makeSegment(
        _ number: UInt64, of identity: StoreIdentity,
        _ records: [(key: String, sequence: SequenceNumber, value: String?)], ranges: [RangeTombstone] = [],
        options: SegmentOptions = SegmentOptions()
    ) throws -> SegmentInfo {
        let opened = try fileSystem.open(file(StoreFile.segment(number).name), .createNew)
        let writer = try SegmentWriter(file: opened, number: number, store: identity, options: options)
        for record in records {
            let kind: RecordKind = record.value == nil ? .tombstone : .value
            let owned = OwnedRecord(Array(record.key.utf8), Array((record.value ?? "").utf8), record.sequence, kind)
            try owned.withRecord { record throws(StoreError) in try writer.append(record) }
        }
        writer.append(rangeTombstones: ranges)
        return try writer.finish()
    }
}
