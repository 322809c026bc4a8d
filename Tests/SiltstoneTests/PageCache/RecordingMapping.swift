import Synchronization

@testable import Siltstone

/// Files in memory whose mappings take note of what is asked of them, and say that pages are missing where that is
/// wanted.
final class RecordingFileSystem: ForwardingFileSystem {
    let base = InMemoryFileSystem()
    let pages = PageRecord()

    func open(_ path: String, _ mode: FileOpenMode) throws(FileSystemError) -> any File {
        let file = try base.open(path, mode)
        return mode == .read && path.hasSuffix(".segment") ? RecordingFile(file, pages) : file
    }
}

/// What mappings were asked for.
final class PageRecord: Sendable {
    /// Whether mappings say that their pages are in memory.
    let arePresent = Atomic(true)
    /// Runs once, when it is next asked whether pages are there.
    let atNextLook = Locked<(@Sendable () -> Void)?>(nil)
    private let log = Locked<(begun: [Range<Int>], looks: Int, prepared: [Range<Int>])>(([], 0, []))

    /// The ranges that were to be read, in their order.
    var begun: [Range<Int>] { log.withLock { $0.begun } }
    /// How often it was asked whether pages are there.
    var looks: Int { log.withLock { $0.looks } }
    /// The ranges that were to be made present at once, in their order.
    var prepared: [Range<Int>] { log.withLock { $0.prepared } }

    func begin(_ range: Range<Int>) { log.withLock { $0.begun.append(range) } }
    func look() {
        log.withLock { $0.looks += 1 }
        let action = atNextLook.withLock { action in
            defer { action = nil }
            return action
        }
        action?()
    }
    func prepare(_ range: Range<Int>) { log.withLock { $0.prepared.append(range) } }
    func clear() { log.withLock { $0 = ([], 0, []) } }
}

private final class RecordingFile: File {
    private let base: any File
    private let record: PageRecord

    init(_ base: any File, _ record: PageRecord) {
        self.base = base
        self.record = record
    }

    var path: String { base.path }
    func size() throws(FileSystemError) -> Int { try base.size() }
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(FileSystemError) -> Int {
        try base.read(into: buffer, at: offset)
    }
    func map(length: Int, writable: Bool) throws(FileSystemError) -> any FileMapping {
        RecordingMapping(try base.map(length: length, writable: writable), record)
    }
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileSystemError) -> Int {
        try base.write(bytes, at: offset)
    }
    func reserve(offset: Int, length: Int) throws(FileSystemError) { try base.reserve(offset: offset, length: length) }
    func truncate(to length: Int) throws(FileSystemError) { try base.truncate(to: length) }
    func sync() throws(FileSystemError) { try base.sync() }
    func close() throws(FileSystemError) { try base.close() }
}

/// A mapping of memory that takes note of hints.
final class RecordingMapping: FileMapping {
    private let base: any FileMapping
    private let record: PageRecord

    init(_ base: any FileMapping, _ record: PageRecord) {
        self.base = base
        self.record = record
    }

    var bytes: UnsafeMutableRawBufferPointer { base.bytes }
    func prepareForWriting(offset: Int, length: Int) {}
    func prepareForReading(offset: Int, length: Int) { record.prepare(offset..<offset + length) }
    func beginReading(offset: Int, length: Int) { record.begin(offset..<offset + length) }
    func isInMemory(offset: Int, length: Int) -> Bool {
        record.look()
        return record.arePresent.load(ordering: .relaxed)
    }
}
