import Synchronization

/// The value file that takes new values. Holds its writer, and the offsets that other threads read.
///
/// Appends run under the value lock of the engine. ``sync()`` runs beside them on any thread, so it uses the atomic
/// offsets and not the writer.
final class ValueFileAppender: Sendable {
    let number: UInt64
    private let file: any File
    /// Used under ``writing``.
    private let writer: HeapCell<ValueFileWriter>
    private let writing = ConditionLock(.leaf)
    /// See ``isUsable``.
    private let usable = Atomic(true)
    /// The end of the last value.
    let length: ValueFileLength
    /// An offset in bytes. All values before it are on stable storage.
    private let synced = Atomic<Int>(0)
    /// Held during a sync, and by ``rollBack(to:)``. A sync that runs meanwhile could count removed bytes as synced.
    private let syncing = ConditionLock(.sync)
    /// The error of a failed sync. Once it is set, no further sync is tried. Used under ``syncing``.
    private let failure = HeapCell<StoreError?>(nil)

    /// Starts a file.
    /// - Parameter spare: the space that writers leave free; nil if they may take all.
    init(file: any File, number: UInt64, store: StoreIdentity, spare: SpareSpace? = nil) throws(StoreError) {
        self.number = number
        self.file = file
        // Not buffered: readers read a value from the file at once, and it must survive the death of the process.
        let writer = try ValueFileWriter(file: file, number: number, store: store, spare: spare, isBuffered: false)
        length = ValueFileLength(writer.size)
        self.writer = HeapCell(writer)
    }

    /// True if every append so far has succeeded or was undone. After a failed append it is unknown where the file
    /// ends.
    var isUsable: Bool { usable.load(ordering: .relaxed) }

    /// Bytes of the file.
    var size: Int { length.bytes }

    /// Appends a value. The kernel has the value when this returns. The caller holds the value lock.
    /// - Parameter isRelocation: true for a value that a compaction moves. It may take all disk space, but none ahead.
    /// - Throws: ``StoreError``; the file then takes no more values until ``rollBack(to:)`` has cut it.
    func append(
        key: Bytes, value: Bytes, sequence: SequenceNumber, isRelocation: Bool = false
    ) throws(StoreError) -> ValuePointer {
        do throws(StoreError) {
            return try writing.withLock { () throws(StoreError) in
                let pointer = try writer.value.append(
                    key: key, value: value, sequence: sequence, isRelocation: isRelocation)
                length.set(writer.value.size)
                return pointer
            }
        } catch {
            usable.store(false, ordering: .relaxed)
            throw error
        }
    }

    /// Removes the values after an offset, and the remains of a failed append. Nothing refers to these values. The
    /// caller holds the value lock.
    ///
    /// If the file cannot be truncated, the values stay in it as garbage, and it takes no more values.
    /// - Parameter offset: an earlier ``size`` of this file.
    func rollBack(to offset: Int) {
        syncing.withLock {
            usable.store(false, ordering: .relaxed)
            do { try writing.withLock { () throws(FileSystemError) in try writer.value.cut(to: offset) } } catch {
                return
            }
            usable.store(true, ordering: .relaxed)
            length.set(offset)
            // The next values take the place of the removed ones, and are not synced.
            synced.store(min(synced.load(ordering: .relaxed), offset), ordering: .releasing)
        }
    }

    /// Releases the preallocated disk space. Any thread may call this. Does nothing while a value is being written,
    /// because the caller may hold the write lock and must not wait that long.
    /// - Returns: true if space was released.
    @discardableResult
    func releaseSpace() -> Bool {
        guard writing.tryLock() else { return false }
        defer { writing.unlock() }
        return writer.value.releaseSpace()
    }

    /// Makes all values durable that were appended before the call. Any thread may call this. Makes no system call if
    /// they are durable already.
    ///
    /// A failed sync is not repeated. The kernel may have dropped the pages, and the next sync would then succeed
    /// without writing them.
    /// - Throws: ``StoreError`` if the sync fails. The state on disk is then unknown, and each later call that would
    ///   need a sync throws ``StoreError/Code/refusesWrites``.
    func sync() throws(StoreError) {
        let target = size
        if synced.load(ordering: .acquiring) >= target { return }
        try syncing.withLock { () throws(StoreError) in
            if synced.load(ordering: .relaxed) >= target { return }
            if let failure = failure.value { throw failure.refusal }
            let reached = size
            do throws(FileSystemError) { try file.syncFully() } catch {
                let error = StoreError(error)
                failure.value = error
                throw error
            }
            synced.store(reached, ordering: .releasing)
        }
    }
}
