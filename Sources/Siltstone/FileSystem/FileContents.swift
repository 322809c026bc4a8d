/// All bytes of a file, as they were when it was opened: mapped, or read into memory.
final class FileContents: Sendable {
    /// The bytes, valid as long as this object.
    let bytes: Bytes
    /// What keeps them where they are mapped.
    private let mapping: (any FileMapping)?
    /// The anonymous memory that holds them where they were read.
    private let memory: MutableBytes?

    /// - Parameters:
    ///   - file: may be closed afterwards.
    ///   - mapped: whether to map the file, which takes no memory of its own and turns an I/O error into SIGBUS;
    ///     where that is not possible, the file is read.
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
                // A file system that cannot map can be read; if this was a real error, reading meets it too.
            }
        }
        mapping = nil
        guard size > 0 else {
            memory = nil
            bytes = .emptyBytes
            return
        }
        // Anonymous pages, not the heap: logs may be large, and take memory only as far as they are read.
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
