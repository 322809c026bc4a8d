import Synchronization

/// The value file that takes new values: its writer, and the state of it that other threads read.
///
/// Appends run under the engine's value lock. ``sync()`` runs concurrently on any thread, so it uses the atomic offsets
/// and not the writer.
final class ValueFileAppender: Sendable {
    let number: UInt64
    private let file: any File
    /// Used under ``writing``.
    private let writer: HeapCell<ValueFileWriter>
    private let writing = ConditionLock(.leaf)
    /// See ``isUsable``.
    private let usable = Atomic(true)
    /// End of the last value, in bytes.
    private let end: Atomic<Int>
    /// Everything before this offset is on stable storage, in bytes.
    private let synced = Atomic<Int>(0)
    /// Held during a sync.
    private let syncing = ConditionLock(.sync)
    /// The error of a failed sync. Once it is set, no further sync is tried. Used under ``syncing``.
    private let failure = HeapCell<StoreError?>(nil)

    /// Starts a file.
    init(file: any File, number: UInt64, store: StoreIdentity) throws(StoreError) {
        self.number = number
        self.file = file
        let writer = try ValueFileWriter(file: file, number: number, store: store, isBuffered: false)
        end = Atomic(writer.size)
        self.writer = HeapCell(writer)
    }

    /// True if every append so far has succeeded or was undone. After a failed append it is unknown where the file
    /// ends.
    var isUsable: Bool { usable.load(ordering: .relaxed) }

    /// Bytes of the file.
    var size: Int { end.load(ordering: .acquiring) }

    /// Appends a value. The kernel has the value when this returns. Under the value lock.
    /// - Throws: ``StoreError``; the file then takes no more values until ``rollBack(to:)`` has cut it.
    func append(
        key: Bytes, value: Bytes, sequence: SequenceNumber, preallocates: Bool = true
    ) throws(StoreError) -> ValuePointer {
        do throws(StoreError) {
            return try writing.withLock { () throws(StoreError) in
                let pointer = try writer.value.append(
                    key: key, value: value, sequence: sequence, preallocates: preallocates)
                end.store(writer.value.size, ordering: .releasing)
                return pointer
            }
        } catch {
            usable.store(false, ordering: .relaxed)
            throw error
        }
    }

    /// Removes the values after an offset, which nothing refers to, and the remains of a failed append. Under the value
    /// lock.
    ///
    /// If the file cannot be cut, the values stay as garbage, and the file takes no more.
    func rollBack(to offset: Int) {
        syncing.withLock {
            usable.store(false, ordering: .relaxed)
            do { try writing.withLock { () throws(FileSystemError) in try writer.value.cut(to: offset) } } catch {
                return
            }
            usable.store(true, ordering: .relaxed)
            end.store(offset, ordering: .releasing)
            // New bytes after the offset will not be those that a sync has brought to the disk.
            synced.store(min(synced.load(ordering: .relaxed), offset), ordering: .releasing)
        }
    }

    /// Releases the preallocated disk space, for others who need it more, or because the file is complete. On any
    /// thread. Does nothing while a value is being written, because that may take long, and a caller that holds the
    /// write lock must not wait for it.
    /// - Returns: true if there may be more space now.
    @discardableResult
    func releaseSpace() -> Bool {
        guard writing.tryLock() else { return false }
        defer { writing.unlock() }
        return writer.value.releaseSpace()
    }

    /// Makes every value that was appended before the call durable. On any thread; makes no system call if nothing is
    /// new.
    ///
    /// A failed sync is not repeated, because the kernel may have dropped the pages and would report a success.
    /// - Throws: ``StoreError``, after which the on-disk state is unknown; ``StoreError/Code/refusesWrites`` for every
    ///   later call that would need another sync.
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
