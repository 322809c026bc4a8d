// The only file that names the C library: it has every call that the engine makes of it, and all differences by
// platform.

import CInstructions

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

#if os(Linux)
// It takes its arguments in registers, as variadic C functions do on both of Linux's 64-bit platforms (syscall(2)).
@_silgen_name("syscall")
private func linuxSystemCall(_ number: Int, _ command: Int, _ flags: Int, _ processor: Int) -> Int

// The number of the call membarrier(2).
#if arch(x86_64)
private let membarrier = 324
#else
private let membarrier = 283
#endif
#endif

/// Compares `count` bytes as unsigned numbers. Returns a negative number, zero, or a positive one.
@inline(__always)
func compareMemory(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer, _ count: Int) -> Int {
    unsafe Int(memcmp(a, b, count))
}

/// Sets all bytes of `memory` to one value.
@inline(__always)
func fillMemory(_ memory: UnsafeMutableRawBufferPointer, with byte: UInt8) {
    if let base = memory.baseAddress { unsafe memset(base, Int32(byte), memory.count) }
}

/// The C library, each call under one name on every platform. Results are those of the call: on failure −1, with an
/// error number.
enum Platform {
    // MARK: Errors

    static let interrupted = EINTR
    static let fileExists = EEXIST
    static let noSuchFile = ENOENT
    static let notADirectory = ENOTDIR
    static let isADirectory = EISDIR
    static let inputOutputError = EIO
    static let noSpaceError = ENOSPC
    static let directoryNotEmpty = ENOTEMPTY
    static let notPermitted = EPERM
    static let accessDenied = EACCES
    static let wouldBlock = EWOULDBLOCK
    static let crossDevice = EXDEV
    static let invalidArgument = EINVAL
    static let badDescriptor = EBADF
    static let outOfMemory = ENOMEM
    static let fileTooLarge = EFBIG
    static let noDeviceOrAddress = ENXIO

    /// The calling thread's error number.
    static var errorNumber: Int32 { errno }

    /// Returns true if the disk or the quota is full, or the file may not become that large.
    static func isNoSpace(_ code: Int32) -> Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }

    /// Returns true if the caller lacks a permission.
    static func isPermission(_ code: Int32) -> Bool { code == EACCES || code == EPERM || code == EROFS }

    /// Returns true if nothing was done, because the process has no descriptor left or lacks a permission. Opening a
    /// file fails with these numbers; a sync never does.
    static func isRefusal(_ code: Int32) -> Bool {
        code == EMFILE || code == ENFILE || code == EACCES || code == EPERM
    }

    /// Returns true if the file system does not support the operation at all.
    static func isUnsupported(_ code: Int32) -> Bool { code == EOPNOTSUPP || code == ENOSYS || code == EINVAL }

    /// Returns the text for an error number.
    static func describe(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }

    // MARK: Files

    /// The mode in which a file is opened. All files are closed on exec.
    struct OpenFlags: OptionSet {
        let rawValue: Int32
        static let readOnly = OpenFlags(rawValue: O_RDONLY)
        static let readWrite = OpenFlags(rawValue: O_RDWR)
        static let create = OpenFlags(rawValue: O_CREAT)
        static let exclusive = OpenFlags(rawValue: O_EXCL)
        static let directory = OpenFlags(rawValue: O_DIRECTORY)
    }

    /// Opens a file. Does not wait for the other end of a FIFO or for a device.
    static func openFile(_ path: String, _ flags: OpenFlags) -> Int32 {
        let flags = flags.rawValue | O_CLOEXEC
        let descriptor = unsafe open(path, flags | O_NONBLOCK, 0o644)
        // Another process has a lease on the file (fcntl(2)). The plain call waits until that process gives it up. Only
        // regular files have leases.
        if descriptor < 0, errno == EWOULDBLOCK { return unsafe open(path, flags, 0o644) }
        return descriptor
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

        /// Nil, with an error number, if the call fails.
        fileprivate init?(_ call: (inout stat) -> Int32) {
            var status = stat()
            guard call(&status) == 0 else { return nil }
            size = Int(status.st_size)
            let type = status.st_mode & S_IFMT
            (isDirectory, isSpecial) = (type == S_IFDIR, type != S_IFDIR && type != S_IFREG)
        }
    }

    /// Returns the status of an open file; nil, with an error number, on failure.
    static func status(ofDescriptor descriptor: Int32) -> Status? { Status { unsafe fstat(descriptor, &$0) } }

    /// Same as ``status(ofDescriptor:)``, by path, following symbolic links.
    static func status(ofPath path: String) -> Status? { Status { unsafe stat(path, &$0) } }

    /// Brings a file's data, and the metadata needed to read it back, to stable storage.
    ///
    /// Darwin's `fsync` stops at the drive's cache, so `F_FULLFSYNC` is tried first (fcntl(2)).
    static func syncFile(_ descriptor: Int32) -> Int32 {
        #if canImport(Darwin)
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
        // Network file systems do not support F_FULLFSYNC. A real error shows again in fsync.
        return fsync(descriptor)
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
    static func syncDirectory(_ descriptor: Int32) -> Int32 { fsync(descriptor) }

    /// Reserves disk blocks for a range and makes the file that long. Returns 0, or an error number.
    ///
    /// Returns an ``isUnsupported(_:)`` number if the file system cannot reserve; the caller then writes instead of
    /// mapping. `posix_fallocate` would not do, because glibc, if the file system cannot reserve, writes a byte into
    /// each block, which takes as long as zero-filling and guarantees less.
    static func reserve(_ descriptor: Int32, offset: Int, length: Int) -> Int32 {
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
        let descriptor = openFile(path, [.readOnly])
        guard descriptor >= 0 else { return nil }
        defer { _ = closeFile(descriptor) }
        return unsafe withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 8) { buffer in
            let count = unsafe readFile(descriptor, buffer, at: 0)
            return unsafe count < 0 ? nil : String(decoding: buffer[..<count], as: UTF8.self)
        }
    }

    // MARK: Directories

    static func makeDirectory(_ path: String) -> Int32 { unsafe mkdir(path, 0o755) }
    static func renameFile(_ from: String, _ to: String) -> Int32 { unsafe rename(from, to) }
    static func linkFile(_ from: String, _ to: String) -> Int32 { unsafe link(from, to) }
    static func removeFile(_ path: String) -> Int32 { unsafe unlink(path) }
    static func removeDirectory(_ path: String) -> Int32 { unsafe rmdir(path) }

    /// Returns the names in a directory without `.` and `..`; nil, with an error number, if it cannot be read.
    static func entries(of path: String) -> [String]? {
        guard let directory = unsafe opendir(path) else { return nil }
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

    // MARK: Memory

    /// Maps a file from its start; nil, with an error number, on failure.
    static func mapFile(_ descriptor: Int32, length: Int, writable: Bool) -> MutableBytes? {
        map(length, writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, descriptor)
    }

    /// Reserves address space that takes memory only for accessed pages; nil, with an error number, on failure.
    static func mapAnonymous(length: Int) -> MutableBytes? {
        #if os(Linux)
        let flags = MAP_PRIVATE | MAP_ANONYMOUS | 0x4000  // MAP_NORESERVE
        #else
        let flags = MAP_PRIVATE | MAP_ANON
        #endif
        return map(length, PROT_READ | PROT_WRITE, flags, -1)
    }

    private static func map(_ length: Int, _ protection: Int32, _ flags: Int32, _ descriptor: Int32) -> MutableBytes? {
        let address = unsafe mmap(nil, length, protection, flags, descriptor, 0)
        let failure = unsafe UnsafeMutableRawPointer(bitPattern: -1)
        return unsafe address == failure ? nil : MutableBytes(start: address, count: length)
    }

    static func unmap(_ bytes: MutableBytes) { unsafe munmap(bytes.start, bytes.count) }

    /// Advice to the kernel about a part of a mapping: the numbers of madvise(2).
    enum Advice: Int32 {
        /// No read-ahead after page faults in a file.
        case randomReads = 1
        /// Starts to read pages of a file, without waiting for them.
        case beginReading = 3
        /// Huge pages for anonymous memory.
        case hugePages = 14
        /// Prefaults pages for reading. Needs Linux 5.14; older kernels refuse, which is fine.
        case populateForReading = 22
        /// Same as ``populateForReading`` for writing, so that the first store to each page takes no fault.
        case populateForWriting = 23
    }

    /// Gives advice about memory that begins at the start of a page. A hint.
    static func advise(_ advice: Advice, _ memory: MutableBytes) {
        #if os(Linux)
        _ = unsafe madvise(memory.start, memory.count, advice.rawValue)
        #endif
    }

    /// Number of pages that ``presentBytes(_:untilMissing:)`` checks in one call.
    private static let pagesOfCall = 1024

    /// Returns the bytes of complete pages of a mapping that are in memory; all bytes if the system does not report it.
    /// - Parameters:
    ///   - mapping: begins at the start of a page.
    ///   - untilMissing: true to stop counting at the first group of pages that has a missing one.
    static func presentBytes(_ mapping: MutableBytes, untilMissing: Bool = false) -> Int {
        #if os(Linux)
        let pageSize = pageSize
        let pageCount = (mapping.count + pageSize - 1) / pageSize
        return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: min(pageCount, pagesOfCall)) { marks in
            var present = 0
            for first in stride(from: 0, to: pageCount, by: pagesOfCall) {
                let count = min(pagesOfCall, pageCount - first)
                let start = unsafe mapping.start + first * pageSize
                guard unsafe mincore(start, count * pageSize, marks.baseAddress) == 0 else { return mapping.count }
                let found = unsafe marks[..<count].count { $0 & 1 != 0 }
                present += found * pageSize
                if untilMissing, found < count { break }
            }
            return present
        }
        #else
        return mapping.count
        #endif
    }

    static let pageSize = Int(sysconf(Int32(_SC_PAGESIZE)))

    // MARK: Time, threads, process

    /// Returns the nanoseconds of a clock that never steps back.
    static func monotonicNanoseconds() -> UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }

    /// Yields the processor to another thread.
    static func yieldThread() { sched_yield() }

    /// Suspends the calling thread for a time.
    static func sleep(microseconds: UInt32) { usleep(microseconds) }

    /// True if ``fenceThreads()`` is available.
    static let canFenceThreads = callMembarrier(16)  // MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED

    /// Makes all other threads of the process pass a full memory fence before it returns (membarrier(2)). Takes some
    /// microseconds.
    /// - Returns: false if the system refuses.
    static func fenceThreads() -> Bool { callMembarrier(8) }  // MEMBARRIER_CMD_PRIVATE_EXPEDITED

    private static func callMembarrier(_ command: Int) -> Bool {
        #if os(Linux)
        return linuxSystemCall(membarrier, command, 0, 0) == 0
        #else
        return false
        #endif
    }

    /// A number that each thread has its own copy of, 0 at first.
    struct ThreadLocal: Sendable {
        #if canImport(Darwin)
        typealias Destructor = @convention(c) (UnsafeMutableRawPointer) -> Void
        #else
        typealias Destructor = @convention(c) (UnsafeMutableRawPointer?) -> Void
        #endif

        private let key: pthread_key_t

        /// Creates the number, with 0 in each thread.
        /// - Parameter onExit: gets the number of a thread that ends, as the bits of an address, if it is not 0.
        @safe
        init(onExit: Destructor) {
            var key = pthread_key_t()
            // Fails only if the process has a thousand keys.
            unsafe precondition(pthread_key_create(&key, onExit) == 0)
            self.key = key
        }

        @inline(__always)
        var value: Int {
            get { unsafe Int(bitPattern: pthread_getspecific(key)) }
            nonmutating set { unsafe pthread_setspecific(key, UnsafeRawPointer(bitPattern: newValue)) }
        }
    }

    /// A word of the calling thread, 0 at first. Nobody is told when the thread ends.
    ///
    /// Neither accessor is inlined, because each object file has a word of its own.
    static var threadWord: Int {
        @inline(never) get { unsafe siltstone_thread_word().pointee }
        @inline(never) set { unsafe siltstone_thread_word().pointee = newValue }
    }

    /// The process's working directory; nil, with an error number, on failure.
    static var currentDirectory: String? {
        unsafe string(freeing: getcwd(nil, 0))
    }

    /// Returns the absolute path of a file or directory, without links and dots; nil if it does not exist.
    static func realPath(_ path: String) -> String? {
        unsafe string(freeing: realpath(path, nil))
    }

    private static func string(freeing text: UnsafeMutablePointer<CChar>?) -> String? {
        guard let text = unsafe text else { return nil }
        defer { unsafe free(text) }
        return unsafe String(cString: text)
    }

    static var processIdentifier: Int32 { getpid() }

    /// Returns true if a process with this number exists, as far as this process can see.
    static func isAlive(process: Int32) -> Bool { process > 0 && (kill(process, 0) == 0 || errno != ESRCH) }

    /// A POSIX mutex and condition variable; see ``ConditionLock``.
    @safe
    struct MutexAndCondition: @unchecked Sendable {  // made for use by several threads, and never moved
        private let mutex: UnsafeMutablePointer<pthread_mutex_t>
        private let condition: UnsafeMutablePointer<pthread_cond_t>

        init() {
            unsafe mutex = .allocate(capacity: 1)
            unsafe condition = .allocate(capacity: 1)
            unsafe mutex.initialize(to: pthread_mutex_t())
            unsafe condition.initialize(to: pthread_cond_t())
            // Both fail only for lack of memory, which traps everywhere in Swift.
            unsafe precondition(Self.initialize(mutex) == 0 && pthread_cond_init(condition, nil) == 0)
        }

        /// Initializes a mutex whose waiters spin for a moment before they sleep, if the C library supports that,
        /// because a wake-up takes ten times as long as the work under most locks.
        private static func initialize(_ mutex: UnsafeMutablePointer<pthread_mutex_t>) -> Int32 {
            #if canImport(Glibc)
            var attributes = pthread_mutexattr_t()
            guard unsafe pthread_mutexattr_init(&attributes) == 0 else { return unsafe pthread_mutex_init(mutex, nil) }
            defer { unsafe pthread_mutexattr_destroy(&attributes) }
            unsafe pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ADAPTIVE_NP))
            return unsafe pthread_mutex_init(mutex, &attributes)
            #else
            return pthread_mutex_init(mutex, nil)
            #endif
        }

        func destroy() {
            unsafe pthread_cond_destroy(condition)
            unsafe pthread_mutex_destroy(mutex)
            unsafe mutex.deallocate()
            unsafe condition.deallocate()
        }

        @inline(__always) func lock() { unsafe pthread_mutex_lock(mutex) }
        @inline(__always) func unlock() { unsafe pthread_mutex_unlock(mutex) }
        func tryLock() -> Bool { unsafe pthread_mutex_trylock(mutex) == 0 }
        func wait() { unsafe pthread_cond_wait(condition, mutex) }
        func wakeAll() { unsafe pthread_cond_broadcast(condition) }
    }
}
