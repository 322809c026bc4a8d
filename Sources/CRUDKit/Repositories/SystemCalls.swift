import CInstructions
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// System calls of ``Directory``. Foundation lacks `fsync` for a directory and a lock that ends with its process.
enum SystemCalls {
    /// The bytes of a file, at most the first `limit`; nil if it does not exist.
    static func read(_ path: String, limit: Int = .max) throws -> Data? {
        let descriptor = openFile(path, O_RDONLY)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw failure("open", path)
        }
        defer { _ = close(descriptor) }  // a read-only descriptor: closing it loses nothing
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw failure("stat", path) }
        var contents = Data(count: min(limit, Int(status.st_size)))
        var offset = 0
        while offset < contents.count {
            let count = unsafe contents.withUnsafeMutableBytes { buffer in
                let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[offset...])
                return unsafe pread(descriptor, rest.baseAddress, rest.count, off_t(offset))
            }
            if count < 0 {
                if errno == EINTR { continue }
                throw failure("read", path)
            }
            guard count > 0 else {
                throw CRUDRepositoryError.databaseError(reason: "The file \(path) became shorter while it was read.")
            }
            offset += count
        }
        return contents
    }

    /// Creates a file with these bytes and syncs it to stable storage.
    static func write(_ contents: Data, to path: String) throws {
        // The kernel would end the process by a signal (`SIGXFSZ`), which only the application may decide to ignore.
        if contents.count > fileSizeLimit {
            errno = EFBIG
            throw failure("write", path)
        }
        let descriptor = openFile(path, O_WRONLY | O_CREAT | O_EXCL)
        guard descriptor >= 0 else { throw failure("create", path) }
        do {
            try write(contents, to: descriptor, path)
            while sync(descriptor) != 0 {
                guard errno == EINTR else { throw failure("sync", path) }
            }
        } catch {
            _ = close(descriptor)  // the file will not be used
            throw error
        }
        guard close(descriptor) == 0 else { throw failure("close", path) }
    }

    /// Syncs a file or directory to stable storage. On Apple's systems `fsync` leaves data in the drive's cache.
    private static func sync(_ descriptor: Int32) -> Int32 {
        #if canImport(Darwin)
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
        // Network file systems do not support it. After any other error `fsync` must not decide, because the system
        // reports a failure only once.
        guard [ENOTSUP, EINVAL, ENOTTY].contains(errno) else { return -1 }
        #endif
        return fsync(descriptor)
    }

    private static func write(_ contents: Data, to descriptor: Int32, _ path: String) throws {
        var offset = 0
        while offset < contents.count {
            let count = unsafe contents.withUnsafeBytes { buffer in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[offset...])
                return unsafe pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset))
            }
            if count < 0 {
                if errno == EINTR { continue }
                throw failure("write", path)
            }
            offset += count
        }
    }

    /// Whether a file or directory exists at a path.
    static func exists(_ path: String) throws -> Bool {
        var status = stat()
        if unsafe lstat(path, &status) == 0 { return true }
        if errno == ENOENT || errno == ENOTDIR { return false }
        throw failure("stat", path)
    }

    /// The time of a file's last change in seconds since 1970; nil if it does not exist.
    static func modificationTime(_ path: String) throws -> Int? {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw failure("stat", path)
        }
        #if canImport(Darwin)
        return Int(status.st_mtimespec.tv_sec)
        #else
        return Int(status.st_mtim.tv_sec)
        #endif
    }

    /// The names in a directory; none if it does not exist.
    static func entries(_ path: String) throws -> [String] {
        guard try exists(path) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: path)
    }

    /// Creates a directory and its missing parents, and makes its name durable.
    ///
    /// Syncs the parent of a directory that exists, too: whoever made it may not have synced yet, or may have failed.
    static func makeDirectories(_ path: String) throws {
        let parent = (path as NSString).deletingLastPathComponent
        if try !exists(path) {
            if !parent.isEmpty, parent != path { try makeDirectories(parent) }
            guard unsafe mkdir(path, 0o755) == 0 || errno == EEXIST else { throw failure("create directory", path) }
        }
        try syncParent(parent.isEmpty ? "." : parent)
    }

    private static func syncParent(_ path: String) throws {
        let descriptor = openDirectory(path)
        guard descriptor >= 0 else {
            // The program may have received the directory inside one that it may not read.
            if errno == EACCES || errno == EPERM { return }
            throw failure("open", path)
        }
        defer { _ = close(descriptor) }  // a read-only descriptor: closing it loses nothing
        try syncDirectory(descriptor, path)
    }

    /// Renames a file, replacing any file at the destination.
    static func rename(_ source: String, to destination: String) throws {
        guard renameFile(source, destination) == 0 else { throw failure("rename", source) }
    }

    /// Removes a file.
    static func remove(_ path: String) throws {
        guard unsafe unlink(path) == 0 else { throw failure("remove", path) }
    }

    /// Removes a temporary file. A failure only wastes space.
    static func removeLeftover(_ path: String) { _ = unsafe unlink(path) }

    private static func openDirectory(_ path: String) -> Int32 { openFile(path, O_RDONLY | O_DIRECTORY) }

    /// Opens a file, closed on exec. Never returns a standard descriptor.
    private static func openFile(_ path: String, _ flags: Int32) -> Int32 {
        StandardDescriptors.avoid(unsafe open(path, flags | O_CLOEXEC, 0o644))
    }

    /// Largest size, in bytes, of a file that this process may write (`RLIMIT_FSIZE`).
    private static var fileSizeLimit: Int {
        #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        #else
        let resource = RLIMIT_FSIZE
        #endif
        var limit = rlimit()
        guard unsafe getrlimit(resource, &limit) == 0 else { return .max }
        return Int(clamping: limit.rlim_cur)
    }

    /// Runs `body` with an open directory, for ``syncDirectory(_:_:)``.
    static func withDirectory<R>(_ path: String, _ body: (_ descriptor: Int32) throws -> R) throws -> R {
        let descriptor = openDirectory(path)
        guard descriptor >= 0 else { throw failure("open", path) }
        defer { _ = close(descriptor) }  // a read-only descriptor: closing it loses nothing
        return try body(descriptor)
    }

    /// Syncs the names in an open directory to stable storage.
    static func syncDirectory(_ descriptor: Int32, _ path: String) throws {
        while sync(descriptor) != 0 {
            // Some file systems cannot sync a directory; they keep names durable themselves.
            if errno == EINVAL || errno == ENOTSUP { return }
            guard errno == EINTR else { throw failure("sync", path) }
        }
    }

    /// Waits for the lock of a file; creates a missing file.
    /// - Returns: the descriptor for ``unlock(_:)``. The lock ends with the process.
    static func lock(_ path: String) throws -> Int32 {
        let descriptor = openFile(path, O_RDWR | O_CREAT)
        guard descriptor >= 0 else { throw failure("open", path) }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else {
                let error = failure("lock", path)
                _ = close(descriptor)
                throw error
            }
        }
        return descriptor
    }

    /// Releases a lock.
    static func unlock(_ descriptor: Int32) { _ = close(descriptor) }

    /// The calling thread's `errno` as an error that names the call and the file.
    private static func failure(_ call: String, _ path: String) -> CRUDRepositoryError {
        let code = errno
        let text = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            unsafe buffer.baseAddress.map { unsafe String(cString: siltstone_describe_error(code, $0, buffer.count)) }
        }
        return .databaseError(reason: "\(call) failed: \(text ?? "error \(code)") [\(path)]")
    }
}

/// The C library's `rename`, which a method of the same name shadows.
private func renameFile(_ source: String, _ destination: String) -> Int32 { unsafe rename(source, destination) }
