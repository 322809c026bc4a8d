/// The part of a value file that a walk has looked into last.
///
/// The next value of a walk most often lies there as well. It is found in a fraction of the time then that it takes to ask the
/// version for the file and the file's reader for its mapping.
struct RecentValueFile {
    private var number: UInt64 = 0
    private var mapping: ValueMapping?

    /// How many records ahead of the one that is handed out values are loaded.
    static let distance = 4

    /// The value of a pointer record, if it lies here and is known to be right.
    /// - Parameter later: a record that will be asked for later: what a look at its value begins with is loaded.
    /// - Returns: the value, and what keeps it.
    @inline(__always)
    func value(of record: Record, before later: RecordPlace?) -> (value: Bytes, keeper: ValueMapping)? {
        guard let mapping else { return nil }
        if let later, let pointer = pointer(of: later.record) { mapping.prefetch(pointer) }
        guard let pointer = pointer(of: record), let value = mapping.knownValue(pointer, key: record.key) else {
            return nil
        }
        return (value, mapping)
    }

    /// Where the value of a record lies, if in this file.
    @inline(__always)
    private func pointer(of record: Record) -> ValuePointer? {
        guard record.kind == .pointer, let pointer = ValuePointer(record.value), pointer.file == number else {
            return nil
        }
        return pointer
    }

    /// Goes to a value file, as far as it is mapped by now.
    mutating func enter(_ file: ValueFileReader) {
        number = file.number
        mapping = file.currentMapping
    }
}
