/// Distinguishes files of a store from foreign files with the same names. LevelDB and RocksDB, too, have files called
/// `CURRENT`, `LOCK` and `000003.log`.
enum OrphanFile {
    /// True if the file may be left over from a crash of this store. Its header is then intact and names `store` and
    /// the file's number. Or its header is torn: a prefix of a header, and then zeros or the end of the file. So a
    /// header of zeros and an empty file count. The bytes after the header are not examined (``hasLostHeader(_:of:)``).
    ///
    /// `CURRENT` and `CURRENT.new` have no header and name no store. They count if they begin with `siltstone `, or are
    /// torn. `LOCK` always counts.
    /// - Parameter store: the store that the header must name; nil if it is unknown.
    static func isOurs(
        _ file: StoreFile, in directory: String, _ fileSystem: any FileSystem, store: StoreIdentity?
    ) throws(StoreError) -> Bool {
        if file == .lock { return true }
        guard let bytes = try beginning(of: file, in: directory, fileSystem) else { return false }
        guard let kind = file.headerKind else {
            return bytes.starts(with: magic(of: file)) || isTorn(bytes, magic(of: file))
        }
        // An intact header decides first. To the search for a torn one, which ignores zeros at the end, it could look
        // torn: its checksum may end with a zero.
        do throws(StoreError) {
            let header = try withContiguousBytes(bytes) { bytes throws(StoreError) in
                try FileHeader(anyOwner: bytes, kind: kind, path: file.path(in: directory), knownFeatures: .max)
            }
            return (store == nil || store == header.store) && header.number == file.number
        } catch { return error.code == .corrupt && isTorn(bytes, magic(of: file)) }
    }

    /// True if a log has lost its header: it begins as a store's log does, or with zeros, and bytes that are not zero
    /// follow the header. No crash leaves such a log, because the header is durable before anything follows it
    /// (``LogWriter/create(_:path:header:options:)``). Segments and value files differ: a sync may cover their
    /// header and the bytes after it.
    /// - Parameter contents: the bytes of the file. Its header fails its checksum.
    /// - Complexity: O(*n*) in the zeros after the header
    static func hasLostHeader(_ contents: Bytes, of log: StoreFile) -> Bool {
        guard contents.count > FileHeader.size, !contents.isZero(FileHeader.size..<contents.count) else { return false }
        let header = [UInt8](Bytes(rebasing: contents[..<FileHeader.size]))
        return header.starts(with: magic(of: log)) || isTorn(header, magic(of: log))
    }

    /// True if `CURRENT` or one of the numbered files in a directory begins with a store's magic, even if the rest is
    /// damaged.
    static func isStore(
        _ files: Set<StoreFile>, in directory: String, _ fileSystem: any FileSystem
    ) throws(StoreError) -> Bool {
        func isProof(_ file: StoreFile) throws(StoreError) -> Bool {
            try beginning(of: file, in: directory, fileSystem)?.starts(with: magic(of: file)) ?? false
        }
        // `CURRENT` usually decides, at every opening.
        if files.contains(.current), try isProof(.current) { return true }
        for file in files where file.number != nil {
            if try isProof(file) { return true }
        }
        return false
    }

    /// The first bytes of every file of a kind: the magic of its header, or the text in `CURRENT` and `CURRENT.new`.
    /// Not for `LOCK`, which has none.
    private static func magic(of file: StoreFile) -> [UInt8] {
        Array((file.headerKind?.rawValue ?? "siltstone ").utf8)
    }

    /// True if power may have failed while the beginning of a file was written: it begins with the magic or a part of
    /// it, and ends with zeros or with the file. The other fields are not compared. For headers that fail their
    /// checksum, and for `CURRENT` and `CURRENT.new`, whose beginning is a line of text.
    /// - Parameter bytes: the first bytes of the file, at most a header.
    private static func isTorn(_ bytes: [UInt8], _ magic: [UInt8]) -> Bool {
        let written = bytes[..<(bytes.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0)]
        return written.count < FileHeader.size && (magic.starts(with: written) || written.starts(with: magic))
    }

    /// The first bytes of a file, at most a header; nil if it does not exist or is no regular file.
    private static func beginning(
        of file: StoreFile, in directory: String, _ fileSystem: any FileSystem
    ) throws(StoreError) -> [UInt8]? {
        do throws(FileSystemError) {
            return try retrying(fileSystem.open(file.path(in: directory), .read)).readFirst(FileHeader.size)
        } catch {
            if error.errorNumber == Platform.isADirectory || error.isSpecialFile || error.isMissing { return nil }
            throw StoreError(error)
        }
    }
}
