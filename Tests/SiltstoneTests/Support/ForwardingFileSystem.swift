@testable import Siltstone

/// A file system in front of another one. Each call goes on to that one, unless the type has its own.
protocol ForwardingFileSystem: FileSystem {
    associatedtype Base: FileSystem
    var base: Base { get }
}

extension ForwardingFileSystem {
    func open(_ path: String, _ mode: FileOpenMode) throws(FileSystemError) -> any File { try base.open(path, mode) }
    func entries(of directory: String) throws(FileSystemError) -> [String] { try base.entries(of: directory) }
    func attributes(of path: String) throws(FileSystemError) -> FileAttributes? { try base.attributes(of: path) }
    func lock(_ path: String, exclusive: Bool, note: String) throws(FileSystemError) -> any FileLock {
        try base.lock(path, exclusive: exclusive, note: note)
    }
    func createDirectory(_ path: String) throws(FileSystemError) { try base.createDirectory(path) }
    func rename(_ source: String, to destination: String) throws(FileSystemError) {
        try base.rename(source, to: destination)
    }
    func link(_ source: String, to destination: String) throws(FileSystemError) {
        try base.link(source, to: destination)
    }
    func remove(_ path: String) throws(FileSystemError) { try base.remove(path) }
    func removeDirectory(_ path: String) throws(FileSystemError) { try base.removeDirectory(path) }
    func syncDirectory(_ path: String) throws(FileSystemError) { try base.syncDirectory(path) }
}
