// The calls of the C library on files and directories; see `Platform.swift`.

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

#if canImport(Glibc)
// Glibc's module map leaves this function out; its ABI is fixed (fallocate(2)).
@_silgen_name("fallocate")
private func linuxFallocate(_ descriptor: Int32, _ mode: Int32, _ offset: Int, _ length: Int) -> Int32

// Glibc's module map leaves this function out too (sync_file_range(2)).
@_silgen_name("sync_file_range")
private func linuxSyncFileRange(_ descriptor: Int32, _ offset: Int, _ length: Int, _ flags: UInt32) -> Int32
#endif

extension Platform {
    /// The place of a file: a path, which begins at an open directory if it is relative.
    struct FilePlace {
        /// The descriptor of that directory; by default, of the working directory.
        var directory = AT_FDCWD
        var path: String
    }

    /// What a file or directory is the same by, under any name, as long as somebody has it open.
    struct FileIdentity: Hashable {
        let device: UInt64
        let number: UInt64
    }

    /// The mode in which a file is opened. All files are closed on exec.
    struct OpenFlags: OptionSet {
        let rawValue: Int32
        static let readOnly = OpenFlags(rawValue: O_RDONLY)
        static let readWrite = OpenFlags(rawValue: O_RDWR)
        static let create = OpenFlags(rawValue: O_CREAT)
        static let exclusive = OpenFlags(rawValue: O_EXCL)
        static let directory = OpenFlags(rawValue: O_DIRECTORY)
    }

    /// Opens a file. Does not wait for the other end of a FIFO or for a device. Never returns a standard descriptor.
    static func openFile(_ place: FilePlace, _ flags: OpenFlags) -> Int32 {
        let flags = flags.rawValue | O_CLOEXEC
        var descriptor = unsafe openat(place.directory, place.path, flags | O_NONBLOCK, 0o644)
        // Another process has a lease on the file (fcntl(2)). The plain call waits until that process gives it up. Only
        // regular files have leases.
        if descriptor < 0, errno == EWOULDBLOCK {
            descriptor = unsafe openat(place.directory, place.path, flags, 0o644)
        }
        return aboveStandard(descriptor)
    }

    /// Gives an open file another number if it has one of the standard descriptors, which a process may have closed.
    /// What the process prints would otherwise go into the file. `/dev/null` takes its place, so that no later file gets
    /// the number even for a moment. Output is opened for reading there and input for writing, so that their use fails as
    /// before.
    /// - Returns: the number, or −1 with an error number; then the file is closed. A failed open's −1 stays as it is.
    private static func aboveStandard(_ descriptor: Int32) -> Int32 {
        guard (0...STDERR_FILENO).contains(descriptor) else { return descriptor }
        let moved = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
        let code = errno
        let null = unsafe open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        if null < 0 || dup2(null, descriptor) < 0 { _ = close(descriptor) }
        if null > STDERR_FILENO { _ = close(null) }
        errno = code
        return moved
    }

    static func closeFile(_ descriptor: Int32) -> Int32 { close(descriptor) }

    static func readFile(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
        unsafe pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
    }

    static func writeFile(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int {
        unsafe pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset))
    }

    /// Writes three pieces that follow each other in the file.
    static func writeFile(
        _ descriptor: Int32, _ head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer,
        _ tail: UnsafeRawBufferPointer, at offset: Int
    ) -> Int {
        unsafe withUnsafeTemporaryAllocation(of: iovec.self, capacity: 3) { parts in
            func set(_ index: Int, _ part: UnsafeRawBufferPointer) {
                // The system only reads this memory.
                let base = unsafe UnsafeMutableRawPointer(mutating: part.baseAddress)
                unsafe parts.initializeElement(at: index, to: iovec(iov_base: base, iov_len: part.count))
            }
            unsafe set(0, head)
            unsafe set(1, body)
            unsafe set(2, tail)
            return unsafe pwritev(descriptor, parts.baseAddress, 3, off_t(offset))
        }
    }

    static func truncateFile(_ descriptor: Int32, to length: Int) -> Int32 { ftruncate(descriptor, off_t(length)) }

    /// The status of a file or directory.
    struct Status {
        let size: Int
        let isDirectory: Bool
        /// True for a FIFO, a socket or a device.
        let isSpecial: Bool
        let identity: FileIdentity

        /// Nil, with an error number, if the call fails.
        fileprivate init?(_ call: (inout stat) -> Int32) {
            var status = stat()
            guard call(&status) == 0 else { return nil }
            size = Int(status.st_size)
            let type = status.st_mode & S_IFMT
            identity = FileIdentity(
                device: UInt64(truncatingIfNeeded: status.st_dev), number: UInt64(truncatingIfNeeded: status.st_ino))
            (isDirectory, isSpecial) = (type == S_IFDIR, type != S_IFDIR && type != S_IFREG)
        }
    }

    /// Returns the status of an open file; nil, with an error number, on failure.
    static func status(ofDescriptor descriptor: Int32) -> Status? { Status { unsafe fstat(descriptor, &$0) } }

    /// Same as ``status(ofDescriptor:)``, by path, following symbolic links.
    static func status(of place: FilePlace) -> Status? {
        Status { unsafe fstatat(place.directory, place.path, &$0, 0) }
    }

    /// Brings a file's data, and the metadata needed to read it back, to stable storage.
    ///
    /// Darwin's `fsync` stops at the drive's cache, so `F_FULLFSYNC` is tried first (fcntl(2)).
    static func syncFile(_ descriptor: Int32) -> Int32 {
        #if canImport(Darwin)
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
        // Network file systems do not support F_FULLFSYNC. After any other error `fsync` must not decide, because the
        // system reports a failure only once.
        return [ENOTSUP, EINVAL, ENOTTY].contains(errno) ? fsync(descriptor) : -1
        #else
        return fdatasync(descriptor)
        #endif
    }

    /// Starts the kernel's write-back of a range, without waiting for it. A hint.
    ///
    /// An error of that write-back is reported by the next ``syncFile(_:)``, because only that call marks errors as
    /// reported.
    static func beginSync(_ descriptor: Int32, offset: Int, length: Int) {
        #if canImport(Glibc)
        _ = linuxSyncFileRange(descriptor, offset, length, 2)  // SYNC_FILE_RANGE_WRITE
        #endif
    }

    /// True if ``syncFile(_:)`` covers stores through a shared mapping of the file.
    ///
    /// On Linux, a sync writes all dirty pages of the file, however they became dirty. POSIX requires `msync`, and so
    /// does Darwin.
    static var syncCoversMappings: Bool {
        #if os(Linux)
        true
        #else
        false
        #endif
    }

    /// Brings a directory's entries to stable storage.
    static func syncDirectory(_ descriptor: Int32) -> Int32 {
        #if canImport(Darwin)
        return syncFile(descriptor)
        #else
        return fsync(descriptor)
        #endif
    }

    /// Reserves disk blocks for a range and makes the file that long. Returns 0, or an error number.
    ///
    /// Returns an ``isUnsupported(_:)`` number if the file system cannot reserve; the caller then writes instead of
    /// mapping. `posix_fallocate` would not do, because glibc, if the file system cannot reserve, writes a byte into
    /// each block, which takes as long as zero-filling and guarantees less.
    static func reserve(_ descriptor: Int32, offset: Int, length: Int) -> Int32 {
        assert(offset >= 0 && length > 0, "EINVAL must mean that the file system cannot reserve")
        #if canImport(Darwin)
        var store = fstore_t(
            fst_flags: UInt32(F_ALLOCATEALL), fst_posmode: F_PEOFPOSMODE, fst_offset: 0, fst_length: off_t(length),
            fst_bytesalloc: 0)
        if fcntl(descriptor, F_PREALLOCATE, &store) != 0 { return errno }
        return ftruncate(descriptor, off_t(offset + length)) == 0 ? 0 : errno
        #elseif canImport(Glibc)
        return linuxFallocate(descriptor, 0, offset, length) == 0 ? 0 : errno
        #else
        return posix_fallocate(descriptor, off_t(offset), off_t(length))
        #endif
    }

    /// Reserves disk space without making the file longer, on systems that do so in one call. A hint.
    static func preallocate(_ descriptor: Int32, offset: Int, length: Int) {
        #if canImport(Glibc)
        _ = linuxFallocate(descriptor, 1, offset, length)  // FALLOC_FL_KEEP_SIZE
        #endif
    }

    /// Takes an advisory lock on an open file, without waiting. The lock ends with the process. Returns 0 or −1.
    ///
    /// It uses `flock(2)`, not `fcntl(2)`, because a lock of the latter is lost as soon as any descriptor of the file
    /// is closed anywhere in the process, and does not exclude a second handle in the same process.
    static func lockFile(_ descriptor: Int32, exclusive: Bool) -> Int32 {
        flock(descriptor, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB)
    }

    /// Releases a lock, for all descriptors of the open file.
    ///
    /// Closing the descriptor alone is not enough, because a process that was just forked has one too until its exec,
    /// and would keep the lock.
    static func unlockFile(_ descriptor: Int32) { _ = flock(descriptor, LOCK_UN) }

    /// Returns the size of the disk of a directory in bytes; nil if the system does not tell. A directory that is held
    /// open is its place's directory.
    static func space(of place: FilePlace) -> (total: Int, available: Int)? {
        let isHeld = place.directory != AT_FDCWD
        #if canImport(Darwin)
        // Its statvfs(3) counts blocks in 32 bits.
        var status = statfs()
        let result = unsafe isHeld ? fstatfs(place.directory, &status) : statfs(place.path, &status)
        let blockBytes = UInt64(status.f_bsize)
        #else
        var status = statvfs()
        let result = unsafe isHeld ? fstatvfs(place.directory, &status) : statvfs(place.path, &status)
        let blockBytes = UInt64(status.f_frsize)
        #endif
        // A pseudo file system has no blocks.
        guard result == 0, status.f_blocks > 0 else { return nil }
        func bytes(_ blocks: UInt64) -> Int {
            let (bytes, overflow) = blocks.multipliedReportingOverflow(by: blockBytes)
            return overflow ? .max : Int(clamping: bytes)
        }
        return (bytes(UInt64(status.f_blocks)), bytes(UInt64(status.f_bavail)))
    }

    /// Largest size, in bytes, of a file that this process may write (`RLIMIT_FSIZE`).
    static var fileSizeLimit: Int {
        #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        #else
        let resource = RLIMIT_FSIZE
        #endif
        var limit = rlimit()
        guard unsafe getrlimit(resource, &limit) == 0 else { return .max }
        return Int(clamping: limit.rlim_cur)
    }

    /// Returns the text of a small file in which the kernel publishes information, up to 16 KiB; nil if it cannot be
    /// read.
    static func smallFile(_ path: String) -> String? {
        let descriptor = openFile(FilePlace(path: path), [.readOnly])
        guard descriptor >= 0 else { return nil }
        defer { _ = closeFile(descriptor) }
        return unsafe withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 8) { buffer in
            let count = unsafe readFile(descriptor, buffer, at: 0)
            return unsafe count < 0 ? nil : String(decoding: buffer[..<count], as: UTF8.self)
        }
    }

    // MARK: Directories

    static func makeDirectory(_ place: FilePlace) -> Int32 { unsafe mkdirat(place.directory, place.path, 0o755) }

    static func renameFile(_ from: FilePlace, _ to: FilePlace) -> Int32 {
        unsafe renameat(from.directory, from.path, to.directory, to.path)
    }

    static func linkFile(_ from: FilePlace, _ to: FilePlace) -> Int32 {
        unsafe linkat(from.directory, from.path, to.directory, to.path, 0)
    }

    static func removeFile(_ place: FilePlace) -> Int32 { unsafe unlinkat(place.directory, place.path, 0) }

    static func removeDirectory(_ place: FilePlace) -> Int32 {
        unsafe unlinkat(place.directory, place.path, Int32(AT_REMOVEDIR))
    }

    /// Returns the names in a directory without `.` and `..`; nil, with an error number, if it cannot be read.
    static func entries(of place: FilePlace) -> [String]? {
        let descriptor = openFile(place, [.readOnly, .directory])
        guard descriptor >= 0 else { return nil }
        guard let directory = unsafe fdopendir(descriptor) else {
            _ = closeFile(descriptor)
            return nil
        }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        errno = 0
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) {
                unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
            errno = 0
        }
        return errno == 0 ? names : nil
    }
}
