/// The bytes of a file, up to its length when this is made: mapped, or read into memory.
///
/// A mapping also shows later writes to these bytes, and accessing them after the file was cut is SIGBUS. Bytes that
/// were read are a copy.
final class FileContents: Sendable {
    /// The bytes. The memory stays mapped as long as this object lives.
    let bytes: Bytes
    /// The mapping of the file, or of the anonymous memory into which it was read.
    private let mapping: any FileMapping

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
                bytes = mapping.memory.bytes
                return
            } catch {
                // A file system that cannot map can still be read. If the error has another cause, reading meets it
                // too.
            }
        }
        // Anonymous pages instead of the heap, because a log may be large, and pages go back to the system at once when
        // this object ends. One byte at least, because there is no empty mapping.
        guard let memory = Platform.mapAnonymous(length: max(1, size)) else {
            throw FileSystemError("read", path: file.path, errorNumber: Platform.errorNumber)
        }
        let mapping = POSIXMapping(memory)
        let count = try file.readFully(into: memory[..<size], at: 0)
        self.mapping = mapping
        bytes = memory[..<count].bytes
    }
}
