import Synchronization

/// The part of a value file that was there when it was mapped, and which of its records have passed their checksum.
///
/// `@unchecked Sendable`: the marks are touched only as atomics; everything else is immutable.
final class ValueMapping: @unchecked Sendable {
    /// A window has one mark: the place of the record in it that was verified last. Most values that are kept apart
    /// are longer than a window and so have a mark of their own; a bit for every place would take more memory than it
    /// saves time.
    private static let windowShift = 9

    private let mapping: any FileMapping
    /// One for each window: 0, or 1 and the place in the window, in units of ``ValueRecord/alignment``.
    private let marks: UnsafeMutablePointer<UInt8>
    /// What is mapped. Not asked of the mapping each time.
    let bytes: Bytes

    init(_ mapping: any FileMapping) {
        self.mapping = mapping
        bytes = UnsafeRawBufferPointer(mapping.bytes)
        let count = bytes.count >> Self.windowShift + 1
        marks = .allocate(capacity: count)
        marks.initialize(repeating: 0, count: count)
    }

    deinit { marks.deallocate() }

    /// Bytes mapped.
    var length: Int { bytes.count }

    /// Whether the record at an offset is known to have passed its checksum.
    func isVerified(_ offset: Int) -> Bool { mark(offset).pointee.load(ordering: .relaxed) == Self.place(offset) }

    /// Remembers that the record at an offset has passed its checksum.
    func setVerified(_ offset: Int) { mark(offset).pointee.store(Self.place(offset), ordering: .relaxed) }

    /// The value that a pointer leads to, where what lies there has passed its checksum, and is what the pointer means; nil
    /// where that needs a closer look.
    func knownValue(_ pointer: ValuePointer, key: Bytes) -> Bytes? {
        let size = ValueRecord.headerSize + key.count + Int(pointer.length)
        guard let offset = Int(exactly: pointer.offset), offset % ValueRecord.alignment == 0,
            let bytes = bytes.slice(offset, size), isVerified(offset), let record = ValueRecord(bytes),
            record.isMeant(by: pointer, key: key)
        else { return nil }
        return record.value
    }

    /// Has the beginning of the record loaded that a pointer leads to, and its mark.
    func prefetch(_ pointer: ValuePointer) {
        guard let base = bytes.baseAddress, let offset = Int(exactly: pointer.offset), offset >= 0, offset < length
        else { return }
        Prefetch.twoLines(base + offset)
        Prefetch.line(UnsafeRawPointer(mark(offset)))
    }

    private func mark(_ offset: Int) -> UnsafeMutablePointer<Atomic<UInt8>> {
        // Atomic<UInt8> has the layout of UInt8 (SE-0410).
        UnsafeMutableRawPointer(marks + (offset >> Self.windowShift)).assumingMemoryBound(to: Atomic<UInt8>.self)
    }

    private static func place(_ offset: Int) -> UInt8 {
        UInt8((offset & ((1 << windowShift) - 1)) / ValueRecord.alignment + 1)
    }
}
