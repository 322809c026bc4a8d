import Synchronization

extension LogWriter {
    /// Appends one change as a frame of its own.
    /// - Throws: ``StoreError/Code/noSpace``, which leaves the log unchanged, so that the append may be tried again;
    ///   ``StoreError/Code/tooLarge`` for a payload of 4 GiB or more, or a frame that would end after 32 GiB of the
    ///   file; ``StoreError/Code/closed`` once the log is sealed; else ``StoreError/Code/inputOutput``, and for every
    ///   later call ``StoreError/Code/refusesWrites``.
    @inline(__always)
    func append(kind: RecordKind, key: Bytes, value: Bytes, sequence: SequenceNumber) throws(StoreError) {
        try append(ChangeBody(kind: kind, key: key, value: value), .batch, first: sequence, count: 1)
    }

    /// Appends changes that take effect atomically.
    /// - Parameters:
    ///   - payload: the changes, encoded as in ``WriteBatch``.
    ///   - firstSequence: the sequence number of the first change.
    ///   - count: number of changes.
    /// - Throws: as ``append(kind:key:value:sequence:)``.
    func append(batch payload: Bytes, firstSequence: SequenceNumber, count: Int) throws(StoreError) {
        try append(WholeBody(payload: payload), .batch, first: firstSequence, count: count)
    }

    /// Appends a frame without changes.
    /// - Throws: as ``append(kind:key:value:sequence:)``.
    func append(frame kind: FrameKind, payload: Bytes = .emptyBytes) throws(StoreError) {
        try append(WholeBody(payload: payload), kind, first: 0, count: 0)
    }

    /// Appends the first frame of a log.
    /// - Throws: as ``append(kind:key:value:sequence:)``.
    func append(link: LogLink) throws(StoreError) {
        assert(tail.value.end == FileHeader.size)
        let bytes = link.encoded()
        try bytes.withBytes { payload throws(StoreError) in try append(frame: .link, payload: payload) }
    }

    /// Appends a frame: stores it in the mapping if that has room, otherwise calls ``appendSlowly(_:_:first:count:)``.
    @inline(__always)
    private func append<Body: FrameBody>(
        _ body: Body, _ kind: FrameKind, first: SequenceNumber, count: Int
    ) throws(StoreError) {
        let length = body.length
        let end = tail.value.end
        if length <= FrameHeader.greatestPayload,
            end &+ FrameHeader.frameSize(payload: length) <= room.load(ordering: .acquiring),
            !isNearlySynced(end), let mapped = tail.value.mapped
        {
            let size = encode(body, length, kind, first: first, count: count, to: mapped, at: end)
            advance(by: size)
        } else {
            try appendSlowly(body, kind, first: first, count: count)
        }
    }

    /// Returns true if so few bytes are unsynced that a frame is written although the log is mapped.
    ///
    /// A sync leaves the following pages write-protected. The next store to one of them is a page fault, which costs
    /// more than a system call and leaves the next sync a page table to change. If more bytes are appended between two
    /// syncs, the saved system calls pay for the fault.
    @inline(__always)
    private func isNearlySynced(_ end: Int) -> Bool {
        end &- syncedMark.load(ordering: .relaxed) < Self.writtenReach
    }

    /// Bytes after the last sync for which a mapped log writes frames instead of storing them. This made synced puts of
    /// one thread a quarter faster (`Docs/Experiments.md`).
    private static let writtenReach = 4 << 10

    /// Appends a frame that needs more space first, or that is written.
    @inline(never)
    private func appendSlowly<Body: FrameBody>(
        _ body: Body, _ kind: FrameKind, first: SequenceNumber, count: Int
    ) throws(StoreError) {
        let length = body.length
        let end = tail.value.end
        guard length <= FrameHeader.greatestPayload,
            end + FrameHeader.frameSize(payload: length) <= FrameHeader.greatestOffset,
            count >= 0, count <= Int(UInt32.max)
        else {
            throw StoreError(
                .tooLarge, "a batch of \(length) bytes and \(count) changes does not fit the log; write it in parts",
                file: path)
        }
        let size = FrameHeader.frameSize(payload: length)
        try makeRoom(upTo: end + size)
        let isStored = size > Self.bufferSize || !isNearlySynced(end)
        if isStored, let mapped = tail.value.mapped {
            encode(body, length, kind, first: first, count: count, to: mapped, at: end)
        } else if size <= Self.bufferSize {
            let buffer = frameBuffer()
            encode(body, length, kind, first: first, count: count, to: buffer, at: 0)
            try write(file.writeFully(buffer[..<size].bytes, at: end))
        } else {
            try write(writeParts(body, length, kind, first: first, count: count))
        }
        advance(by: size)
    }

    /// Encodes the next frame at an offset of `bytes`, the mapping or a buffer. The following frame will link to its
    /// checksum.
    /// - Returns: the size of the frame in bytes.
    @inline(__always)
    @discardableResult
    private func encode<Body: FrameBody>(
        _ body: Body, _ length: Int, _ kind: FrameKind, first: SequenceNumber, count: Int,
        to bytes: MutableBytes, at offset: Int
    ) -> Int {
        let size = FrameHeader.frameSize(payload: length)
        let frame = bytes.uncheckedSlice(offset, size)
        let payload = frame.uncheckedSlice(FrameHeader.size, size &- FrameHeader.size)
        // Zeroes the last 8 bytes, which contain the padding. The payload then overwrites its part of them.
        frame.uncheckedStore(UInt64(0), at: size &- 8)
        body.write(to: payload)
        let header = header(length, kind, first: first, count: count)
        let checksum = header.checksum(
            file: fileChecksum, offset: tail.value.end, body: payload.bytes)
        header.write(checksum: checksum, to: frame)
        tail.value.encoded = checksum
        return size
    }

    /// Returns the header of the next frame.
    @inline(__always)
    private func header(_ length: Int, _ kind: FrameKind, first: SequenceNumber, count: Int) -> FrameHeader {
        FrameHeader(
            length: UInt32(truncatingIfNeeded: length), firstSequence: first,
            count: UInt32(truncatingIfNeeded: count), previous: tail.value.previous,
            mark: UInt32(truncatingIfNeeded: syncedMark.load(ordering: .relaxed) &>> 3), kind: kind.rawValue)
    }

    /// Makes the frame that was encoded last a part of the log.
    @inline(__always)
    private func advance(by size: Int) {
        tail.value.previous = tail.value.encoded
        tail.value.end &+= size
        endMark.store(tail.value.end, ordering: .releasing)
    }

    /// Returns the buffer of ``bufferSize`` bytes, which it allocates at the first call.
    private func frameBuffer() -> MutableBytes {
        if let buffer = tail.value.buffer { return buffer }
        let buffer = MutableBytes.allocate(byteCount: Self.bufferSize, alignment: 8)
        tail.value.buffer = buffer
        return buffer
    }

    /// Writes a frame that is too large to copy: the parts of the payload, the padding, then the header.
    private func writeParts<Body: FrameBody>(
        _ body: Body, _ length: Int, _ kind: FrameKind, first: SequenceNumber, count: Int
    ) throws(FileSystemError) {
        let buffer = frameBuffer()
        let header = header(length, kind, first: first, count: count)
        var checksum = header.checksum(file: fileChecksum, offset: tail.value.end)
        var position = tail.value.end + FrameHeader.size
        try body.forEachPart { part throws(FileSystemError) in
            checksum = CRC32.checksum(part, continuing: checksum)
            try file.writeFully(part, at: position)
            position += part.count
        }
        let padding = FrameHeader.frameSize(payload: length) - FrameHeader.size - length
        buffer.store(UInt64(0), at: 0)
        checksum = CRC32.checksum(buffer[..<padding].bytes, continuing: checksum)
        try file.writeFully(buffer[..<padding].bytes, at: position)
        // The header is written last, because a reader ignores the rest without it.
        header.write(checksum: checksum, to: buffer)
        try file.writeFully(buffer[..<FrameHeader.size].bytes, at: tail.value.end)
        tail.value.encoded = checksum
    }

    /// Makes the calls that write a frame, and cleans up if they fail.
    ///
    /// A failed write may leave bytes after the end, and the next frame might overwrite only some of them. A reader
    /// would take the others for a torn frame, so all are cut off at once.
    private func write(_ calls: @autoclosure () throws(FileSystemError) -> Void) throws(StoreError) {
        do { try calls() } catch {
            guard error.isNoSpace else { throw fail(StoreError(error).asUncertain) }
            do {
                let end = tail.value.end
                try retrying(file.truncate(to: end))
                space.withLock { didTruncate(&$0, to: end) }
            } catch {
                // The outcome is uncertain even on a full disk, because the complete frame may be in the file.
                throw fail(StoreError(error).asUncertain)
            }
            throw StoreError(error)
        }
    }
}
