import Synchronization

/// An open file of the operating system.
final class POSIXFile: File {
    let path: String
    /// The descriptor, or −1 once closed. It is not kept after that, because another file may get the same number.
    private let descriptor: Atomic<Int32>
    /// Largest size of the file in bytes (`RLIMIT_FSIZE`). If a call starts at or beyond it, the kernel ends the
    /// process by a signal (`SIGXFSZ`), and only the application may decide to ignore that signal. So no call starts
    /// there.
    private let sizeLimit = Platform.fileSizeLimit

    init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = Atomic(descriptor)
    }

    deinit { closeIgnoringErrors() }

    /// The descriptor; −1 once closed.
    private var number: Int32 { descriptor.load(ordering: .relaxed) }

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
        let count = unsafe Platform.readFile(number, buffer, at: offset)
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
            return unsafe POSIXMapping(UnsafeMutableRawBufferPointer(start: nil, count: 0))
        }
        guard let address = unsafe Platform.mapFile(number, length: length, writable: writable) else {
            throw failure("map")
        }
        return unsafe POSIXMapping(UnsafeMutableRawBufferPointer(start: address, count: length))
    }

    func close() throws(FileSystemError) {
        let number = descriptor.exchange(-1, ordering: .relaxed)
        // After EINTR the descriptor is closed nevertheless (Linux), so the call is not repeated.
        if number >= 0, Platform.closeFile(number) != 0, Platform.errorNumber != Platform.interrupted {
            throw failure("close")
        }
    }

    /// Releases the lock of a lock file, and closes the file.
    /// - Parameter clearingOwner: true if the file's first line names this process as the owner, and must be cleared.
    func unlockAndClose(clearingOwner: Bool) {
        let number = number
        if number >= 0 {
            // An empty line clears the name. Truncating the file would free its block, and on a full disk the next
            // owner might get none for its name. If the write fails, an error may later name the wrong owner.
            if clearingOwner {
                _ = unsafe [UInt8(ascii: "\n")].withUnsafeBytes { unsafe Platform.writeFile(number, $0, at: 0) }
            }
            Platform.unlockFile(number)
        }
        closeIgnoringErrors()
    }

    /// Closes the file. Everything that must be durable was synced before, so an error of the close loses nothing.
    func closeIgnoringErrors() {
        let number = descriptor.exchange(-1, ordering: .relaxed)
        if number >= 0 { _ = Platform.closeFile(number) }
    }
}

/// A mapping of the operating system.
///
/// `@unchecked Sendable`: the range is fixed; the owner decides which thread may access which bytes when.
@safe
final class POSIXMapping: FileMapping, @unchecked Sendable {
    let bytes: UnsafeMutableRawBufferPointer

    init(_ bytes: UnsafeMutableRawBufferPointer) { unsafe self.bytes = unsafe bytes }

    deinit {
        if unsafe bytes.count > 0 { Platform.unmap(memory) }
    }

    func prepareForWriting(offset: Int, length: Int) {
        if let start = unsafe start(offset, length) { unsafe Platform.populateForWriting(start, length: length) }
    }

    func prepareForReading(offset: Int, length: Int) {
        if let start = unsafe start(offset, length) { unsafe Platform.populateForReading(start, length: length) }
    }

    func expectRandomReads(offset: Int, length: Int) {
        if let pages = unsafe pages(offset, length) {
            unsafe Platform.adviseRandom(pages.address, length: pages.length)
        }
    }

    func beginReading(offset: Int, length: Int) {
        if let pages = unsafe pages(offset, length) {
            unsafe Platform.beginReading(pages.address, length: pages.length)
        }
    }

    func isInMemory(offset: Int, length: Int) -> Bool {
        // Nothing outside of the mapping needs to be read.
        guard let pages = unsafe pages(offset, length) else { return true }
        return unsafe Platform.arePresent(pages.address, length: pages.length)
    }

    var bytesInMemory: Int {
        guard let base = unsafe bytes.baseAddress else { return 0 }
        return unsafe min(bytes.count, Platform.presentBytes(base, length: bytes.count))
    }

    /// Extends a range down to the start of its first page, which `madvise` requires; nil if the range is empty or
    /// outside of the mapping.
    private func pages(_ offset: Int, _ length: Int) -> (address: UnsafeMutableRawPointer, length: Int)? {
        guard let start = unsafe start(offset, length) else { return nil }
        let before = Int(bitPattern: start) & (Platform.pageSize - 1)
        return unsafe (start - before, before + length)
    }

    /// Returns the address of a range; nil if the range is empty or outside of the mapping.
    private func start(_ offset: Int, _ length: Int) -> UnsafeMutableRawPointer? {
        guard let base = unsafe bytes.baseAddress, offset >= 0, length > 0, unsafe offset + length <= bytes.count else {
            return nil
        }
        return unsafe base + offset
    }
}
