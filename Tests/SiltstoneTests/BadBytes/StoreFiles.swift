@testable import Siltstone

/// The directory of a store as a value: what a test copies, damages, and puts in front of the engine.
struct StoreFiles: Hashable {
    /// What a name stands for.
    enum Entry: Hashable {
        case file([UInt8])
        case directory

        /// The bytes of a file; none of a directory.
        var bytes: [UInt8] {
            switch self {
            case .file(let bytes): bytes
            case .directory: []
            }
        }
    }

    /// Where ``mount()`` puts the directory.
    static let path = "/store"

    /// What there is, by name.
    var entries: [String: Entry] = [:]

    init(_ entries: [String: Entry] = [:]) { self.entries = entries }

    /// The directory of a fixture as it is now, but for `LOCK`.
    init(_ fixture: StoreFixture) throws { entries = try fixture.contents().mapValues { .file($0) } }

    /// The bytes of the file `name`; nil where there is none.
    func bytes(_ name: String) -> [UInt8]? {
        guard case .file(let bytes) = entries[name] else { return nil }
        return bytes
    }

    /// The names of the files, in order.
    var names: [String] { entries.keys.sorted() }

    var byteCount: Int { entries.values.reduce(0) { $0 + $1.bytes.count } }

    /// A file system in memory that holds the directory at ``path``.
    ///
    /// Its files are bounded far below what memory holds: an engine that trusts a damaged length comes upon the bound.
    func mount() throws(FileSystemError) -> InMemoryFileSystem {
        let fileSystem = InMemoryFileSystem(greatestFileSize: max(1 << 18, 4 * byteCount))
        try fileSystem.createDirectory(Self.path)
        for (name, entry) in entries {
            let path = Self.path + "/" + name
            switch entry {
            case .directory: try fileSystem.createDirectory(path)
            case .file(let bytes):
                let file = try fileSystem.open(path, .createNew)
                try file.writeFully(bytes, at: 0)
                try file.close()
            }
        }
        return fileSystem
    }
}
