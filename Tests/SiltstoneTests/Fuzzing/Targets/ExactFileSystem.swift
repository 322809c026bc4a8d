@testable import Siltstone

/// Files that can only be read, whose mappings end where the files end.
///
/// An operating system rounds a mapping up to pages, and so hides a reader that goes a few bytes too far. Here a mapping
/// is a piece of the heap of just the right size, behind which the address sanitizer watches.
struct ExactFileSystem: FileSystem {
    static let directory = "/store"
    let files: [String: [UInt8]]

    private func refuse(_ operation: String, _ path: String) -> FileSystemError {
        FileSystemError(operation, path: path, errorNumber: Platform.accessDenied)
    }

    func open(_ path: String, _ mode: FileOpenMode) throws(FileSystemError) -> any File {
        guard mode == .read else { throw refuse("open", path) }
        guard let bytes = files.first(where: { Self.directory + "/" + $0.key == path })?.value else {
            throw FileSystemError("open", path: path, errorNumber: Platform.noSuchFile)
        }
        return ExactFile(path: path, bytes: bytes)
    }

    func entries(of directory: String) throws(FileSystemError) -> [String] { Array(files.keys) }

    func attributes(of path: String) throws(FileSystemError) -> FileAttributes? {
        if path == Self.directory { return FileAttributes(size: 0, isDirectory: true) }
        let found = files.first { Self.directory + "/" + $0.key == path }
        return found.map { FileAttributes(size: $0.value.count, isDirectory: false) }
    }

    func lock(_ path: String, exclusive: Bool, note: String) throws(FileSystemError) -> any FileLock {
        throw FileSystemError("lock", path: path, errorNumber: Platform.noSuchFile)
    }

    func createDirectory(_ path: String) throws(FileSystemError) { throw refuse("create directory", path) }
    func rename(_ source: String, to destination: String) throws(FileSystemError) { throw refuse("rename", source) }
    func link(_ source: String, to destination: String) throws(FileSystemError) { throw refuse("link", source) }
    func remove(_ path: String) throws(FileSystemError) { throw refuse("remove", path) }
    func removeDirectory(_ path: String) throws(FileSystemError) { throw refuse("remove directory", path) }
    func syncDirectory(_ path: String) throws(FileSystemError) { throw refuse("sync directory", path) }
}

/// A file of an ``ExactFileSystem``.
final class ExactFile: File {
    let path: String
    private let bytes: [UInt8]

    init(path: String, bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
    }

    func size() throws(FileSystemError) -> Int { bytes.count }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(FileSystemError) -> Int {
        guard offset >= 0 else { throw refuse("read", Platform.invalidArgument) }
        let count = min(buffer.count, max(0, bytes.count - offset))
        if count > 0 { buffer.copyBytes(from: bytes[offset..<offset + count]) }
        return count
    }

    func map(length: Int, writable: Bool) throws(FileSystemError) -> any FileMapping {
        guard !writable, length >= 0, length <= bytes.count else { throw refuse("map", Platform.invalidArgument) }
        return ExactMapping(bytes.prefix(length))
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileSystemError) -> Int {
        throw refuse("write", Platform.badDescriptor)
    }
    func reserve(offset: Int, length: Int) throws(FileSystemError) { throw refuse("reserve", Platform.badDescriptor) }
    func truncate(to length: Int) throws(FileSystemError) { throw refuse("truncate", Platform.badDescriptor) }
    func sync() throws(FileSystemError) {}
    func close() throws(FileSystemError) {}

    private func refuse(_ operation: String, _ number: Int32) -> FileSystemError {
        FileSystemError(operation, path: path, errorNumber: number)
    }
}

/// A mapping on the heap.
///
/// `@unchecked Sendable`: filled before anyone else sees it, and only read from then on.
private final class ExactMapping: FileMapping, @unchecked Sendable {
    let bytes: UnsafeMutableRawBufferPointer

    init(_ contents: ArraySlice<UInt8>) {
        bytes = .allocate(byteCount: contents.count, alignment: 4096)
        bytes.copyBytes(from: contents)
    }

    deinit { bytes.deallocate() }

    func prepareForWriting(offset: Int, length: Int) {}
}
