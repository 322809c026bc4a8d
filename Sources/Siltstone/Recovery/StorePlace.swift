/// The place of a store: a directory, whatever the name by which it is opened.
struct StorePlace: Hashable, Sendable {
    /// Absolute and without symbolic links, if it is in the operating system's file system.
    var path: String { String(decoding: bytes, as: UTF8.self) }
    /// The path in bytes: two names that are equal as text may be two directories.
    private let bytes: [UInt8]
    /// The identity of the file system; nil for the operating system's.
    private let fileSystem: ObjectIdentifier?

    /// - Parameter path: as ``StoreOpener/normalized(_:_:)`` returns it.
    init(_ path: String, _ fileSystem: any FileSystem) {
        if fileSystem is POSIXFileSystem {
            bytes = Array(Self.withoutLinks(path).utf8)
            self.fileSystem = nil
        } else {
            bytes = Array(path.utf8)
            // A value has no identity. So all values of a type count as one file system.
            let type = type(of: fileSystem)
            self.fileSystem = type is AnyClass ? ObjectIdentifier(fileSystem as AnyObject) : ObjectIdentifier(type)
        }
    }

    /// If the directory does not exist yet, resolves the links of its parent.
    private static func withoutLinks(_ path: String) -> String {
        if let known = Platform.realPath(path) { return known }
        guard let parent = Platform.realPath(StoreOpener.parent(of: path)),
            let slash = path.unicodeScalars.lastIndex(of: "/")
        else { return path }
        return (parent == "/" ? "" : parent) + path[slash...]
    }
}
