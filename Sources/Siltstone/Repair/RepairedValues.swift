/// The value files of a store under repair: which values are there, and a new home for those whose file cannot stay.
///
/// Each value has a checksum that covers its place, so that a file whose header is damaged still has all its values; but
/// no store opens it. They are written anew, to one new file.
final class RepairedValues {
    private var files: [UInt64: ValueFileReader] = [:]
    /// Files that cannot stay as they are.
    private var headless: Set<UInt64> = []
    private let makeWriter: () throws(StoreError) -> ValueFileWriter
    private var writer: ValueFileWriter?
    /// What a moved value's pointer is lent from.
    private let scratch = MutableBytes.allocate(byteCount: ValuePointer.size, alignment: 8)

    /// - Parameter makeWriter: makes the new file, if it is needed.
    init(makeWriter: @escaping () throws(StoreError) -> ValueFileWriter) { self.makeWriter = makeWriter }

    deinit { scratch.deallocate() }

    /// Adds a file.
    /// - Parameter staysInPlace: whether the repaired store can have it as it is.
    func add(_ file: ValueFileReader, staysInPlace: Bool) {
        files[file.number] = file
        if !staysInPlace { headless.insert(file.number) }
    }

    /// Whether every file that a segment refers to is there to stay.
    func canStay(_ uses: [SegmentInfo.ValueFileUse]) -> Bool {
        uses.allSatisfy { files[$0.file] != nil && !headless.contains($0.file) }
    }

    /// The record as the repaired store may have it; nil where its value is gone.
    /// - Returns: what is valid until the next call.
    /// - Throws: ``StoreError`` where a value cannot be read or moved.
    func kept(_ record: Record) throws(StoreError) -> Record? {
        guard record.kind == .pointer else { return record }
        guard let pointer = ValuePointer(record.value), let file = files[pointer.file] else { return nil }
        var pin = BlockPin()
        defer { withExtendedLifetime(pin) {} }
        let value: Bytes
        do throws(StoreError) { value = try file.read(pointer, key: record.key, pin: &pin) } catch {
            guard error.isDamage else { throw error }
            return nil  // which is told with the file that the record is in
        }
        guard headless.contains(pointer.file) else { return record }
        let current: ValueFileWriter
        if let open = writer { current = open } else { current = try makeWriter() }
        writer = current
        try current.append(key: record.key, value: value, sequence: record.sequence).write(to: scratch)
        var moved = record
        moved.value = scratch.bytes
        return moved
    }

    /// Brings moved values to stable storage.
    func finish() throws(StoreError) { try writer?.sync() }
}

extension StoreRepair {
    /// Opens all value files, those too that the manifest does not name: it may have lost its end.
    mutating func openValueFiles(_ present: Set<StoreFile>) throws(StoreError) -> RepairedValues {
        let (newNumber, fileSystem, identity, made) = (takeNumber(), fileSystem, identity, made)
        let newPath = path(.values(newNumber))
        let values = RepairedValues { () throws(StoreError) in
            made.files.append(.values(newNumber))
            let file = try storeErrors { () throws(FileSystemError) in
                try fileSystem.retrying { () throws(FileSystemError) in try fileSystem.open(newPath, .createNew) }
            }
            return try ValueFileWriter(file: file, number: newNumber, store: identity, isBuffered: true)
        }
        for file in present.sorted(by: { $0.name < $1.name }) {
            guard case .values(let number) = file else { continue }
            var isDamaged = false
            switch try claim(of: file) {
            case .ours: break
            // Pointers carry the checksums of their values: if it is another store's, they lead to nothing.
            case .damaged(let error), .foreign(let error):
                lose(file, error.offset, error.message)
                isDamaged = true
            }
            let reader = try ValueFileReader(
                fileSystem: fileSystem, path: path(file), number: number, store: identity, access: .read,
                ignoresHeader: isDamaged)
            // A process that died, or a sync that failed, may have left values with the kernel only, and segments are to
            // lead to them. Nothing that is left of a damaged store proves which.
            try reader.sync(rewritingFrom: FileHeader.size)
            values.add(reader, staysInPlace: !isDamaged)
        }
        for number in known.valueFiles.sorted() where !present.contains(.values(number)) {
            lose(.values(number), nil, "the file is missing, with the values in it")
        }
        return values
    }
}
