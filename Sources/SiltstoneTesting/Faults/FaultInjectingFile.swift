import CRUDKit
import Siltstone

/// An open file of a ``FaultInjectingFileSystem``.
final class FaultInjectingFile: File {
    private let base: any File
    private let calls: FaultInjector
    private let isHeld = Locked(true)

    init(_ base: any File, _ calls: FaultInjector) {
        self.base = base
        self.calls = calls
        calls.hold(base.path, 1)
    }

    deinit { letGo() }

    private func letGo() {
        let wasHeld = isHeld.withLock { isHeld in
            defer { isHeld = false }
            return isHeld
        }
        if wasHeld { calls.hold(base.path, -1) }
    }

    var path: String { base.path }

    func size() throws(FileSystemError) -> Int {
        try calls.make(FileSystemCall(.size, path)) { () throws(FileSystemError) in try base.size() }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(FileSystemError) -> Int {
        let call = FileSystemCall(.read, path, offset: offset, length: buffer.count)
        switch calls.meet(call) {
        case nil: return try unsafe base.read(into: buffer, at: offset)
        case .short(let count):
            let part = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(max(1, count)))
            return try unsafe base.read(into: part, at: offset)
        case .error(let number), .errorAfterwards(let number), .errorAfterPart(let number, _):
            throw FaultInjector.failure(call, number)
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileSystemError) -> Int {
        func writePart(_ count: Int) throws(FileSystemError) -> Int {
            if count <= 0 { return 0 }
            return try unsafe base.write(UnsafeRawBufferPointer(rebasing: bytes.prefix(count)), at: offset)
        }
        let call = FileSystemCall(.write, path, offset: offset, length: bytes.count)
        switch calls.meet(call) {
        case nil: return try unsafe base.write(bytes, at: offset)
        case .short(let count): return try writePart(count)
        case .error(let number): throw FaultInjector.failure(call, number)
        case .errorAfterwards(let number):
            _ = try writePart(bytes.count)
            throw FaultInjector.failure(call, number)
        case .errorAfterPart(let number, let count):
            _ = try writePart(count)
            throw FaultInjector.failure(call, number)
        }
    }

    func reserve(offset: Int, length: Int) throws(FileSystemError) {
        try calls.make(FileSystemCall(.reserve, path, offset: offset, length: length)) { () throws(FileSystemError) in
            try base.reserve(offset: offset, length: length)
        }
    }

    func preallocate(offset: Int, length: Int) { base.preallocate(offset: offset, length: length) }

    func truncate(to length: Int) throws(FileSystemError) {
        try calls.make(FileSystemCall(.truncate, path, offset: length)) { () throws(FileSystemError) in
            try base.truncate(to: length)
        }
    }

    func sync() throws(FileSystemError) {
        try calls.make(FileSystemCall(.sync, path)) { () throws(FileSystemError) in try base.sync() }
    }

    func beginSync(offset: Int, length: Int) { base.beginSync(offset: offset, length: length) }

    func map(length: Int, writable: Bool) throws(FileSystemError) -> any FileMapping {
        try calls.make(FileSystemCall(.map, path, length: length)) { () throws(FileSystemError) in
            FaultInjectingMapping(try base.map(length: length, writable: writable), path, calls)
        }
    }

    func close() throws(FileSystemError) {
        let call = FileSystemCall(.close, path)
        let fault = calls.meet(call)
        letGo()
        try base.close()
        if let number = fault?.errorNumber { throw FaultInjector.failure(call, number) }
    }
}

/// A mapping of such a file, counted as held. Reads and stores make no call, so they cannot fail.
///
/// `@unchecked Sendable`: the range is fixed; the owner synchronizes access to the bytes.
@safe
final class FaultInjectingMapping: FileMapping, @unchecked Sendable {
    let bytes: UnsafeMutableRawBufferPointer
    private let base: any FileMapping
    private let path: String
    private let calls: FaultInjector

    init(_ base: any FileMapping, _ path: String, _ calls: FaultInjector) {
        self.base = base
        self.path = path
        self.calls = calls
        unsafe bytes = unsafe base.bytes
        calls.hold(path, 1)
    }

    deinit { calls.hold(path, -1) }

    func prepareForWriting(offset: Int, length: Int) { base.prepareForWriting(offset: offset, length: length) }
    func prepareForReading(offset: Int, length: Int) { base.prepareForReading(offset: offset, length: length) }
    func expectRandomReads(offset: Int, length: Int) { base.expectRandomReads(offset: offset, length: length) }
    func beginReading(offset: Int, length: Int) { base.beginReading(offset: offset, length: length) }
    func isInMemory(offset: Int, length: Int) -> Bool { base.isInMemory(offset: offset, length: length) }
    var bytesInMemory: Int { base.bytesInMemory }
}

/// A lock of a ``FaultInjectingFileSystem``.
final class FaultInjectingLock: FileLock {
    private let base: any FileLock
    private let path: String
    private let calls: FaultInjector
    private let isHeld = Locked(true)

    init(_ base: any FileLock, _ path: String, _ calls: FaultInjector) {
        self.base = base
        self.path = path
        self.calls = calls
        calls.hold(path, 1)
    }

    deinit { letGo() }

    func release() {
        _ = calls.meet(FileSystemCall(.unlock, path))
        letGo()
    }

    func isInPlace() -> Bool { base.isInPlace() }

    private func letGo() {
        let wasHeld = isHeld.withLock { isHeld in
            defer { isHeld = false }
            return isHeld
        }
        // Before the release: the next owner must not find the lock held twice.
        if wasHeld { calls.hold(path, -1) }
        base.release()
    }
}
