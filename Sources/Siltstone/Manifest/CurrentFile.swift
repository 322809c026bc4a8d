/// `CURRENT`: one line that names the current manifest (`Docs/Format.md`).
enum CurrentFile {
    private static let prefix = "siltstone 1 "

    /// The content of `CURRENT` for a manifest.
    private static func line(manifest number: UInt64) -> String {
        let text = prefix + StoreFile.manifest(number).name + " "
        let checksum = Array(text.utf8).withBytes { CRC32.checksum($0) }
        return text + checksum.digits(8, radix: 16) + "\n"
    }

    /// Returns the number of the current manifest, or nil if there is no `CURRENT`.
    static func read(in directory: String, _ fileSystem: any FileSystem) throws(StoreError) -> UInt64? {
        let path = StoreFile.current.path(in: directory)
        let content: [UInt8]
        do {
            let file = try retrying(fileSystem.open(path, .read))
            content = try file.readAll()
        } catch {
            if error.isMissing { return nil }
            throw StoreError(error)
        }
        let text = String(decoding: content, as: UTF8.self)
        guard text.hasPrefix("siltstone ") else {
            throw .corrupt("CURRENT does not name a manifest", file: path, offset: 0)
        }
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        // The version is checked only in an intact line, because a damaged digit must not be reported as a newer
        // format.
        if words.count > 1, let version = Int(words[1]), version > 1, isWhole(text) {
            throw StoreError(
                .unsupportedFormat, "the store has format \(version), this release reads format 1; use a newer release",
                file: path, offset: 0)
        }
        guard words.count == 4, let manifest = StoreFile(name: String(words[2])), case .manifest(let number) = manifest,
            line(manifest: number) == text
        else { throw .corrupt("CURRENT fails its checksum", file: path, offset: 0) }
        return number
    }

    /// Returns true if the last word of a line, in any format version, is the checksum of the text before it.
    private static func isWhole(_ line: String) -> Bool {
        guard let space = line.utf8.lastIndex(of: UInt8(ascii: " ")) else { return false }
        let start = line.utf8.index(after: space)
        let checksum = Array(line.utf8[..<start]).withBytes { CRC32.checksum($0) }
        return line.utf8.last == UInt8(ascii: "\n") && UInt32(String(line[start...].dropLast()), radix: 16) == checksum
    }

    /// Writes the new `CURRENT` to a temporary file and syncs that file. Before ``replace(in:_:)``, the caller syncs the
    /// directory, so that the name of the manifest is durable before `CURRENT` refers to it.
    static func prepare(
        manifest number: UInt64, in directory: String, _ fileSystem: any FileSystem
    ) throws(FileSystemError) {
        let temporary = StoreFile.temporaryCurrent.path(in: directory)
        do { try retrying(fileSystem.remove(temporary)) } catch { if !error.isMissing { throw error } }
        try fileSystem.create(temporary, Array(line(manifest: number).utf8))
    }

    /// Installs the manifest that ``prepare(manifest:in:_:)`` has named, by renaming the temporary file to `CURRENT`.
    /// After a crash, `CURRENT` names either the old manifest or the new one.
    static func replace(in directory: String, _ fileSystem: any FileSystem) throws(FileSystemError) {
        let temporary = StoreFile.temporaryCurrent.path(in: directory)
        let path = StoreFile.current.path(in: directory)
        try retrying(fileSystem.rename(temporary, to: path))
        try retrying(fileSystem.syncDirectory(directory))
    }
}
