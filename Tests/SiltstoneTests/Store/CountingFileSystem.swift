@testable import Siltstone

/// A file system that counts the calls that change something, and lets a test refuse one of them, or all of a kind.
final class CountingFileSystem: FileSystem {
    struct Call: Sendable {
        var operation: String
        var path: String
        /// How many came before it.
        var number: Int
    }

    private struct State: Sendable {
        var count = 0
        var rule: @Sendable (Call) -> Int32? = { _ in nil }
        var failed: [Call] = []
    }

    private let base: any FileSystem
    private let state = Locked(State())

    init(_ base: any FileSystem) { self.base = base }

    /// Calls so far.
    var count: Int { state.withLock { $0.count } }

    /// Calls that were refused.
    var failed: [Call] { state.withLock { $0.failed } }

    /// Sets which calls fail, with which error number.
    func setRule(_ rule: @escaping @Sendable (Call) -> Int32?) { state.withLock { $0.rule = rule } }

    /// Notes all calls from now on, and lets all succeed.
    func record() -> Locked<[Call]> {
        let calls = Locked<[Call]>([])
        setRule { call in
            calls.withLock { $0.append(call) }
            return nil
        }
        return calls
    }

    fileprivate func meet(_ operation: String, _ path: String) throws(FileSystemError) {
        let (call, rule) = state.withLock { state in
            defer { state.count += 1 }
            return (Call(operation: operation, path: path, number: state.count), state.rule)
        }
        guard let code = rule(call) else { return }
        state.withLock { $0.failed.append(call) }
        throw FileSystemError(operation, path: path, errorNumber: code)
    }

    func open(_ path: String, _ mode: FileOpenMode) throws(FileSystemError) -> any File {
        if mode == .createNew { try meet("create", path) }
        return CountingFile(try base.open(path, mode), self)
    }
    func createDirectory(_ path: String) throws(FileSystemError) {
        try meet("create directory", path)
        try base.createDirectory(path)
    }
    func entries(of directory: String) throws(FileSystemError) -> [String] { try base.entries(of: directory) }
    func attributes(of path: String) throws(FileSystemError) -> FileAttributes? { try base.attributes(of: path) }
    func rename(_ source: String, to destination: String) throws(FileSystemError) {
        try meet("rename", source)
        try base.rename(source, to: destination)
    }
    func link(_ source: String, to destination: String) throws(FileSystemError) {
        try meet("link", source)
        try base.link(source, to: destination)
    }
    func remove(_ path: String) throws(FileSystemError) {
        try meet("remove", path)
        try base.remove(path)
    }
    func removeDirectory(_ path: String) throws(FileSystemError) {
        try meet("remove directory", path)
        try base.removeDirectory(path)
    }
    func syncDirectory(_ path: String) throws(FileSystemError) {
        try meet("sync directory", path)
        try base.syncDirectory(path)
    }
    func lock(_ path: String, exclusive: Bool, note: String) throws(FileSystemError) -> any FileLock {
        try base.lock(path, exclusive: exclusive, note: note)
    }
}

private final class CountingFile: File {
    private let base: any File
    private let owner: CountingFileSystem

    init(_ base: any File, _ owner: CountingFileSystem) {
        self.base = base
        self.owner = owner
    }

    var path: String { base.path }
    func size() throws(FileSystemError) -> Int { try base.size() }
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(FileSystemError) -> Int {
        try base.read(into: buffer, at: offset)
    }
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileSystemError) -> Int {
        try owner.meet("write", path)
        return try base.write(bytes, at: offset)
    }
    func reserve(offset: Int, length: Int) throws(FileSystemError) {
        try owner.meet("reserve", path)
        try base.reserve(offset: offset, length: length)
    }
    func truncate(to length: Int) throws(FileSystemError) {
        try owner.meet("truncate", path)
        try base.truncate(to: length)
    }
    func sync() throws(FileSystemError) {
        try owner.meet("sync", path)
        try base.sync()
    }
    func map(length: Int, writable: Bool) throws(FileSystemError) -> any FileMapping {
        try owner.meet("map", path)
        return try base.map(length: length, writable: writable)
    }
    func close() throws(FileSystemError) { try base.close() }
}
