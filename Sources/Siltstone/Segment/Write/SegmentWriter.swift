/// Writes a segment: records in order, then everything that finds them again (`Docs/Format.md`, "Segments").
///
/// Used by one thread. A segment that was not finished holds nothing that counts.
final class SegmentWriter {
    /// The file's number.
    let number: UInt64
    private let assembly: HeapCell<SegmentAssembly>

    /// - Parameters:
    ///   - file: fresh, empty and writable.
    ///   - number: its number.
    ///   - store: the store that it belongs to.
    /// - Throws: ``StoreError`` where the options make no sense.
    init(
        file: any File, number: UInt64, store: StoreIdentity, options: SegmentOptions
    ) throws(StoreError) {
        self.number = number
        assembly = HeapCell(try SegmentAssembly(file: file, number: number, store: store, options: options))
    }

    /// Bytes of the blocks so far, before compression: what tells when to begin another segment. At most 4 GiB.
    var dataBytes: Int { assembly.value.dataBytes }

    /// Records so far.
    var recordCount: Int { assembly.value.recordCount }

    /// Appends a record. Keys ascend, and for one key sequence numbers descend.
    /// - Throws: ``StoreError/Code/invalidArgument`` where the order or the kind is wrong,
    ///   ``StoreError/Code/tooLarge`` where the segment is full, or the error of the file.
    @inline(__always)
    func append(_ record: Record) throws(StoreError) { try assembly.value.append(record) }

    /// Adds range tombstones, in any order.
    func append(rangeTombstones: [RangeTombstone]) { assembly.value.append(rangeTombstones: rangeTombstones) }

    /// Writes index and metadata, and brings the file to stable storage. Nothing may be appended after it.
    /// - Returns: what the manifest is to say of the segment.
    func finish() throws(StoreError) -> SegmentInfo { try assembly.value.finish() }
}
