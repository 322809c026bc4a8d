import Synchronization

/// Appends frames to a log or a manifest.
///
/// One caller at a time appends, under the store's write lock. ``sync()`` and ``prepare(ahead:)`` may run on other
/// threads meanwhile.
///
/// A *mapped* log is written by stores to a shared mapping of reserved space, so a small change costs its copy and its
/// checksum but no system call. The mapping is made once, for the log's full capacity, and extends past the end of the
/// file. The writer never accesses a byte after the reserved space, because that would be SIGBUS. A *written* log takes
/// one `pwrite` for each frame, on file systems that cannot reserve or map. A mapped log, too, takes frames by `pwrite`
/// while they are synced one by one or a few at a time. A *sealed* log takes no more frames.
///
/// A failed append changes nothing, and the end does not move. If the disk was full, the append may be tried again
/// later. Any other failed write, and any failed sync, ends all writing to this log. After a failed sync the kernel may
/// have dropped the pages and report the next sync as a success (Rebello et al., "Can Applications Recover from fsync
/// Failures?", USENIX ATC 2020).
final class LogWriter: Sendable {
    /// The options of a log.
    struct Options: Sendable {
        /// Whether frames are stored through a mapping.
        var writing = LogWriting.mapped
        /// Expected size of the log, in bytes. Not a limit: a longer log is mapped anew.
        var capacity = 64 << 20
        /// Bytes to reserve at first; 0 to reserve none, which means a written log.
        var firstStep = 256 << 10
        /// Largest number of bytes to reserve in a step. Each step is twice the one before, up to this.
        var greatestStep = 16 << 20
    }

    /// State that only the appending caller reads and changes.
    struct Tail: ~Copyable {
        /// Start of the next frame, as an offset in bytes.
        var end: Int
        /// The checksum of the last frame.
        var previous: UInt32
        /// The checksum of the frame that was encoded last. It becomes ``previous`` once the frame is written.
        var encoded: UInt32 = 0
        /// The mapping; nil in a written log, before the first reservation, and once sealed.
        var mapped: MutableBytes?
        /// Buffer in which written frames are assembled; allocated at the first use.
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
    /// written, sealed or has failed, so an append checks only this.
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
        space = Locked(Space(reserved: end, options), rank: .leaf)
        tail = HeapCell(Tail(end: end, previous: previous))
    }

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
    ///   - proven: offset in bytes up to which the frames are known to be synced. Later frames are rewritten, because
    ///     the sync that should have made them durable may have failed.
    ///   - previous: the checksum of the last valid frame, or of the header if there is none.
    static func resume(
        _ fileSystem: any FileSystem, path: String, header: FileHeader, end: Int, proven: Int, previous: UInt32,
        options: Options = Options()
    ) throws(StoreError) -> LogWriter {
        precondition(end >= FileHeader.size && end % 8 == 0)
        let file = try storeErrors(retrying(fileSystem.open(path, .readWrite)))
        let size = try storeErrors(file.length())
        if size < end { throw .corrupt("the file is shorter than what was read from it", file: path, offset: size) }
        if size > end || proven < end {
            if size > end { try storeErrors(retrying(file.truncate(to: end))) }
            try storeErrors(file.rewrite(min(proven, end)..<end))
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
