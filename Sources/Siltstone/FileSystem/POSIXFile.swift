import Synchronization

/// An open file of the operating system.
final class POSIXFile: File {
    let path: String
    /// The descriptor, or −1 once closed. It is not kept after that, because another file may get the same number.
    private let descriptor: Atomic<Int32>
    /// Largest size of the file in bytes (`RLIMIT_FSIZE`). If a write starts at or beyond it, or a call makes the file
    /// longer than it, the kernel ends the process by a signal (`SIGXFSZ`). Only the application may decide to ignore
    /// that signal. So no such call is made. Taken when the file is opened.
    private let sizeLimit = Platform.fileSizeLimit
    /// Most bytes of one read. Darwin refuses more than `INT_MAX`.
    private static let maxReadBytes = 1 << 30

    init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = Atomic(descriptor)
    }

    /// Closes the file. Everything that must be durable was synced before, so an error of the close loses nothing.
    deinit {
        let number = number
        if number >= 0 { _ = Platform.closeFile(number) }
    }

    /// The descriptor; −1 once closed.
    var number: Int32 { descriptor.load(ordering: .relaxed) }

    private func failure(_ operation: String, offset: Int? = nil) -> FileSystemError {
        POSIXFileSystem.failure(operation, path, offset: offset)
    }

    /// Returns the error of a call that ``sizeLimit`` forbids.
    private func tooLarge(_ operation: String, offset: Int) -> FileSystemError {
        FileSystemError(operation, path: path, errorNumber: Platform.fileTooLarge, offset: offset)
    }

    func size() throws(FileSystemError) -> Int {
        guard let status = Platform.status(ofDescriptor: number) else { throw failure("stat") }
        return status.size
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(FileSystemError) -> Int {
        let part = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Self.maxReadBytes))
        let count = unsafe Platform.readFile(number, part, at: offset)
        if count < 0 { throw failure("read", offset: offset) }
        return count
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileSystemError) -> Int {
        // The kernel cuts a write that crosses the limit short, without the signal.
        if offset >= sizeLimit, unsafe !bytes.isEmpty { throw tooLarge("write", offset: offset) }
        let count = unsafe Platform.writeFile(number, bytes, at: offset)
        if count < 0 { throw failure("write", offset: offset) }
        return count
    }

    func write(
        _ head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer, _ tail: UnsafeRawBufferPointer, at offset: Int
    ) throws(FileSystemError) -> Int {
        if offset >= sizeLimit, head.count + body.count + tail.count > 0 { throw tooLarge("write", offset: offset) }
        let count = unsafe Platform.writeFile(number, head, body, tail, at: offset)
        if count < 0 { throw failure("write", offset: offset) }
        return count
    }

    func reserve(offset: Int, length: Int) throws(FileSystemError) {
        if offset + length > sizeLimit { throw tooLarge("reserve", offset: offset) }
        let code = Platform.reserve(number, offset: offset, length: length)
        if code != 0 { throw FileSystemError("reserve", path: path, errorNumber: code, offset: offset) }
    }

    func preallocate(offset: Int, length: Int) {
        // Some file systems send the signal for the limit here, too.
        guard offset < sizeLimit else { return }
        Platform.preallocate(number, offset: offset, length: min(length, sizeLimit - offset))
    }

    func truncate(to length: Int) throws(FileSystemError) {
        if length > sizeLimit { throw tooLarge("truncate", offset: length) }
        if Platform.truncateFile(number, to: length) != 0 { throw failure("truncate", offset: length) }
    }

    func sync() throws(FileSystemError) {
        if Platform.syncFile(number) != 0 { throw failure("sync") }
    }

    func beginSync(offset: Int, length: Int) { Platform.beginSync(number, offset: offset, length: length) }

    func map(length: Int, writable: Bool) throws(FileSystemError) -> any FileMapping {
        guard length > 0 else {
            return unsafe POSIXMapping(MutableBytes(start: nil, count: 0))
        }
        guard let memory = Platform.mapFile(number, length: length, writable: writable) else { throw failure("map") }
        return POSIXMapping(memory)
    }

    func close() throws(FileSystemError) {
        let number = descriptor.exchange(-1, ordering: .relaxed)
        // After EINTR, Linux has closed the descriptor. So the call is not repeated, and EINTR is not reported.
        if number >= 0, Platform.closeFile(number) != 0, Platform.errorNumber != Platform.interrupted {
            throw failure("close")
        }
    }

    /// Releases the lock of a lock file, and closes the file.
    /// - Parameter clearingOwner: true if the file's first line names this process as the owner, and must be cleared.
    func unlockAndClose(clearingOwner: Bool) {
        // Taken first, so that a concurrent call does not write to a descriptor that is closed and used again.
        let number = descriptor.exchange(-1, ordering: .relaxed)
        if number < 0 { return }
        // An empty line clears the name. A truncation would free the file's block. On a full disk the next owner could
        // then not write its name. If the write fails, an error may later name the wrong owner.
        if clearingOwner {
            _ = unsafe [UInt8(ascii: "\n")].withUnsafeBytes { unsafe Platform.writeFile(number, $0, at: 0) }
        }
        Platform.unlockFile(number)
        _ = Platform.closeFile(number)
    }
}

/// A mapping of the operating system.
///
/// `@unchecked Sendable`: the range is fixed; the owner decides which thread may access which bytes when.
@safe
final class POSIXMapping: FileMapping, @unchecked Sendable {
    let bytes: UnsafeMutableRawBufferPointer

    init(_ memory: MutableBytes) { unsafe bytes = unsafe memory.buffer }

    deinit {
        if unsafe bytes.count > 0 { Platform.unmap(memory) }
    }

    func prepareForWriting(offset: Int, length: Int) { advise(.populateForWriting, offset, length) }

    func prepareForReading(offset: Int, length: Int) { advise(.populateForReading, offset, length) }

    func expectRandomReads(offset: Int, length: Int) { advise(.randomReads, offset, length) }

    func beginReading(offset: Int, length: Int) { advise(.beginReading, offset, length) }

    private func advise(_ advice: Platform.Advice, _ offset: Int, _ length: Int) {
        if let pages = pages(offset, length) { Platform.advise(advice, pages) }
    }

    func isInMemory(offset: Int, length: Int) -> Bool {
        // Nothing to check: the range is empty or not completely in the mapping.
        guard let pages = pages(offset, length) else { return true }
        return Platform.presentBytes(pages, untilMissing: true) >= pages.count
    }

    var bytesInMemory: Int { min(memory.count, Platform.presentBytes(memory)) }
}
