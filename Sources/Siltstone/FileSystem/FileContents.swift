/// The bytes of a file, up to its length when this is made: mapped, or read into memory.
///
/// A mapping also shows later writes to these bytes, and accessing them after the file was cut is SIGBUS. Bytes that
/// were read are a copy.
final class FileContents: Sendable {
    /// The bytes. The memory stays mapped as long as this object lives.
    let bytes: Bytes
    /// The mapping, if the file is mapped.
    private let mapping: (any FileMapping)?
    /// The anonymous memory with the bytes, if the file was read.
    private let memory: MutableBytes?

    /// Maps or reads a file.
    /// - Parameters:
    ///   - file: may be closed afterwards.
    ///   - mapped: true to map the file, which takes no memory of its own and turns an I/O error into SIGBUS. If the
    ///     file cannot be mapped, it is read.
    init(_ file: any File, mapped: Bool) throws(FileSystemError) {
        let size = try file.sizeFully()
        if mapped, size > 0 {
            do {
                let mapping = try file.map(length: size, writable: false)
                self.mapping = mapping
                memory = nil
                bytes = mapping.memory.bytes
                return
            } catch {
                // A file system that cannot map can still be read. If the error has another cause, reading meets it
                // too.
            }
        }
        mapping = nil
        guard size > 0 else {
            memory = nil
            bytes = .emptyBytes
            return
        }
        // Anonymous pages instead of the heap, because a log may be large, and pages go back to the system at once when
        // this object ends.
        guard let memory = Platform.mapAnonymous(length: size) else {
            throw FileSystemError("read", path: file.path, errorNumber: Platform.errorNumber)
        }
        do {
            let count = try file.readFully(into: memory, at: 0)
            self.memory = memory
            bytes = memory.prefix(count).bytes
        } catch {
            Platform.unmap(memory)
            throw error
        }
    }

    deinit {
        if let memory { Platform.unmap(memory) }
    }
}
