/// Tells a file that a crash left behind from somebody else's that is only called like one: a name alone proves nothing,
/// and what is not provably a store's is never removed.
enum Leftover {
    /// Whether a file was made by a store: it begins with the right magic number and names the number in its name, or
    /// nothing of it had reached the disk but zeros.
    /// - Parameter store: the store that it must belong to, where that is known.
    static func isOurs(
        _ file: StoreFile, in directory: String, _ fileSystem: any FileSystem, store: StoreIdentity?
    ) throws(StoreError) -> Bool {
        let kind: FileHeader.Kind
        switch file {
        case .log: kind = .log
        case .segment: kind = .segment
        case .values: kind = .values
        case .manifest: kind = .manifest
        case .current, .lock: return true
        case .currentInTheMaking: return try beginning(of: file, in: directory, fileSystem).map(isCurrent) ?? false
        }
        guard let bytes = try beginning(of: file, in: directory, fileSystem) else { return false }
        if bytes.allSatisfy({ $0 == 0 }) { return true }
        do throws(StoreError) {
            return try withContiguousBytes(bytes) { bytes throws(StoreError) in
                _ = try FileHeader(
                    bytes, kind: kind, store: store, number: file.number ?? 0, path: file.path(in: directory),
                    knownFeatures: .max)
                return true
            }
        } catch { return false }
    }

    private static func isCurrent(_ bytes: [UInt8]) -> Bool { bytes.isEmpty || bytes.starts(with: "siltstone ".utf8) }

    /// The first bytes of a file; nil where it is none.
    private static func beginning(
        of file: StoreFile, in directory: String, _ fileSystem: any FileSystem
    ) throws(StoreError) -> [UInt8]? {
        do throws(FileSystemError) {
            let path = file.path(in: directory)
            let opened = try fileSystem.retrying { () throws(FileSystemError) in try fileSystem.open(path, .read) }
            var bytes = [UInt8](repeating: 0, count: FileHeader.size)
            let result = bytes.withUnsafeMutableBytes { buffer in
                Result { () throws(FileSystemError) in try opened.readFully(into: buffer, at: 0) }
            }
            bytes.removeLast(bytes.count - (try result.get()))
            return bytes
        } catch {
            if error.errorNumber == Platform.isADirectory || error.isMissing { return nil }
            throw StoreError(error)
        }
    }
}
