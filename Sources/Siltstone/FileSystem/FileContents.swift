/// The bytes of a file, up to its length when this is made: mapped, or read into memory.
///
/// A mapping also shows later writes to these bytes, and accessing them after the file was cut is SIGBUS. Bytes that
/// were read are a copy.
final class FileContents: Sendable {
    /// The bytes. They stay valid as long as this object lives.
    let bytes: Bytes
    /// The owner of the bytes: a mapping of the file, or the memory into which it was read.
    private let owner: any AnyObject & Sendable

    /// The largest file that is always read, in bytes. To map the manifest of a small store, to access its page and to
    /// unmap it took some 30 microseconds, and to read it one.
    private static let mostCopied = 16 << 10

    /// Maps or reads a file.
    /// - Parameters:
    ///   - file: may be closed afterwards.
    ///   - mapped: true to map the file unless it is small. A mapping takes no memory of its own and turns an I/O error
    ///     into SIGBUS. If the file cannot be mapped, it is read.
    init(_ file: any File, mapped: Bool) throws(FileSystemError) {
        let size = try file.sizeFully()
        if size <= Self.mostCopied {
            let copy = HeapBytes(count: size)
            let count = try file.readFully(into: copy.buffer, at: 0)
            (owner, bytes) = (copy, copy.buffer.prefix(count).bytes)
            return
        }
        if mapped {
            do {
                let mapping = try file.map(length: size, writable: false)
                (owner, bytes) = (mapping, mapping.memory.bytes)
                return
            } catch {
                // A file system that cannot map can still be read. If the error has another cause, reading meets it
                // too.
            }
        }
        // Anonymous pages instead of the heap, because a log may be large, and pages go back to the system at once when
        // this object ends.
        guard let pages = Platform.mapAnonymous(length: size) else {
            throw FileSystemError("read", path: file.path, errorNumber: Platform.errorNumber)
        }
        let mapping = POSIXMapping(pages)
        let count = try file.readFully(into: pages, at: 0)
        (owner, bytes) = (mapping, pages.prefix(count).bytes)
    }
}
