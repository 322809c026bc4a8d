/// The value file that a scan has read last, if it is mapped.
///
/// The next value of a scan is most often in the same file. Finding it here takes a fraction of the time that the
/// lookup of the file in the version and of the mapping in the file's reader takes.
struct RecentValueFile {
    /// The file's number; 0 before the first file.
    private var number: UInt64 = 0
    /// Nil if the file is not mapped.
    private var mapping: ValueMapping?

    /// The record whose value is prefetched is this many records after the returned one.
    static let distance = 4

    /// Returns the value of a pointer record, if it is in this file and has passed its checksum.
    /// - Parameter later: a record that the scan will return later. The start of its value is prefetched.
    /// - Returns: the value, and the mapping that keeps it valid.
    @inline(__always)
    func value(of record: Record, before later: RecordPlace?) -> (value: Bytes, mapping: ValueMapping)? {
        guard let mapping else { return nil }
        if let later, let pointer = pointer(of: later.record) { mapping.prefetch(pointer) }
        guard let pointer = pointer(of: record), let value = mapping.knownValue(pointer, key: record.key) else {
            return nil
        }
        return (value, mapping)
    }

    /// Returns the pointer in a record, if it refers to this file.
    @inline(__always)
    private func pointer(of record: Record) -> ValuePointer? {
        guard record.kind == .pointer, let pointer = ValuePointer(record.value), pointer.file == number else {
            return nil
        }
        return pointer
    }

    /// Switches to a value file, with the mapping that it has now.
    mutating func enter(_ file: ValueFileReader) {
        number = file.number
        mapping = file.currentMapping
    }
}
