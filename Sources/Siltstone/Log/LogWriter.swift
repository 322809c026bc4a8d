import Synchronization

/// Appends frames to a log or a manifest.
///
/// Appends are made by one caller at a time, under the store's write lock. ``sync()`` and ``prepare(ahead:)`` may run
/// on other threads meanwhile.
///
/// A *mapped* log is written by stores to a shared mapping of space that was reserved before, so that a small change
/// costs its copy and its checksum and no call. The mapping is made once, for the log's whole capacity, and reaches
/// past the end of the file; no byte behind the reserved space is ever touched, as that would be SIGBUS. A *written*
/// log takes one `pwrite` for a frame; it is the way of file systems that cannot reserve or map, and of a mapped log whose
/// frames are synced one by one or a few at a time.
///
/// A failed append changes nothing: the end does not move. For want of space it may be tried again later. Any other
/// failed write, and any failed sync, ends the writing to this log for ever: after a failed sync the kernel may have
/// dropped the pages and call the next sync a success (Rebello et al., "Can Applications Recover from fsync
/// Failures?", USENIX ATC 2020).
final class LogWriter: Sendable {
    /// What may be chosen for a log.
    struct Options: Sendable {
        var writing = LogWriting.mapped
        /// Bytes that the log will take, as far as can be told. Not a limit.
        var capacity = 64 << 20
        /// Bytes to reserve at first; 0 to reserve none, which means to write.
        var firstStep = 256 << 10
        /// Each step is twice the one before, up to this.
        var greatestStep = 16 << 20
    }

    /// What the appends alone read and change.
    struct Tail: ~Copyable {
        /// Where the next frame goes.
        var end: Int
        /// The checksum of the last frame.
        var previous: UInt32
        /// The checksum of the frame that was encoded last, which becomes ``previous`` once the frame is in its place.
        var encoded: UInt32 = 0
        /// The mapping; nil where the log is written.
        var mapped: MutableBytes?
        /// Where written frames are put together; made when it is needed.
        var buffer: MutableBytes?

        deinit { buffer?.deallocate() }
    }

    /// Greater frames than this, in bytes, are written piece by piece instead of being put together first.
    static let bufferSize = 64 << 10

    let path: String
    /// The number in the file's name.
    let number: UInt64
    let file: any File
    let options: Options
    /// The checksum of the file's header.
    let fileChecksum: UInt32
    let tail: HeapCell<Tail>
    /// Behind the last frame, for other threads.
    let endMark: Atomic<Int>
    /// Everything before this was brought to stable storage.
    let syncedMark: Atomic<Int>
    /// A frame that ends at or before this offset may be stored through the mapping at once. 0 in every other case,
    /// failure included, so that an append has one thing to ask.
    let room = Atomic<Int>(0)
    let space: Locked<Space>
    /// Held during a sync.
    let syncing = ConditionLock(.sync)

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

    /// Makes the file, with its header on stable storage. Its name is durable once the directory is synced, which is
    /// the caller's to do before anything refers to it.
    static func create(
        _ fileSystem: any FileSystem, path: String, header: FileHeader, options: Options = Options()
    ) throws(StoreError) -> LogWriter {
        let file = try storeErrors { () throws(FileSystemError) in
            try retryingInterrupted { () throws(FileSystemError) in try fileSystem.open(path, .createNew) }
        }
        do {
            let writer = LogWriter(file, header, end: FileHeader.size, previous: header.checksum, options)
            try storeErrors { () throws(FileSystemError) in try file.writeFully(header.encoded(), at: 0) }
            if options.firstStep > 0 { try writer.makeRoom(upTo: FileHeader.size + FrameHeader.size) }
            // After reserving, so that the first commit does not pay for bringing that to the disk.
            try storeErrors { () throws(FileSystemError) in try file.syncFully() }
            return writer
        } catch {
            // The first error is the one to tell; a file that stays is one that no manifest names.
            do { try fileSystem.remove(path) } catch {}
            throw error
        }
    }

    /// Goes on with a file behind its last valid frame. What follows there is cut off on disk, and what stands before
    /// is brought to stable storage, as the frames to come will say so. Where that is proven and nothing follows, nothing is
    /// written.
    /// - Parameters:
    ///   - end: where the last valid frame ends.
    ///   - proven: up to where the frames are known to be on stable storage. Those behind it are written again: the sync
    ///     that should have brought them there may have failed.
    ///   - previous: its checksum, or that of the header where there is none.
    static func resume(
        _ fileSystem: any FileSystem, path: String, header: FileHeader, end: Int, proven: Int, previous: UInt32,
        options: Options = Options()
    ) throws(StoreError) -> LogWriter {
        precondition(end >= FileHeader.size && end % 8 == 0)
        let file = try storeErrors { () throws(FileSystemError) in
            try retryingInterrupted { () throws(FileSystemError) in try fileSystem.open(path, .readWrite) }
        }
        let size = try storeErrors { () throws(FileSystemError) in try file.length() }
        if size < end { throw .corrupt("the file is shorter than what was read from it", file: path, offset: size) }
        if size > end || proven < end {
            try storeErrors { () throws(FileSystemError) in
                if size > end {
                    try retryingInterrupted { () throws(FileSystemError) in try file.truncate(to: end) }
                }
                try file.rewrite(min(proven, end)..<end)
            }
            // Even for a full disk: nobody knows then what the file holds.
            do throws(FileSystemError) { try file.syncFully() } catch { throw StoreError(error).asUncertain }
        }
        return LogWriter(file, header, end: end, previous: previous, options)
    }

    /// Where the last frame ends, in bytes. May be asked by any thread.
    var end: Int { endMark.load(ordering: .acquiring) }

    /// Everything before this offset is on stable storage. May be asked by any thread.
    var syncedEnd: Int { syncedMark.load(ordering: .acquiring) }

    /// What the first frame of the log behind this one has to say. To be asked by the one who appends.
    func link(lastSequence: SequenceNumber) -> LogLink {
        LogLink(
            log: number, end: UInt64(tail.value.end), checksum: tail.value.previous, synced: UInt64(syncedEnd),
            lastSequence: lastSequence)
    }
}
