extension ReadPath {
    /// Runs `body` with a record's value, which is fetched from its value file where it lies there.
    /// - Parameter note: gets that file, once it is mapped.
    func withResolvedValue<R>(
        _ record: Record, _ version: Version, noting note: (ValueFileReader) -> Void = { _ in },
        _ body: (Bytes) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        guard record.kind == .pointer else { return try body(record.value) }
        guard let pointer = ValuePointer(record.value) else {
            throw .corrupt("a record's value pointer is malformed", file: directory.path)
        }
        // Of the version, or a newer one, which records in memory may refer to.
        let file = version.valueFiles[pointer.file] ?? superVersions.current().version.valueFiles[pointer.file]
        guard let file else {
            throw .corrupt(
                "the value file is not part of the store", file: directory.path(of: .values(pointer.file)),
                offset: Int(clamping: pointer.offset))
        }
        return try file.withValue(pointer, key: record.key) { value throws(StoreError) in
            // The look at the value may have mapped the file.
            note(file)
            return try body(value)
        }
    }
}
