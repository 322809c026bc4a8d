/// Tells a file that a crash left behind from somebody else's that is only called like one: a name alone proves nothing,
/// and what is not provably a store's is never removed.
enum OrphanFile {
    /// Whether a file was made by a store: it begins with the right magic number and names the number in its name, or
    /// only the beginning of that had reached the disk.
    /// - Parameter store: the store that it must belong to, where that is known.
    static func isOurs(
        _ file: StoreFile, in directory: String, _ fileSystem: any FileSystem, store: StoreIdentity?
    ) throws(StoreError) -> Bool {
        guard let kind = file.headerKind else {
            guard file == .currentInTheMaking else { return true }
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

    private static func isCurrent(_ bytes: [UInt8]) -> Bool {
        let beginning = Array("siltstone ".utf8)
        return bytes.starts(with: beginning) || isTorn(bytes, beginning)
    }

    /// Whether power failed while the beginning of a file was written: it stops somewhere, and zeros follow, or nothing.
    private static func isTorn(_ bytes: [UInt8], _ magic: [UInt8]) -> Bool {
        let written = bytes[..<(bytes.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0)]
        return written.count < FileHeader.size && (magic.starts(with: written) || written.starts(with: magic))
    }

    /// The first bytes of a file; nil where it is none.
    private static func beginning(
        of file: StoreFile, in directory: String, _ fileSystem: any FileSystem
    ) throws(StoreError) -> [UInt8]? {
        do throws(FileSystemError) {
            let path = file.path(in: directory)
            let opened = try fileSystem.retrying { () throws(FileSystemError) in try fileSystem.open(path, .read) }
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
