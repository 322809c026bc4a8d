extension ReadPath {
    /// Runs `body` with the value of a record. Fetches the value from its value file if the record holds a pointer.
    /// - Parameter note: gets the value file, after the read has mapped it if needed. Not called for other values.
    func withResolvedValue<R>(
        _ record: Record, _ version: Version, noting note: (ValueFileReader) -> Void = { _ in },
        _ body: (Bytes) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        guard record.kind == .pointer else { return try body(record.value) }
        guard let pointer = ValuePointer(record.value) else {
            throw .corrupt("a record's value pointer is malformed", file: directory.path)
        }
        // The value file is listed by this version, or by a newer one if the record comes from a memtable.
        let file = version.valueFiles[pointer.file] ?? superVersions.current().version.valueFiles[pointer.file]
        guard let file else {
            throw .corrupt(
                "the value file is not part of the store", file: directory.path(of: .values(pointer.file)),
                offset: Int(clamping: pointer.offset))
        }
        return try file.withValue(pointer, key: record.key) { value throws(StoreError) in
            // `withValue` may have mapped the file, so `note` runs after that.
            note(file)
            return try body(value)
        }
    }
}
