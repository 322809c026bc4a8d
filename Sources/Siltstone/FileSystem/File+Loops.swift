/// Repeats a call while signals interrupt it.
@inline(__always)
func retrying<R>(_ call: @autoclosure () throws(FileSystemError) -> R) throws(FileSystemError) -> R {
    while true {
        do { return try call() } catch { if !error.isInterrupted { throw error } }
    }
}

extension FileSystem {
    /// Creates a file with these bytes, and makes them durable. The name is durable only after
    /// ``FileSystem/syncDirectory(_:)``. After an error, the file may exist.
    func create(_ path: String, _ bytes: [UInt8]) throws(FileSystemError) {
        let file = try retrying(open(path, .createNew))
        try file.writeFully(bytes, at: 0)
        try file.syncFully()
        try file.close()  // not repeated: on Linux, an interrupted close has closed the descriptor
    }

    /// Makes the directory's entries durable: all of them, also those that earlier calls created, and the store relies
    /// on that.
    ///
    /// After a failed sync it is unknown which names are durable, even if the error is ENOSPC. So the error says that
    /// the state on disk is unknown (``StoreError/leavesDoubt``). A refusal (no descriptor, no permission) is
    /// different: it comes from opening the directory, before any sync.
    func syncNames(in directory: String) throws(StoreError) {
        do throws(FileSystemError) { try retrying(syncDirectory(directory)) } catch {
            throw Platform.isRefusal(error.errorNumber) ? StoreError(error) : StoreError(error).asUncertain
        }
    }

    /// Removes a directory with its files, after another failure. Ignores its own errors, because the first error is
    /// the one to report. If a file cannot be removed, the others are removed all the same.
    func discardDirectory(_ path: String) {
        do {
            for name in try retrying(entries(of: path)) {
                do { try retrying(remove(path + "/" + name)) } catch { continue }
            }
            try retrying(removeDirectory(path))
        } catch { return }
    }
}

extension File {
    /// Reads until `buffer` is full or the file ends.
    /// - Returns: bytes read; fewer than requested only at the end of the file.
    func readFully(into buffer: MutableBytes, at offset: Int) throws(FileSystemError) -> Int {
        var done = 0
        while done < buffer.count {
            let rest = buffer[done...]
            let count = try retrying(readOnce(into: rest, at: offset + done))
            if count == 0 { break }
            done += count
        }
        return done
    }

    /// Writes all of `bytes`.
    func writeFully(_ bytes: Bytes, at offset: Int) throws(FileSystemError) {
        try writeAll(bytes.count, at: offset) { done throws(FileSystemError) in
            try writeOnce(bytes.dropped(done), at: offset + done)
        }
    }

    /// Writes three pieces completely, one after the other.
    func writeFully(
        _ head: Bytes, _ body: Bytes, _ tail: Bytes, at offset: Int
    ) throws(FileSystemError) {
        let (bodyStart, tailStart) = (head.count, head.count + body.count)
        try writeAll(tailStart + tail.count, at: offset) { done throws(FileSystemError) in
            try writeOnce(
                head.dropped(done), body.dropped(done - bodyStart), tail.dropped(done - tailStart), at: offset + done)
        }
    }

    /// Repeats a call that writes a part, until `count` bytes are written.
    /// - Parameter write: writes from byte `done` on, and returns the number of bytes that it has written.
    private func writeAll(
        _ count: Int, at offset: Int, _ write: (_ done: Int) throws(FileSystemError) -> Int
    ) throws(FileSystemError) {
        var done = 0
        while done < count {
            let written = try retrying(write(done))
            if written == 0 {
                // POSIX allows this result without an error. Repeating the call for ever would be a hang.
                throw FileSystemError(
                    "write", path: path, errorNumber: Platform.inputOutputError, offset: offset + done,
                    detail: "the file takes no more bytes")
            }
            done += written
        }
    }

    /// Writes all of `bytes`.
    func writeFully(_ bytes: [UInt8], at offset: Int) throws(FileSystemError) {
        try bytes.withBytes { buffer throws(FileSystemError) in try writeFully(buffer, at: offset) }
    }

    /// Writes zeros, 256 KiB in a call, at multiples of that size (4 KiB if no memory can be mapped).
    ///
    /// On file systems with large folios, Linux keeps each piece in one folio. A sync writes the whole folio if any
    /// byte of it was changed. With pieces of 1 MiB, preparing costs a sixth less. A small sync then takes 350 µs
    /// instead of 130 µs (`Docs/Experiments.md`, "The same, 1 MiB at a time").
    /// - Parameter range: in bytes.
    func writeZeros(_ range: Range<Int>) throws(FileSystemError) {
        var position = range.lowerBound
        while position < range.upperBound {
            let next = min(range.upperBound, (position / Zeros.bytes.count + 1) * Zeros.bytes.count)
            try writeFully(Bytes(rebasing: Zeros.bytes[..<(next - position)]), at: position)
            position = next
        }
    }

    /// Reads all bytes of the file.
    func readAll() throws(FileSystemError) -> [UInt8] { try readFirst(sizeFully()) }

    /// Reads the first `length` bytes of the file; fewer if it is shorter.
    func readFirst(_ length: Int) throws(FileSystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: length)
        let count = try bytes.withMutableBytes { buffer throws(FileSystemError) in try readFully(into: buffer, at: 0) }
        bytes.removeLast(length - count)
        return bytes
    }

    /// Same as ``size()``, repeated while a signal interrupts it. Some network and user-space file systems let a signal
    /// interrupt this call.
    func sizeFully() throws(FileSystemError) -> Int {
        try retrying(size())
    }

    /// Same as ``sync()``, repeated while a signal interrupts it.
    func syncFully() throws(FileSystemError) { try retrying(sync()) }

    /// Rewrites a part of the file with its own bytes, so that the next sync brings it to stable storage.
    ///
    /// On Linux, a failed sync may mark the unwritten pages as clean, so no later sync writes them. On some file
    /// systems readers still see the bytes until the kernel evicts the pages, which it may do at any time, or until the
    /// next crash (Rebello et al., "Can Applications Recover from fsync Failures?", USENIX ATC 2020). Code that finds
    /// bytes in a file and does not know whether they were synced rewrites them before it relies on them.
    ///
    /// Nobody else may write the range meanwhile, because this writes the old bytes back.
    /// - Parameter range: in bytes, within the file.
    func rewrite(_ range: Range<Int>) throws(FileSystemError) {
        // A larger step would take fewer calls and more memory. The exact value was not measured.
        let step = 1 << 20
        let buffer = MutableBytes.allocate(byteCount: min(step, range.count), alignment: 64)
        defer { buffer.deallocate() }
        var position = range.lowerBound
        while position < range.upperBound {
            let piece = buffer[..<min(step, range.upperBound - position)]
            let count = try readFully(into: piece, at: position)
            if count == 0 { return }
            try writeFully(piece[..<count].bytes, at: position)
            beginSync(offset: position, length: count)  // so that the sync has less left to write
            position += count
        }
    }
}

extension Bytes {
    /// All but the first `bytes` bytes; empty if there are fewer, complete for a negative number.
    fileprivate func dropped(_ bytes: Int) -> Bytes {
        Bytes(rebasing: dropFirst(Swift.max(0, bytes)))
    }
}

/// Zeros to write.
private enum Zeros {
    /// Number of zeros; see ``File/writeZeros(_:)``.
    private static let count = 256 << 10

    /// Mapped and never written, so that the kernel backs all of it with its shared zero page.
    static let bytes: Bytes = {
        if let mapped = Platform.mapAnonymous(length: count) { return mapped.bytes }
        // One page, for the life of the process.
        let few = MutableBytes.allocate(byteCount: 4096, alignment: 64)
        few.fill(with: 0)
        return few.bytes
    }()
}
