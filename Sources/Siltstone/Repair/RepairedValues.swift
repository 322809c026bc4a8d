/// The value files of a store under repair. Finds out which values are intact, and moves those whose file cannot be
/// kept.
///
/// Each value has a checksum of its own, so values can be verified without the header of their file. The engine refuses
/// to open a file with a damaged header. The repair copies the values of such files to one new file.
final class RepairedValues {
    /// All value files, by number. A file does not stay in place if its header is damaged or names another store.
    private var files: [UInt64: (reader: ValueFileReader, staysInPlace: Bool)] = [:]
    private let makeWriter: () throws(StoreError) -> ValueFileWriter
    /// The writer of the new file; nil until the first value is moved.
    private var writer: ValueFileWriter?
    /// Holds the pointer of the last moved value, which ``kept(_:)`` returns.
    private let scratch = MutableBytes.allocate(byteCount: ValuePointer.size, alignment: 8)

    /// - Parameter makeWriter: creates the new file, when the first value is moved.
    init(makeWriter: @escaping () throws(StoreError) -> ValueFileWriter) { self.makeWriter = makeWriter }

    deinit { scratch.deallocate() }

    /// Adds a file.
    /// - Parameter staysInPlace: true if the repaired store can use the file as it is.
    func add(_ file: ValueFileReader, staysInPlace: Bool) {
        files[file.number] = (file, staysInPlace)
    }

    /// True if every value file to which a segment refers is present and stays in place.
    func canStay(_ uses: [SegmentInfo.ValueFileUse]) -> Bool {
        uses.allSatisfy { files[$0.file]?.staysInPlace ?? false }
    }

    /// The record for the repaired store, with a new pointer if its value was moved; nil if its value is lost.
    /// - Returns: a record that is valid until the next call.
    /// - Throws: ``StoreError`` if a value cannot be read because of an I/O error, or cannot be moved.
    func kept(_ record: Record) throws(StoreError) -> Record? {
        guard record.kind == .pointer else { return record }
        guard let pointer = ValuePointer(record.value), let file = files[pointer.file] else { return nil }
        var pin = BlockPin()
        defer { withExtendedLifetime(pin) {} }
        // The caller reports the loss under the file that holds the record.
        guard let value = try StoreError.unlessDamaged(file.reader.read(pointer, key: record.key, pin: &pin)) else {
            return nil
        }
        if file.staysInPlace { return record }
        if writer == nil { writer = try makeWriter() }
        try writer?.append(key: record.key, value: value, sequence: record.sequence).write(to: scratch)
        var moved = record
        moved.value = scratch.bytes
        return moved
    }

    /// Syncs the moved values.
    func finish() throws(StoreError) { try writer?.sync() }
}

extension StoreRepair {
    /// Opens all value files, including those that the manifest does not name, because the manifest may have lost its
    /// end.
    mutating func openValueFiles(_ present: Set<StoreFile>) throws(StoreError) -> RepairedValues {
        let (newNumber, fileSystem, identity, made) = (takeNumber(), fileSystem, identity, made)
        let newPath = path(.values(newNumber))
        let values = RepairedValues { () throws(StoreError) in
            made.files.append(.values(newNumber))
            let file = try storeErrors(retrying(fileSystem.open(newPath, .createNew)))
            return try ValueFileWriter(file: file, number: newNumber, store: identity, isBuffered: true)
        }
        for number in present.numbers(of: .values) {
            let file = StoreFile.values(number)
            // Values are also taken from a foreign file, because a damaged header can look like that of another store.
            // If the file really is another store's, the checksums in this store's pointers match none of its values.
            let fault = try headerFault(of: file)
            if let (error, _) = fault { lose(file, error.offset, error.message) }
            let isDamaged = fault != nil
            let reader = try ValueFileReader(
                fileSystem: fileSystem, path: path(file), number: number, store: identity, access: .read,
                ignoresHeader: isDamaged)
            // It is unknown which values were synced: after a failed sync they may be in the kernel's page cache only.
            // So the file is opened again for writing, and header and values are rewritten and synced. A file with a
            // damaged header is never written to.
            if !isDamaged { try reader.sync(rewritingFrom: FileHeader.size) }
            values.add(reader, staysInPlace: !isDamaged)
        }
        for number in known.valueFiles.sorted() where !present.contains(.values(number)) {
            lose(.values(number), nil, "the file is missing, with the values in it")
        }
        return values
    }
}
