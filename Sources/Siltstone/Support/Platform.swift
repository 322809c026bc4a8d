// This file and `Platform+Files.swift` are the only ones that name the C library: they have every call that the engine
// makes of it, and all differences by platform.

import CInstructions

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
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

    /// Returns true if the file system does not support the operation at all. POSIX also allows `EINVAL` for that
    /// (posix_fallocate(3)), so callers check their arguments themselves.
    static func isUnsupported(_ code: Int32) -> Bool { code == EOPNOTSUPP || code == ENOSYS || code == EINVAL }

    /// Returns the text for an error number.
    static func describe(_ code: Int32) -> String {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let start = buffer.baseAddress else { return "error \(code)" }
            return unsafe String(cString: siltstone_describe_error(code, start, buffer.count))
        }
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
