import Synchronization

@testable import Siltstone

/// A file system that lets a test refuse calls, and cut writes short.
final class FaultyFileSystem: FileSystem {
    /// What a call is to meet.
    enum Fault: Sendable {
        /// The call fails with an error number, and has done nothing.
        case error(Int32)
        /// A write takes only so many bytes.
        case short(Int)
    }

    /// One call that is about to be made.
    struct Call: Sendable {
        var operation: String
        var path: String
        var offset: Int
        var length: Int
    }

    private let base: any FileSystem
    fileprivate let rule = Locked<@Sendable (Call) -> Fault?>({ _ in nil })
    fileprivate let log = Locked<[Call]>([])

    init(_ base: any FileSystem = InMemoryFileSystem()) { self.base = base }

    /// Sets which calls on files meet a fault.
    func setRule(_ rule: @escaping @Sendable (Call) -> Fault?) { self.rule.withLock { $0 = rule } }

    /// The calls on files so far.
    var calls: [Call] { log.withLock { $0 } }

    func open(_ path: String, _ mode: FileOpenMode) throws(FileSystemError) -> any File {
        FaultyFile(try base.open(path, mode), self)
    }
    func createDirectory(_ path: String) throws(FileSystemError) { try base.createDirectory(path) }
    func entries(of directory: String) throws(FileSystemError) -> [String] { try base.entries(of: directory) }
    func attributes(of path: String) throws(FileSystemError) -> FileAttributes? { try base.attributes(of: path) }
    func rename(_ source: String, to destination: String) throws(FileSystemError) {
        try base.rename(source, to: destination)
    }
    func link(_ source: String, to destination: String) throws(FileSystemError) {
        try base.link(source, to: destination)
    }
    func remove(_ path: String) throws(FileSystemError) { try base.remove(path) }
    func removeDirectory(_ path: String) throws(FileSystemError) { try base.removeDirectory(path) }
    func syncDirectory(_ path: String) throws(FileSystemError) { try base.syncDirectory(path) }
    func lock(_ path: String, exclusive: Bool, note: String) throws(FileSystemError) -> any FileLock {
        try base.lock(path, exclusive: exclusive, note: note)
    }
}

private final class FaultyFile: File {
    private let base: any File
    private let owner: FaultyFileSystem

    init(_ base: any File, _ owner: FaultyFileSystem) {
        self.base = base
        self.owner = owner
    }

    var path: String { base.path }

    private func meet(_ operation: String, _ offset: Int = 0, _ length: Int = 0) throws(FileSystemError) -> Int? {
        let call = FaultyFileSystem.Call(operation: operation, path: path, offset: offset, length: length)
        owner.log.withLock { $0.append(call) }
        switch owner.rule.withLock({ $0 })(call) {
        case nil: return nil
        case .short(let count): return count
        case .error(let number):
            throw FileSystemError(operation, path: path, errorNumber: number, offset: offset)
        }
    }

    func size() throws(FileSystemError) -> Int { try base.size() }
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(FileSystemError) -> Int {
        _ = try meet("read", offset, buffer.count)
        return try base.read(into: buffer, at: offset)
    }
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileSystemError) -> Int {
        let count = try meet("write", offset, bytes.count) ?? bytes.count
        return try base.write(UnsafeRawBufferPointer(rebasing: bytes.prefix(count)), at: offset)
    }
    func reserve(offset: Int, length: Int) throws(FileSystemError) {
        _ = try meet("reserve", offset, length)
        try base.reserve(offset: offset, length: length)
    }
    func truncate(to length: Int) throws(FileSystemError) {
        _ = try meet("truncate", length)
        try base.truncate(to: length)
    }
    func sync() throws(FileSystemError) {
        _ = try meet("sync")
        try base.sync()
    }
    func map(length: Int, writable: Bool) throws(FileSystemError) -> any FileMapping {
        _ = try meet("map", 0, length)
        return try base.map(length: length, writable: writable)
    }
    func close() throws(FileSystemError) { try base.close() }
}
