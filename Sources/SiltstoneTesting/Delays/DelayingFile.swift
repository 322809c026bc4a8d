import Siltstone

/// A file of a ``DelayingFileSystem``.
final class DelayingFile: File {
    private let base: any File
    private let delayer: Delayer

    init(_ base: any File, _ delayer: Delayer) {
        self.base = base
        self.delayer = delayer
    }

    var path: String { base.path }

    func size() throws(FileSystemError) -> Int {
        try delayer.around(.size) { () throws(FileSystemError) in try base.size() }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(FileSystemError) -> Int {
        try delayer.around(.read) { () throws(FileSystemError) in try unsafe base.read(into: buffer, at: offset) }
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileSystemError) -> Int {
        try delayer.around(.write) { () throws(FileSystemError) in try unsafe base.write(bytes, at: offset) }
    }

    func write(
        _ head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer, _ tail: UnsafeRawBufferPointer, at offset: Int
    ) throws(FileSystemError) -> Int {
        try delayer.around(.write) { () throws(FileSystemError) in try unsafe base.write(head, body, tail, at: offset) }
    }

    func reserve(offset: Int, length: Int) throws(FileSystemError) {
        try delayer.around(.reserve) { () throws(FileSystemError) in try base.reserve(offset: offset, length: length) }
    }

    func preallocate(offset: Int, length: Int) { base.preallocate(offset: offset, length: length) }

    func truncate(to length: Int) throws(FileSystemError) {
        try delayer.around(.truncate) { () throws(FileSystemError) in try base.truncate(to: length) }
    }

    func sync() throws(FileSystemError) {
        try delayer.around(.sync) { () throws(FileSystemError) in try base.sync() }
    }

    func beginSync(offset: Int, length: Int) { base.beginSync(offset: offset, length: length) }

    func map(length: Int, writable: Bool) throws(FileSystemError) -> any FileMapping {
        let mapping = try delayer.around(.map) { () throws(FileSystemError) in
            try base.map(length: length, writable: writable)
        }
        return DelayingMapping(mapping, delayer)
    }

    func close() throws(FileSystemError) {
        try delayer.around(.close) { () throws(FileSystemError) in try base.close() }
    }
}

/// A mapping of a ``DelayingFile``, with the bytes of the mapping below.
private final class DelayingMapping: FileMapping {
    private let base: any FileMapping
    private let delayer: Delayer

    init(_ base: any FileMapping, _ delayer: Delayer) {
        self.base = base
        self.delayer = delayer
    }

    var bytes: UnsafeMutableRawBufferPointer { unsafe base.bytes }

    func prepareForWriting(offset: Int, length: Int) {
        delayer.around(.prepare) { base.prepareForWriting(offset: offset, length: length) }
    }

    func prepareForReading(offset: Int, length: Int) {
        delayer.around(.prepare) { base.prepareForReading(offset: offset, length: length) }
    }

    func expectRandomReads(offset: Int, length: Int) { base.expectRandomReads(offset: offset, length: length) }

    func beginReading(offset: Int, length: Int) {
        delayer.around(.prepare) { base.beginReading(offset: offset, length: length) }
    }

    func isInMemory(offset: Int, length: Int) -> Bool { base.isInMemory(offset: offset, length: length) }

    var bytesInMemory: Int { base.bytesInMemory }
}

/// A lock of a ``DelayingFileSystem``.
final class DelayingLock: FileLock {
    private let base: any FileLock
    private let delayer: Delayer

    init(_ base: any FileLock, _ delayer: Delayer) {
        self.base = base
        self.delayer = delayer
    }

    func release() { delayer.around(.lock) { base.release() } }

    func isInPlace() -> Bool { base.isInPlace() }
}
