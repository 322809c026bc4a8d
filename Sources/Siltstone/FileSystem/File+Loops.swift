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
    func readFully(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(FileSystemError) -> Int {
        var done = 0
        while done < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let count = try retryingInterrupted { () throws(FileSystemError) in try read(into: rest, at: offset + done)
            }
            if count == 0 { break }
            done += count
        }
        return done
    }

    /// Writes all of `bytes`.
    func writeFully(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileSystemError) {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count = try retryingInterrupted { () throws(FileSystemError) in try write(rest, at: offset + done) }
            if count == 0 {
                // POSIX allows it for no error; to loop for ever on it would be a hang.
                throw FileSystemError(
                    "write", path: path, errorNumber: Platform.inputOutputError, offset: offset + done,
                    detail: "the file takes no more bytes")
            }
            done += count
        }
    }

    /// Writes all of `bytes`.
    func writeFully(_ bytes: [UInt8], at offset: Int) throws(FileSystemError) {
        // The standard library rethrows any error, not this one: hence the result.
        let result = bytes.withUnsafeBytes { buffer in
            Result { () throws(FileSystemError) in try writeFully(buffer, at: offset) }
        }
        try result.get()
    }

    /// All bytes of the file.
    func readAll() throws(FileSystemError) -> [UInt8] {
        let length = try size()
        var bytes = [UInt8](repeating: 0, count: length)
        let result = bytes.withUnsafeMutableBytes { buffer -> Result<Int, FileSystemError> in
            Result { () throws(FileSystemError) in try readFully(into: buffer, at: 0) }
        }
        bytes.removeLast(length - (try result.get()))
        return bytes
    }

    /// ``sync()``, made again where a signal interrupts it.
    func syncFully() throws(FileSystemError) { try retryingInterrupted { () throws(FileSystemError) in try sync() } }
}
