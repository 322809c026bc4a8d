extension FileSystem {
    /// Makes a call again as long as signals interrupt it.
    func retrying<R>(_ body: () throws(FileSystemError) -> R) throws(FileSystemError) -> R {
        try retryingInterrupted(body)
    }
}

/// Makes a call again as long as signals interrupt it.
@inline(__always)
func retryingInterrupted<R>(_ body: () throws(FileSystemError) -> R) throws(FileSystemError) -> R {
    while true {
        do { return try body() } catch { if !error.isInterrupted { throw error } }
    }
}

extension File {
    /// Reads until `buffer` is full or the file ends.
    /// - Returns: bytes read; fewer than asked for only at the end of the file.
    func readFully(into buffer: MutableBytes, at offset: Int) throws(FileSystemError) -> Int {
        var done = 0
        while done < buffer.count {
            let rest = buffer[done...]
            let count = try retryingInterrupted { () throws(FileSystemError) in
                try unsafe read(into: rest.buffer, at: offset + done)
            }
            if count == 0 { break }
            done += count
        }
        return done
    }

    /// Writes all of `bytes`.
    func writeFully(_ bytes: Bytes, at offset: Int) throws(FileSystemError) {
        try writeAll(bytes.count, at: offset) { done throws(FileSystemError) in
            try unsafe write(bytes.dropped(done).buffer, at: offset + done)
        }
    }

    /// Writes all of three pieces, one behind the other.
    func writeFully(
        _ head: Bytes, _ body: Bytes, _ tail: Bytes, at offset: Int
    ) throws(FileSystemError) {
        let (bodyStart, tailStart) = (head.count, head.count + body.count)
        try writeAll(tailStart + tail.count, at: offset) { done throws(FileSystemError) in
            try unsafe write(
                head.dropped(done).buffer, body.dropped(done - bodyStart).buffer, tail.dropped(done - tailStart).buffer,
                at: offset + done)
        }
    }

    /// Repeats a call that writes a part, from how many bytes are done on, until all are.
    private func writeAll(
        _ count: Int, at offset: Int, _ write: (_ done: Int) throws(FileSystemError) -> Int
    ) throws(FileSystemError) {
        var done = 0
        while done < count {
            let written = try retryingInterrupted { () throws(FileSystemError) in try write(done) }
            if written == 0 {
                // POSIX allows it for no error; to loop for ever on it would be a hang.
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

    /// Writes zeros, 256 KiB a call, at multiples of that.
    ///
    /// Linux keeps each such piece in one folio, and a sync writes the whole of every folio that was stored to: with pieces of
    /// 1 MiB they come a fifth cheaper, and a small sync takes three times as long, with these one and a half times.
    /// - Parameter range: in bytes.
    func writeZeros(_ range: Range<Int>) throws(FileSystemError) {
        var position = range.lowerBound
        while position < range.upperBound {
            let next = min(range.upperBound, (position / Zeros.bytes.count + 1) * Zeros.bytes.count)
            try writeFully(Bytes(rebasing: Zeros.bytes[..<(next - position)]), at: position)
            position = next
        }
    }

    /// All bytes of the file.
    func readAll() throws(FileSystemError) -> [UInt8] {
        let length = try length()
        var bytes = [UInt8](repeating: 0, count: length)
        let count = try bytes.withMutableBytes { buffer throws(FileSystemError) in try readFully(into: buffer, at: 0) }
        bytes.removeLast(length - count)
        return bytes
    }

    /// ``size()``, asked again where a signal interrupts it, as file systems on a network and in processes allow.
    func length() throws(FileSystemError) -> Int {
        try retryingInterrupted { () throws(FileSystemError) in try size() }
    }

    /// ``sync()``, made again where a signal interrupts it.
    func syncFully() throws(FileSystemError) { try retryingInterrupted { () throws(FileSystemError) in try sync() } }

    /// Writes again what a part of the file holds, so that the next sync brings it to stable storage.
    ///
    /// A sync that fails leaves what it should have written in the kernel's memory, marked as written: readers see it, no
    /// later sync writes it, and the next crash takes it (Rebello et al., "Can Applications Recover from fsync
    /// Failures?", USENIX ATC 2020). Who finds bytes in a file and does not know that they were synced does this before
    /// building on them.
    /// - Parameter range: in bytes, within the file.
    func rewrite(_ range: Range<Int>) throws(FileSystemError) {
        let step = 1 << 20
        let buffer = MutableBytes.allocate(byteCount: min(step, range.count), alignment: 64)
        defer { buffer.deallocate() }
        var position = range.lowerBound
        while position < range.upperBound {
            let piece = buffer[..<min(step, range.upperBound - position)]
            let count = try readFully(into: piece, at: position)
            if count == 0 { return }
            try writeFully(piece[..<count].bytes, at: position)
            beginSync(offset: position, length: count)
            position += count
        }
    }
}

extension Bytes {
    /// Without the first bytes, as far as there are so many; all of it for a negative number.
    fileprivate func dropped(_ bytes: Int) -> Bytes {
        Bytes(rebasing: dropFirst(Swift.max(0, bytes)))
    }
}

/// Zeros to write.
private enum Zeros {
    /// Bytes of zeros.
    private static let count = 256 << 10

    /// Mapped and never touched, so that all of it is one page of memory, or none.
    static let bytes: Bytes = {
        if let mapped = Platform.mapAnonymous(length: count) { return mapped.bytes }
        let few = MutableBytes.allocate(byteCount: 4096, alignment: 64)  // for the life of the process
        few.fill(with: 0)
        return few.bytes
    }()
}
