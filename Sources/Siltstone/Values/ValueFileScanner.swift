/// Walks the records of a value file in order, for verification and repair. After damage it goes on at the next
/// place where a record proves itself.
struct ValueFileScanner {
    /// What a scan came upon.
    enum Item {
        /// A record that has passed its checksum, and its offset. Valid until the next call.
        case record(ValueRecord, offset: Int)
        /// Bytes that are no record.
        case damage(offset: Int, count: Int)
    }

    private let window: FileWindow
    private let number: UInt64
    private var offset = FileHeader.size
    /// Bytes that may still be spent on checksums of what looked like a record and was none.
    private var budget: Int
    /// Whether the search behind damage ended because of the budget; the rest of the file then counts as damage.
    private(set) var hasGivenUp = false

    /// How many times over the file may be read in vain. The bytes of a damaged value that are small numbers look like
    /// headers at every place: without a limit the search among them takes a time that is quadratic in their length.
    private static let effort = 16

    /// - Parameters:
    ///   - file: open for reading; its header is not looked at.
    ///   - number: the number in its name.
    init(_ file: any File, number: UInt64) throws(StoreError) {
        let size = try storeErrors { () throws(FileSystemError) in try file.length() }
        window = FileWindow(file, size: size)
        budget = (size + 4096) * Self.effort
        self.number = number
    }

    /// Bytes looked at so far.
    var position: Int { min(offset, window.size) }

    /// The next record or piece of damage; nil at the end of the file.
    /// - Throws: ``StoreError`` where the file cannot be read.
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

    /// Passes zeros, which are what space that was taken ahead holds. No record begins with a header of them: it has a key,
    /// a value, or a checksum other than zero.
    private mutating func passZeros() throws(StoreError) {
        let page = 4096
        while offset < window.size {
            let count = min(page, window.size - offset)
            guard let bytes = try window.bytes(at: offset, count: count), bytes.isZero(0..<count) else { return }
            // A header may begin in the last zeros of a page; behind the last page there is none.
            offset += count < page ? count : page - ValueRecord.headerSize
        }
    }

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
