// Besides the option parser, only this file of the tool uses the C library.

import CRUDKit

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The error of a system call outside of the store: on the input, the output or a temporary file.
struct SystemError: Error, Hashable {
    /// The attempted action, such as "cannot read standard input".
    var attempt: String
    /// The operating system's error number.
    var errorNumber: Int32

    /// Whether the reader of the output has closed it.
    var isBrokenPipe: Bool { errorNumber == EPIPE }

    /// Whether a path is wrong: something is there that must not be, or a directory of it is missing.
    var isWrongPath: Bool { [EEXIST, ENOENT, ENOTDIR].contains(errorNumber) }

    var description: String { unsafe "\(attempt): \(String(cString: strerror(errorNumber)))" }
}

/// The system calls of the tool.
enum System {
    static let standardInput: Int32 = 0
    static let standardOutput: Int32 = 1
    static let standardError: Int32 = 2

    // MARK: Descriptors

    /// Opens `/dev/null` for each standard descriptor that is closed. The store protects its own files. But the tool
    /// prints, and the files of Foundation, pipes and sockets would get these numbers.
    /// - Returns: false if that fails.
    static func occupyStandardDescriptors() -> Bool { StandardDescriptors.occupy() }

    /// Opens a file for reading.
    static func open(_ path: String) throws(SystemError) -> Int32 { try open(path, O_RDONLY | O_CLOEXEC) }

    /// Opens a file for writing, and empties or creates it.
    static func openForWriting(_ path: String) throws(SystemError) -> Int32 {
        try open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC)
    }

    private static func open(_ path: String, _ flags: Int32) throws(SystemError) -> Int32 {
        while true {
            let descriptor = tryOpening(path, flags)
            if descriptor >= 0 { return descriptor }
            if errno != EINTR { throw SystemError(attempt: "cannot open \(path)", errorNumber: errno) }
        }
    }

    /// One call. Negative after a failure, with the error in `errno`.
    private static func tryOpening(_ path: String, _ flags: Int32) -> Int32 {
        #if canImport(Darwin)
        Darwin.open(path, flags, 0o666)
        #elseif canImport(Glibc)
        unsafe Glibc.open(path, flags, 0o666)
        #else
        Musl.open(path, flags, 0o666)
        #endif
    }

    /// Closes a descriptor that has nothing left to write.
    static func closeFile(_ descriptor: Int32) { _ = close(descriptor) }

    /// Reads at most `buffer.count` bytes, with one call; 0 at the end.
    static func read(
        _ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer, name: String
    ) throws(SystemError) -> Int {
        while true {
            #if canImport(Darwin)
            let count = Darwin.read(descriptor, buffer.baseAddress, buffer.count)
            #elseif canImport(Glibc)
            let count = unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            #else
            let count = Musl.read(descriptor, buffer.baseAddress, buffer.count)
            #endif
            if count >= 0 { return count }
            if errno != EINTR { throw SystemError(attempt: "cannot read \(name)", errorNumber: errno) }
        }
    }

    /// Writes all bytes.
    static func write(_ descriptor: Int32, _ bytes: Bytes, name: String) throws(SystemError) {
        guard let base = unsafe bytes.buffer.baseAddress else { return }
        var done = 0
        while done < bytes.count {
            #if canImport(Darwin)
            let count = Darwin.write(descriptor, base + done, bytes.count - done)
            #elseif canImport(Glibc)
            let count = unsafe Glibc.write(descriptor, base + done, bytes.count - done)
            #else
            let count = Musl.write(descriptor, base + done, bytes.count - done)
            #endif
            if count >= 0 {
                done += count
            } else if errno != EINTR {
                throw SystemError(attempt: "cannot write \(name)", errorNumber: errno)
            }
        }
    }

    /// The bytes from the current offset to the end of a regular file; nil for pipes, terminals and similar, which can
    /// be read only once.
    static func bytesLeft(_ descriptor: Int32) -> Int? {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        let offset = lseek(descriptor, 0, SEEK_CUR)
        return offset < 0 ? nil : max(0, Int(status.st_size) - Int(offset))
    }

    /// Moves the offset of a regular file back.
    static func rewind(_ descriptor: Int32, by count: Int, name: String) throws(SystemError) {
        if lseek(descriptor, -off_t(count), SEEK_CUR) < 0 {
            throw SystemError(attempt: "cannot rewind \(name)", errorNumber: errno)
        }
    }

    /// Creates an unlinked temporary file, which disappears with its descriptor.
    ///
    /// It lies in `TMPDIR` or else in `/var/tmp`: it may be large, and `/tmp` is often in memory.
    static func temporaryFile() throws(SystemError) -> Int32 {
        let directory = environment("TMPDIR") ?? "/var/tmp"
        var template = Array((directory + "/silt-load-XXXXXX").utf8CString)
        let descriptor = unsafe mkstemp(&template)
        guard descriptor >= 0 else {
            throw SystemError(attempt: "cannot make a temporary file in \(directory)", errorNumber: errno)
        }
        unsafe unlink(&template)
        return descriptor
    }

    // MARK: Directories

    /// Makes a directory whose parent exists.
    static func makeDirectory(_ path: String, mode: mode_t = 0o777) throws(SystemError) {
        if unsafe mkdir(path, mode) != 0 { throw SystemError(attempt: "cannot make \(path)", errorNumber: errno) }
    }

    /// The absolute path without links, `.` and `..`, as the system follows them; nil if it leads nowhere.
    static func realPath(_ path: String) -> String? {
        guard let found = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(found) }
        return unsafe String(cString: found)
    }

    /// Removes a file. Ignores errors.
    static func removeFile(_ path: String) { unsafe _ = unlink(path) }

    /// Removes a directory unless something is in it. Ignores errors.
    static func removeEmptyDirectory(_ path: String) { unsafe _ = rmdir(path) }

    // MARK: Processes

    /// Makes writing to a closed pipe an error (EPIPE). By default the signal ends the process at once.
    static func ignoreBrokenPipe() { _ = signal(SIGPIPE, SIG_IGN) }

    /// Makes a write beyond the limit on file sizes an error (EFBIG). By default the signal ends the process without
    /// a message.
    static func ignoreFileSizeSignal() { _ = signal(SIGXFSZ, SIG_IGN) }

    /// Kills a process with SIGKILL, which it cannot handle.
    static func killProcess(_ identifier: Int32) { _ = kill(identifier, SIGKILL) }

    // MARK: Surroundings

    /// An environment variable; nil if it is unset or empty.
    static func environment(_ name: String) -> String? {
        guard let value = unsafe getenv(name), unsafe value.pointee != 0 else { return nil }
        return unsafe String(cString: value)
    }

    /// Whether a descriptor is a terminal that supports escape sequences.
    static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 && environment("TERM") != "dumb" }

    /// The columns of a terminal; 80 if unknown.
    static func columns(_ descriptor: Int32) -> Int {
        var size = winsize()
        return unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }

    /// Whether the locale's variables, in the order of POSIX, select UTF-8.
    static var isUnicode: Bool {
        let locale = environment("LC_ALL") ?? environment("LC_CTYPE") ?? environment("LANG") ?? ""
        let name = locale.uppercased()
        return name.hasSuffix("UTF-8") || name.hasSuffix("UTF8")
    }

    /// The monotonic clock, in seconds.
    static var seconds: Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    // MARK: Bytes

    /// The index of the first `byte` in `bytes`.
    @inline(__always)
    static func firstIndex(of byte: UInt8, in bytes: Bytes) -> Int? {
        guard let base = unsafe bytes.buffer.baseAddress,
            let found = unsafe memchr(base, Int32(byte), bytes.count)
        else { return nil }
        return unsafe UnsafeRawPointer(found) - base
    }
}
