#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The descriptors 0 to 2, which a process may have closed. A file or socket that got such a number would take what the
/// process prints.
package enum StandardDescriptors {
    /// Gives an open file another number if it has a standard descriptor. `/dev/null` takes its place, so that no later
    /// file gets the number even for a moment.
    /// - Returns: the number, or −1 with an error number; then the file is closed. A failed open's −1 stays as it is.
    static func avoid(_ descriptor: Int32) -> Int32 {
        guard (0...STDERR_FILENO).contains(descriptor) else { return descriptor }
        let moved = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
        let code = errno
        let null = unsafe open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        if null < 0 || dup2(null, descriptor) < 0 { _ = close(descriptor) }
        if null > STDERR_FILENO { _ = close(null) }
        errno = code
        return moved
    }

    /// Opens `/dev/null` for each standard descriptor that is closed, and leaves it open. For a process, or for a C
    /// library that makes its sockets itself. Input is opened for writing and output for reading, so that their use fails
    /// as with a closed descriptor.
    /// - Returns: false if that fails.
    @discardableResult
    package static func occupy() -> Bool {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number, which is this one, unless another thread takes it at this moment.
            let opened = unsafe open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
            guard opened >= 0 else { return false }
            if opened > STDERR_FILENO { _ = close(opened) }
        }
        return true
    }
}
