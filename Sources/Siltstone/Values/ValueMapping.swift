import Synchronization

/// A mapped value file, the size that it was last known to have, and marks for records that have passed their checksum.
final class ValueMapping: Sendable {
    /// Binary logarithm of the bytes of a window. Each window has one mark: the position of the record in it that was verified
    /// last. Most values in value files are longer than a window, so each has a mark of its own. A bit for every
    /// position would save little time for much memory.
    private static let windowShift = 9

    let mapping: any FileMapping
    private let pageCache: PageCache
    private let fetcher: PageFetcher
    /// One mark for each window: 0, or 1 plus the position in the window, in units of ``ValueRecord/alignment``.
    private let marks: AtomicArray<UInt8>
    /// The mapping's bytes, kept here so that no access calls the mapping.
    private let mapped: Bytes
    /// See ``length``.
    private let reach: Atomic<Int>

    /// Creates the marks for a mapping.
    /// - Parameters:
    ///   - mapping: may extend past the end of the file.
    ///   - length: bytes of the file.
    ///   - pageCache: says whether the store's files fit into memory.
    init(_ mapping: any FileMapping, length: Int, pageCache: PageCache) {
        self.mapping = mapping
        self.pageCache = pageCache
        fetcher = PageFetcher(mapping, length: mapping.memory.count, pageCache: pageCache)
        mapping.expectRandomReads(offset: 0, length: mapping.memory.count)
        mapped = mapping.memory.bytes
        reach = Atomic(min(length, mapped.count))
        marks = AtomicArray(count: mapped.count >> Self.windowShift + 1)
    }

    /// Size in bytes that the file may reach without a new mapping.
    var capacity: Int { mapped.count }

    /// Size in bytes that the file was last known to have.
    var length: Int { reach.load(ordering: .acquiring) }

    /// The contents of the file up to ``length``.
    var bytes: Bytes { mapped.uncheckedSlice(0, length) }

    /// Records that the file has grown. By one thread at a time.
    /// - Parameter length: bytes of the file, at most ``capacity``.
    func grow(to length: Int) { reach.store(max(length, self.length), ordering: .releasing) }

    /// Returns true if the record at an offset is known to have passed its checksum.
    func isVerified(_ offset: Int) -> Bool {
        marks[offset >> Self.windowShift].load(ordering: .relaxed) == Self.place(offset)
    }

    /// Marks the record at an offset as verified.
    func setVerified(_ offset: Int) {
        marks[offset >> Self.windowShift].store(Self.place(offset), ordering: .relaxed)
    }

    /// Starts reading a record from disk before it is accessed.
    /// - Parameter isFirst: true if the record is not known to have passed its checksum.
    func fetch(_ offset: Int, _ count: Int, isFirst: Bool) {
        if isFirst {
            fetcher.fetchAtFirstUse(offset, count)
        } else if pageCache.isTight {
            fetcher.fetch(offset, count)
        }
    }

    /// Returns the value that a pointer refers to, if its record has passed its checksum and matches the pointer.
    /// Returns nil if only a full read can tell.
    func knownValue(_ pointer: ValuePointer, key: Bytes) -> Bytes? {
        let size = ValueRecord.headerSize + key.count + Int(pointer.length)
        guard let offset = Int(exactly: pointer.offset), offset % ValueRecord.alignment == 0,
            let bytes = bytes.slice(offset, size), isVerified(offset)
        else { return nil }
        if _slowPath(pageCache.isTight) { fetcher.fetch(offset, size) }
        return ValueRecord(bytes).flatMap { $0.isMeant(by: pointer, key: key) ? $0.value : nil }
    }

    /// Prefetches the start of the record that a pointer refers to, and its mark.
    func prefetch(_ pointer: ValuePointer) {
        guard let offset = Int(exactly: pointer.offset), offset < length else { return }
        Prefetch.twoLines(mapped, at: offset)
        marks.prefetch(offset >> Self.windowShift)
    }

    /// The mark of a record at an offset.
    private static func place(_ offset: Int) -> UInt8 {
        UInt8((offset & ((1 << windowShift) - 1)) / ValueRecord.alignment + 1)
    }
}
