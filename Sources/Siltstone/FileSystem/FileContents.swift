/// The bytes of a file, up to its length when this is made: mapped, or read into memory.
///
/// A mapping also shows later writes to these bytes, and accessing them after the file was cut is SIGBUS. Bytes that
/// were read are a copy.
final class FileContents: Sendable {
    /// The bytes. They stay valid as long as this object lives.
    let bytes: Bytes
    private let memory: Memory

    private enum Memory: Sendable {
        case none
        case mapping(any FileMapping)
        case heap(HeapBytes)
        /// Anonymous pages, which this object unmaps.
        case pages(MutableBytes)
    }

    /// The largest file that is always read, in bytes. Mapping a file, its page fault and the end of the mapping take
    /// longer than the copy: 30 microseconds against one for the manifest of a small store.
    private static let mostCopied = 16 << 10

    /// Maps or reads a file.
    /// - Parameters:
    ///   - file: may be closed afterwards.
    ///   - mapped: true to map a file that is not small. A mapping takes no memory of its own and turns an I/O error into
    ///     SIGBUS. If the file cannot be mapped, it is read.
    convenience init(_ file: any File, mapped: Bool) throws(FileSystemError) {
        let size = try file.sizeFully()
        if size <= Self.mostCopied {
            try self.init(copying: file, size: size)
            return
        }
        if mapped {
            do {
                let mapping = try file.map(length: size, writable: false)
                self.init(mapping)
                return
            } catch {
                // A file system that cannot map can still be read. If the error has another cause, reading meets it
                // too.
            }
        }
        try self.init(readingPages: file, size: size)
    }

    private init(_ mapping: any FileMapping) {
        memory = .mapping(mapping)
        bytes = mapping.memory.bytes
    }

    /// Reads a file into the heap.
    private init(copying file: any File, size: Int) throws(FileSystemError) {
        guard size > 0 else {
            memory = .none
            bytes = .emptyBytes
            return
        }
        let copy = HeapBytes(count: size)
        let count = try file.readFully(into: copy.buffer, at: 0)
        memory = .heap(copy)
        bytes = copy.buffer.prefix(count).bytes
    }

    /// Reads a file into anonymous pages instead of the heap: a log may be large, and pages go back to the system at once
    /// when this object ends.
    private init(readingPages file: any File, size: Int) throws(FileSystemError) {
        guard let pages = Platform.mapAnonymous(length: size) else {
            throw FileSystemError("read", path: file.path, errorNumber: Platform.errorNumber)
        }
        do {
            let count = try file.readFully(into: pages, at: 0)
            memory = .pages(pages)
            bytes = pages.prefix(count).bytes
        } catch {
            Platform.unmap(pages)
            throw error
        }
    }

    deinit {
        if case .pages(let pages) = memory { Platform.unmap(pages) }
    }
}
