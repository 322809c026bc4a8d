/// All bytes of a file, as they were when it was opened: mapped, or read into memory.
final class FileContents: Sendable {
    /// The bytes, valid as long as this object.
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
        let size = try file.length()
        if mapped, size > 0 {
            do {
                let mapping = try file.map(length: size, writable: false)
                self.mapping = mapping
                memory = nil
                bytes = mapping.memory.bytes
                return
            } catch {
                // A file system that cannot map can still be read. If this was a real error, reading fails too.
            }
        }
        mapping = nil
        guard size > 0 else {
            memory = nil
            bytes = .emptyBytes
            return
        }
        // The bytes go to anonymous pages instead of the heap, because a log may be large, and only the pages that are
        // read take memory.
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
