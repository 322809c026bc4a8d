import Synchronization

/// Appends frames to a log or a manifest.
///
/// One caller at a time appends, under the store's write lock. ``sync()`` and ``prepare(ahead:)`` may run on other
/// threads meanwhile.
///
/// A *mapped* log is written by stores to a shared mapping of reserved space, so a small change costs its copy and its
/// checksum but no system call. The mapping is made for the log's full capacity, and extends past the end of the file.
/// Only a log that exceeds its capacity is mapped again. The writer never accesses a byte after the reserved space,
/// because that would be SIGBUS. An *unmapped* log takes one `pwrite` for each frame: with ``LogWriting/written``, and
/// on file systems that cannot reserve or map. A mapped log, too, takes frames by `pwrite` while they are synced one by
/// one or a few at a time. A *sealed* log takes no more frames.
///
/// A failed append does not move the end. If the disk was full, it changes nothing, and may be tried again later. Any
/// other failed write, and any failed sync, ends all writing to this log. After a failed sync the kernel may have
/// dropped the pages and report the next sync as a success (Rebello et al., "Can Applications Recover from fsync
/// Failures?", USENIX ATC 2020).
final class LogWriter: Sendable {
    /// The options of a log.
    struct Options: Sendable {
        /// Whether frames are stored through a mapping.
        var writing = LogWriting.mapped
        /// Expected size of the log, in bytes. Not a limit: a longer log is mapped anew.
        var capacity = 64 << 20
        /// Bytes to reserve at first; 0 to reserve none, which means an unmapped log.
        var firstStep = 256 << 10
        /// Largest number of bytes to reserve in a step. Each step is twice the one before, up to this.
        var greatestStep = 16 << 20
        /// The space that the log leaves free; nil if it may take all.
        var spare: SpareSpace?
    }

    /// State that only the appending caller reads and changes.
    struct Tail: ~Copyable {
        /// Start of the next frame, as an offset in bytes.
        var end: Int
        /// The checksum of the last frame.
        var previous: UInt32
        /// The checksum of the frame that was encoded last. It becomes ``previous`` once the frame is written.
        var encoded: UInt32 = 0
        /// The mapping; nil in an unmapped log, before the first reservation, and once sealed.
        var mapped: MutableBytes?
        /// Buffer in which frames are assembled for `pwrite`; allocated at the first use.
        var buffer: MutableBytes?

        deinit { buffer?.deallocate() }
    }

    /// Size in bytes up to which a frame is assembled before it is written. Larger frames are written piece by piece.
    static let bufferSize = 64 << 10

    let path: String
    /// The number in the file's name.
    let number: UInt64
    let file: any File
    let options: Options
    /// The checksum of the file's header. The checksum of each frame covers it, so a frame is valid only in its file.
    let fileChecksum: UInt32
    let tail: HeapCell<Tail>
    /// End of the last frame, in bytes, for other threads.
    let endMark: Atomic<Int>
    /// Everything before this offset is on stable storage, in bytes. Every frame carries it as its synced mark.
    let syncedMark: Atomic<Int>
    /// A frame that ends at or before this offset may be stored through the mapping at once. It is 0 in a log that is
    /// unmapped, sealed or has failed, so an append checks only this.
    let room = Atomic<Int>(0)
    /// The reserved space, which appending and preparing threads extend.
    let space: Locked<Space>
    /// Held during a sync.
    let syncing = ConditionLock(.sync)

    /// Creates a writer that appends at `end`. The bytes before it count as synced.
    private init(_ file: any File, _ header: FileHeader, end: Int, previous: UInt32, _ options: Options) {
        path = file.path
        number = header.number
        self.file = file
        self.options = options
        fileChecksum = header.checksum
        endMark = Atomic(end)
        syncedMark = Atomic(end)
        space = Locked(Space(reservedEnd: end, options), rank: .leaf)
        tail = HeapCell(Tail(end: end, previous: previous))
        options.spare?.noteLog(end)
    }

    deinit { options.spare?.noteLog(-space.withLock { $0.reservedEnd }) }

    /// Creates the file, and syncs its header. The name is not durable until the caller syncs the directory, which it
    /// must do before anything refers to the file. After an error, the file is removed if possible.
    static func create(
        _ fileSystem: any FileSystem, path: String, header: FileHeader, options: Options = Options()
    ) throws(StoreError) -> LogWriter {
        let file = try storeErrors(retrying(fileSystem.open(path, .createNew)))
        do {
            let writer = LogWriter(file, header, end: FileHeader.size, previous: header.checksum, options)
            try storeErrors(file.writeFully(header.encoded(), at: 0))
            if options.firstStep > 0 { try writer.makeRoom(upTo: FileHeader.size + FrameHeader.size) }
            // The sync follows the reservation, so that the first commit does not pay for writing the reservation to
            // disk.
            try storeErrors(file.syncFully())
            return writer
        } catch {
            // An error of the removal is ignored: no manifest names a file that remains.
            do { try fileSystem.remove(path) } catch {}
            throw error
        }
    }

    /// Resumes a file after its last valid frame. Cuts off the rest on disk, and syncs the frames before it, because
    /// later frames will mark them as synced. Writes nothing if the frames are known to be synced and nothing follows
    /// them.
    /// - Parameters:
    ///   - end: end of the last valid frame, in bytes.
    ///   - syncedEnd: offset in bytes up to which the frames are known to be synced. Later frames are rewritten,
    ///     because the sync that should have made them durable may have failed.
    ///   - previous: the checksum of the last valid frame, or of the header if there is none.
    static func resume(
        _ fileSystem: any FileSystem, path: String, header: FileHeader, end: Int, syncedEnd: Int, previous: UInt32,
        options: Options = Options()
    ) throws(StoreError) -> LogWriter {
        precondition(end >= FileHeader.size && end % 8 == 0)
        let file = try storeErrors(retrying(fileSystem.open(path, .readWrite)))
        let size = try storeErrors(file.sizeFully())
        if size < end { throw .corrupt("the file is shorter than what was read from it", file: path, offset: size) }
        if size > end || syncedEnd < end {
            if size > end { try storeErrors(retrying(file.truncate(to: end))) }
            try storeErrors(file.rewrite(min(syncedEnd, end)..<end))
            // After a failed sync the state of the file is unknown, even if the error is ENOSPC.
            do throws(FileSystemError) { try file.syncFully() } catch { throw StoreError(error).asUncertain }
        }
        return LogWriter(file, header, end: end, previous: previous, options)
    }

    /// End of the last frame, in bytes. Any thread may read it.
    var end: Int { endMark.load(ordering: .acquiring) }

    /// Everything before this offset is on stable storage, in bytes. Any thread may read it.
    var syncedEnd: Int { syncedMark.load(ordering: .acquiring) }

    /// Returns the link for the first frame of the next log. For the appending caller.
    /// - Parameter lastSequence: the sequence number of the last change in this log.
    func link(lastSequence: SequenceNumber) -> LogLink {
        LogLink(
            log: number, end: UInt64(tail.value.end), checksum: tail.value.previous, synced: UInt64(syncedEnd),
            lastSequence: lastSequence)
    }
}

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

    /// Returns true if so few bytes are unsynced that a frame goes through `pwrite` although the log is mapped.
    ///
    /// A sync leaves the following pages write-protected. The next store to one of them is a page fault, which costs
    /// more than a system call and leaves the next sync a page table to change. If more bytes are appended between two
    /// syncs, the saved system calls pay for the fault.
    @inline(__always)
    private func isNearlySynced(_ end: Int) -> Bool {
        end &- syncedMark.load(ordering: .relaxed) < Self.unmappedReach
    }

    /// Bytes after the last sync for which frames of a mapped log go through `pwrite` and not the mapping. This made
    /// synced puts of one thread a quarter faster (`Docs/Experiments.md`).
    private static let unmappedReach = 4 << 10

    /// Appends a frame that needs more space first, or that goes through `pwrite`.
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
        if end + size > room.load(ordering: .acquiring) { try makeRoom(upTo: end + size) }
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
            fileChecksum: fileChecksum, offset: tail.value.end, body: payload.bytes)
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
        var checksum = header.checksum(fileChecksum: fileChecksum, offset: tail.value.end)
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

extension LogWriter {
    /// Makes everything that was appended before the call durable. With a `limit`, only everything before that offset
    /// is sure to be durable. May run on any thread, concurrently with appends. Concurrent calls run one after the
    /// other.
    ///
    /// Later frames carry the synced mark, which lets a reader tell damage from a torn tail.
    /// - Parameter limit: largest offset in bytes to which the mark may move; nil moves it to the end that the sync
    ///   covers. The frames of a log may refer to other files. The mark must not cover a frame whose files were not
    ///   synced before.
    /// - Throws: ``StoreError/Code/inputOutput``, whatever the error of the file system, because the state on disk is
    ///   unknown; ``StoreError/Code/refusesWrites`` if an earlier append or sync has ended the writing.
    func sync(upTo limit: Int? = nil) throws(StoreError) {
        try syncing.withLock { () throws(StoreError) in
            if let failure { throw failure.refusal }
            let target = limit ?? end
            if syncedMark.load(ordering: .relaxed) >= target { return }
            do throws(FileSystemError) { try file.syncFully() } catch { throw fail(StoreError(error).asUncertain) }
            syncedMark.store(target, ordering: .releasing)
        }
    }

    /// Ends the log after its last frame: releases the reserved space that is not used, and syncs. Later appends are
    /// refused; the file stays open. For the appending caller.
    /// - Throws: as ``sync()``.
    func seal() throws(StoreError) {
        let (isFirst, reserved) = space.withLock { space -> (Bool, Int) in
            defer {
                space.isSealed = true
                space.mapping = nil
                room.store(0, ordering: .releasing)
            }
            return (!space.isSealed, space.reservedEnd)
        }
        tail.value.mapped = nil
        if let failure { throw failure.refusal }
        let end = tail.value.end
        if isFirst, reserved > end {
            do { try retrying(file.truncate(to: end)) } catch { throw fail(StoreError(error).asUncertain) }
            space.withLock { setReservedEnd(&$0, end) }
        }
        try sync()
    }

    /// Closes the file cleanly: appends a close frame, calls ``seal()``, and closes the file. For the appending caller.
    /// - Throws: as ``sync()``, and the errors of the append and of closing the file.
    func close() throws(StoreError) {
        do {
            try append(frame: .close)
        } catch {
            // A full disk has no space for the frame. The log does not need it, because it reads the same without the
            // frame.
            guard error.code == .noSpace || error.code == .closed else { throw error }
        }
        try closeWithoutFrame()
    }

    /// Closes the file without a close frame: for a log that was closed before and has not grown. For the appending
    /// caller.
    /// - Throws: as ``sync()``.
    func closeWithoutFrame() throws(StoreError) {
        try seal()
        do throws(FileSystemError) { try file.close() } catch { throw StoreError(error).asUncertain }
    }

    // MARK: Failures

    /// Ends all writing to this log.
    /// - Returns: `error`, which the caller throws. Later calls throw its ``StoreError/refusal``.
    func fail(_ error: StoreError) -> StoreError {
        space.withLock { space in
            if space.failure == nil { space.failure = error }
            room.store(0, ordering: .releasing)
        }
        return error
    }

    /// The error that ended the writing to this log.
    var failure: StoreError? { space.withLock { $0.failure } }
}

extension StoreError {
    /// The error that every later write throws after this one has ended the writing; it cites this one as the cause.
    var refusal: StoreError {
        StoreError(
            .refusesWrites,
            "an earlier write failed, and the store takes no more until it is opened again (\(message))",
            file: file, offset: offset, errorNumber: errorNumber)
    }
}
