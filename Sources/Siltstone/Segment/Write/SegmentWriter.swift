/// Writes a segment: first the records in order, then the index, metadata and footer (`Docs/Format.md`, "Segments").
///
/// Used by one thread. A file is no valid segment until ``finish()`` has returned.
final class SegmentWriter {
    private let assembly: HeapCell<SegmentAssembly>

    /// - Parameters:
    ///   - file: new, empty and writable.
    ///   - number: the file's number.
    ///   - store: the store that the file belongs to.
    /// - Throws: ``StoreError`` if the options are invalid or the header cannot be written.
    init(
        file: any File, number: UInt64, store: StoreIdentity, options: SegmentOptions
    ) throws(StoreError) {
        assembly = HeapCell(try SegmentAssembly(file: file, number: number, store: store, options: options))
    }

    /// Uncompressed bytes of all blocks so far, at most 4 GiB. Callers use it to decide when to start the next segment.
    var dataBytes: Int { assembly.value.dataBytes }

    /// Appends a record. Keys must ascend, and the sequence numbers of one key must descend.
    /// - Throws: ``StoreError/Code/invalidArgument`` if the order or the kind is invalid, ``StoreError/Code/tooLarge``
    ///   if the segment is full, or the error of the file.
    @inline(__always)
    func append(_ record: Record) throws(StoreError) { try assembly.value.append(record) }

    /// Adds range tombstones, in any order.
    func append(rangeTombstones: [RangeTombstone]) { assembly.value.append(rangeTombstones: rangeTombstones) }

    /// Writes hash index, metadata and footer, and syncs the file. Nothing may be appended afterwards.
    /// - Returns: the manifest's entry for the segment.
    func finish() throws(StoreError) -> SegmentInfo { try assembly.value.finish() }
}
