import Synchronization

/// A mapped value file, as far as it reached when that was last looked at, and which of its records have passed their checksum.
final class ValueMapping: Sendable {
    /// A window has one mark: the place of the record in it that was verified last. Most values that are kept apart
    /// are longer than a window and so have a mark of their own; a bit for every place would take more memory than it
    /// saves time.
    private static let windowShift = 9

    let mapping: any FileMapping
    private let pageCache: PageCache
    private let fetcher: PageFetcher
    /// One for each window: 0, or 1 and the place in the window, in units of ``ValueRecord/alignment``.
    private let marks: AtomicArray<UInt8>
    /// Not asked of the mapping each time.
    private let mapped: Bytes
    private let reach: Atomic<Int>

    /// - Parameters:
    ///   - mapping: may reach past the end of the file.
    ///   - length: bytes that the file has.
    ///   - pageCache: tells whether the store's files fit into memory.
    init(_ mapping: any FileMapping, length: Int, pageCache: PageCache) {
        self.mapping = mapping
        self.pageCache = pageCache
        fetcher = PageFetcher(mapping, length: mapping.memory.count, pageCache: pageCache)
        mapping.expectRandomReads(offset: 0, length: mapping.memory.count)
        mapped = mapping.memory.bytes
        reach = Atomic(min(length, mapped.count))
        marks = AtomicArray(count: mapped.count >> Self.windowShift + 1)
    }

    /// Bytes that the file may grow to without another mapping.
    var capacity: Int { mapped.count }

    /// Bytes that are there.
    var length: Int { reach.load(ordering: .acquiring) }

    /// The bytes that are there.
    var bytes: Bytes { mapped.uncheckedSlice(0, length) }

    /// Notes that the file has grown. By one thread at a time.
    /// - Parameter length: bytes that it has, no more than ``capacity``.
    func grow(to length: Int) { reach.store(max(length, self.length), ordering: .releasing) }

    /// Whether the record at an offset is known to have passed its checksum.
    func isVerified(_ offset: Int) -> Bool {
        marks[offset >> Self.windowShift].load(ordering: .relaxed) == Self.place(offset)
    }

    /// Remembers that the record at an offset has passed its checksum.
    func setVerified(_ offset: Int) {
        marks[offset >> Self.windowShift].store(Self.place(offset), ordering: .relaxed)
    }

    /// Asks the disk for a record that is about to be read.
    /// - Parameter isFirst: whether nothing is known of it yet.
    func fetch(_ offset: Int, _ count: Int, isFirst: Bool) {
        if isFirst {
            fetcher.fetch(first: offset, count)
        } else if pageCache.isTight {
            fetcher.fetch(offset, count)
        }
    }

    /// The value that a pointer leads to, where what lies there has passed its checksum, and is what the pointer means; nil
    /// where that needs a closer look.
    func knownValue(_ pointer: ValuePointer, key: Bytes) -> Bytes? {
        let size = ValueRecord.headerSize + key.count + Int(pointer.length)
        guard let offset = Int(exactly: pointer.offset), offset % ValueRecord.alignment == 0,
            let bytes = bytes.slice(offset, size), isVerified(offset), let record = record(bytes, at: offset),
            record.isMeant(by: pointer, key: key)
        else { return nil }
        return record.value
    }

    @inline(__always)
    private func record(_ bytes: Bytes, at offset: Int) -> ValueRecord? {
        if _slowPath(pageCache.isTight) { fetcher.fetch(offset, bytes.count) }
        return ValueRecord(bytes)
    }

    /// Has the beginning of the record loaded that a pointer leads to, and its mark.
    func prefetch(_ pointer: ValuePointer) {
        guard let offset = Int(exactly: pointer.offset), offset < length else { return }
        Prefetch.twoLines(mapped, at: offset)
        marks.prefetch(offset >> Self.windowShift)
    }

    private static func place(_ offset: Int) -> UInt8 {
        UInt8((offset & ((1 << windowShift) - 1)) / ValueRecord.alignment + 1)
    }
}
