/// Iterates over the records of a value file in order, for verification and repair. After damage it resumes at the next
/// offset with a record that passes its checksum.
struct ValueFileScanner {
    /// An item of a scan.
    enum Item {
        /// A record that has passed its checksum, and its offset. Valid until the next call.
        case record(ValueRecord, offset: Int)
        /// Bytes that are no record.
        case damage(offset: Int, count: Int)
    }

    private let window: FileWindow
    private let number: UInt64
    private var offset = FileHeader.size
    /// Bytes that may still be spent on checksums of false candidates: bytes that look like a record but are none.
    private var budget: Int
    /// True if the search after damage ended because the budget was spent. The rest of the file then counts as damage.
    private(set) var hasGivenUp = false

    /// The budget for false candidates, as a multiple of the file's size. Bytes of a damaged value that are small
    /// numbers look like headers at every offset. Without a limit, the search among them would take a time that is
    /// quadratic in their length.
    private static let effort = 16

    /// Creates a scanner before the first record.
    /// - Parameters:
    ///   - file: open for reading; its header is not checked.
    ///   - number: the number in its name.
    init(_ file: any File, number: UInt64) throws(StoreError) {
        let size = try storeErrors(file.sizeFully())
        window = FileWindow(file, size: size)
        budget = (size + 4096) * Self.effort
        self.number = number
    }

    /// Bytes scanned so far.
    var position: Int { min(offset, window.size) }

    /// Returns the next record or piece of damage; nil at the end of the file.
    /// - Throws: ``StoreError`` if the file cannot be read, or has become shorter (``StoreError/Code/corrupt``).
    mutating func next() throws(StoreError) -> Item? {
        let start = offset
        while offset < window.size, !hasGivenUp {
            if let record = try record(at: offset) {
                if offset > start { return .damage(offset: start, count: offset - start) }
                offset += ValueRecord.size(key: record.key.count, value: record.value.count)
                return .record(record, offset: start)
            }
            offset += ValueRecord.alignment
            try passZeros()
        }
        offset = max(offset, window.size)
        return start < window.size ? .damage(offset: start, count: window.size - start) : nil
    }

    /// Skips zeros, which preallocated space contains. No record has a header of zeros: it has a key, a value, or a
    /// checksum other than zero.
    private mutating func passZeros() throws(StoreError) {
        let page = 4096
        while offset < window.size {
            let count = min(page, window.size - offset)
            guard let bytes = try window.bytes(at: offset, count: count), bytes.isZero(0..<count) else { return }
            // A header may start in the last zeros of a page; after the last page there is none.
            offset += count < page ? count : page - ValueRecord.headerSize
        }
    }

    /// The record at an offset; nil if no valid one starts there. A false candidate is charged to the budget.
    private mutating func record(at offset: Int) throws(StoreError) -> ValueRecord? {
        guard let header = try window.bytes(at: offset, count: ValueRecord.headerSize),
            let (key, value) = ValueRecord.lengths(header), let sequence: UInt64 = header.integer(at: 16),
            sequence <= .greatest, key <= window.size - offset, value <= window.size - offset,
            let bytes = try window.bytes(at: offset, count: ValueRecord.headerSize + key + value),
            let record = ValueRecord(bytes)
        else { return nil }
        if record.isValid(bytes, file: number, offset: offset) { return record }
        budget -= bytes.count
        hasGivenUp = budget < 0
        return nil
    }
}
