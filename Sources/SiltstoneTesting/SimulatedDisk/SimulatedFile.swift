import CRUDKit
import Foundation
import Siltstone

/// An open file of a simulated disk.
final class SimulatedFile: File {
    let path: String
    private let inode: SimulatedInode
    private let file: MemoryFile
    private let disk: SimulatedFileSystem

    init(_ path: String, _ inode: SimulatedInode, isWritable: Bool, disk: SimulatedFileSystem) {
        self.path = path
        self.inode = inode
        self.disk = disk
        file = MemoryFile(path: path, data: inode.memory, isWritable: isWritable)
    }

    /// Makes a call that changes the file.
    private func change(
        _ operation: DiskCall.Operation, _ body: () throws(FileSystemError) -> Void
    ) throws(FileSystemError) {
        disk.announce(operation, path)
        try disk.atomically { _ throws(FileSystemError) in
            try body()
            inode.didChange()
        }
    }

    func size() throws(FileSystemError) -> Int { try file.size() }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(FileSystemError) -> Int {
        try unsafe file.read(into: buffer, at: offset)
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileSystemError) -> Int {
        var count = 0
        try change(.write) { () throws(FileSystemError) in
            inode.willChange(max(offset, 0)..<max(offset, 0) + bytes.count)
            count = try unsafe file.write(bytes, at: offset)
        }
        return count
    }

    func reserve(offset: Int, length: Int) throws(FileSystemError) {
        try change(.reserve) { () throws(FileSystemError) in try file.reserve(offset: offset, length: length) }
    }

    func truncate(to length: Int) throws(FileSystemError) {
        try change(.truncate) { () throws(FileSystemError) in
            inode.willChange(max(length, 0)..<max(length, inode.memory.size))
            try file.truncate(to: length)
        }
    }

    func sync() throws(FileSystemError) {
        disk.announce(.sync, path)
        let fails = disk.syncFails(path)
        try disk.atomically { _ throws(FileSystemError) in
            try file.sync()
            if fails { inode.failSync() } else { inode.sync() }
        }
        if fails { throw FileSystemError("sync", path: path, errorNumber: EIO) }
    }

    func map(length: Int, writable: Bool) throws(FileSystemError) -> any FileMapping {
        let mapping = try file.map(length: length, writable: writable)
        return writable ? SimulatedMapping(mapping, inode, disk) : mapping
    }

    func close() throws(FileSystemError) { try file.close() }
}

/// A mapping for writing. While it exists, any byte of the file may have changed.
private final class SimulatedMapping: FileMapping {
    private let mapping: any FileMapping
    private let inode: SimulatedInode
    private let disk: SimulatedFileSystem

    init(_ mapping: any FileMapping, _ inode: SimulatedInode, _ disk: SimulatedFileSystem) {
        self.mapping = mapping
        self.inode = inode
        self.disk = disk
        disk.exclusively { inode.didMapForWriting() }
    }

    deinit { disk.exclusively { inode.didUnmapForWriting() } }

    var bytes: UnsafeMutableRawBufferPointer { unsafe mapping.bytes }

    func prepareForWriting(offset: Int, length: Int) { mapping.prepareForWriting(offset: offset, length: length) }
}

/// The lock of a file of a simulated disk. ``release()``, or the end of the last reference, clears the note and unlocks.
final class SimulatedFileLock: FileLock {
    private let inode: SimulatedInode
    private let exclusive: Bool
    private let isHeld = Locked(true)
    private let call: PathCall
    private let disk: SimulatedFileSystem

    init(
        _ inode: SimulatedInode, exclusive: Bool, note: String, _ call: PathCall, _ disk: SimulatedFileSystem
    ) throws(FileSystemError) {
        self.inode = inode
        self.call = call
        self.disk = disk
        self.exclusive = exclusive
        guard inode.memory.lock(exclusive: exclusive) else {
            isHeld.withLock { $0 = false }
            throw FileSystemError("lock", path: call.path, errorNumber: EWOULDBLOCK, detail: "held by \(owner())")
        }
        guard exclusive else { return }
        // The note is only for people, so it need not survive a crash.
        inode.memory.resize(to: 0, shrinking: true)
        _ = unsafe Array(note.utf8).withUnsafeBytes { unsafe inode.memory.write($0, at: 0) }
    }

    deinit { release() }

    func isInPlace() -> Bool {
        do throws(FileSystemError) {
            return try disk.atomically { root throws(FileSystemError) in
                guard case .file(let found) = try root.find(call) else { return false }
                return found === inode
            }
        } catch { return false }
    }

    private func owner() -> String {
        let text = unsafe [UInt8](unsafeUninitializedCapacity: 200) { buffer, count in
            count = unsafe inode.memory.read(into: UnsafeMutableRawBufferPointer(buffer), at: 0)
        }
        return text.isEmpty ? "another" : String(decoding: text, as: UTF8.self)
    }

    func release() {
        let wasHeld = isHeld.withLock { isHeld in
            defer { isHeld = false }
            return isHeld
        }
        guard wasHeld else { return }
        if exclusive { inode.memory.resize(to: 0, shrinking: true) }
        inode.memory.unlock(exclusive: exclusive)
    }
}
