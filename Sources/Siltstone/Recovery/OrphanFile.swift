/// Distinguishes a file that a crash left behind from a foreign file with the same name. A name alone proves nothing,
/// and the store never removes a file that is not provably its own.
enum OrphanFile {
    /// True if a store made the file: its header is valid and contains the number in its name, or a crash tore the
    /// write of its header. True for `CURRENT` and `LOCK`, which have no header.
    /// - Parameter store: the store that it must belong to; nil if it is unknown.
    static func isOurs(
        _ file: StoreFile, in directory: String, _ fileSystem: any FileSystem, store: StoreIdentity?
    ) throws(StoreError) -> Bool {
        guard let kind = file.headerKind else {
            guard file == .temporaryCurrent else { return true }
            return try beginning(of: file, in: directory, fileSystem).map(isCurrent) ?? false
        }
        guard let bytes = try beginning(of: file, in: directory, fileSystem) else { return false }
        if isTorn(bytes, Array(kind.rawValue.utf8)) { return true }
        do throws(StoreError) {
            return try withContiguousBytes(bytes) { bytes throws(StoreError) in
                _ = try FileHeader(
                    bytes, kind: kind, store: store, number: file.number ?? 0, path: file.path(in: directory),
                    knownFeatures: .max)
                return true
            }
        } catch { return false }
    }

    /// True if a file starts as a `CURRENT` does, or if a crash tore the write of that start.
    private static func isCurrent(_ bytes: [UInt8]) -> Bool {
        let beginning = Array("siltstone ".utf8)
        return bytes.starts(with: beginning) || isTorn(bytes, beginning)
    }

    /// True if power failed while the start of the file was written: a correct prefix, followed by zeros or by nothing.
    private static func isTorn(_ bytes: [UInt8], _ magic: [UInt8]) -> Bool {
        let written = bytes[..<(bytes.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0)]
        return written.count < FileHeader.size && (magic.starts(with: written) || written.starts(with: magic))
    }

    /// The first bytes of a file, at most a header; nil if it does not exist or is a directory.
    private static func beginning(
        of file: StoreFile, in directory: String, _ fileSystem: any FileSystem
    ) throws(StoreError) -> [UInt8]? {
        do throws(FileSystemError) {
            let path = file.path(in: directory)
            let opened = try retrying(fileSystem.open(path, .read))
            var bytes = [UInt8](repeating: 0, count: FileHeader.size)
            let count = try bytes.withMutableBytes { buffer throws(FileSystemError) in
                try opened.readFully(into: buffer, at: 0)
            }
            bytes.removeLast(bytes.count - count)
            return bytes
        } catch {
            if error.errorNumber == Platform.isADirectory || error.isMissing { return nil }
            throw StoreError(error)
        }
    }
}
