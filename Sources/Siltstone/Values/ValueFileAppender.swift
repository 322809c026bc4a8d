import Synchronization

/// The value file that takes new values: its writer, and what the rest of the engine has to know of it.
///
/// Appends are made under the engine's value lock; ``sync()`` runs beside them on any thread, and so goes by marks
/// rather than by the writer.
final class ValueFileAppender: Sendable {
    let number: UInt64
    private let file: any File
    /// Used under ``writing``.
    private let writer: HeapCell<ValueFileWriter>
    private let writing = ConditionLock(.leaf)
    private let usable = Atomic(true)
    /// Behind the last value.
    private let end: Atomic<Int>
    /// Everything before this is on stable storage.
    private let synced = Atomic<Int>(0)
    /// Held during a sync.
    private let syncing = ConditionLock(.sync)
    /// The error of a sync, after which none is tried any more. Used under ``syncing``.
    private let failure = HeapCell<StoreError?>(nil)

    /// Begins a file.
    init(file: any File, number: UInt64, store: StoreIdentity) throws(StoreError) {
        self.number = number
        self.file = file
        let writer = try ValueFileWriter(file: file, number: number, store: store, isBuffered: false)
        end = Atomic(writer.size)
        self.writer = HeapCell(writer)
    }

    /// Whether every append so far went well, or was taken back: behind a failed one nobody knows where the file ends.
    var isUsable: Bool { usable.load(ordering: .relaxed) }

    /// Bytes of the file.
    var size: Int { end.load(ordering: .acquiring) }

    /// Appends a value; it is with the kernel when this returns. Under the value lock.
    /// - Throws: ``StoreError``, after which the file takes no more.
    func append(
        key: Bytes, value: Bytes, sequence: SequenceNumber, takesSpace: Bool = true
    ) throws(StoreError) -> ValuePointer {
        do throws(StoreError) {
            return try writing.withLock { () throws(StoreError) in
                let pointer = try writer.value.append(
                    key: key, value: value, sequence: sequence, takesSpace: takesSpace)
                end.store(writer.value.size, ordering: .releasing)
                return pointer
            }
        } catch {
            usable.store(false, ordering: .relaxed)
            throw error
        }
    }

    /// Takes back the values behind an offset, to which nothing refers, and what a failed append has left there. Under the
    /// value lock.
    ///
    /// Where the file cannot be cut, they stay as garbage, and the file takes no more.
    func takeBack(to offset: Int) {
        syncing.withLock {
            usable.store(false, ordering: .relaxed)
            do { try writing.withLock { () throws(FileSystemError) in try writer.value.cut(to: offset) } } catch {
                return
            }
            usable.store(true, ordering: .relaxed)
            end.store(offset, ordering: .releasing)
            // What will stand there is not what a sync has brought to the disk.
            synced.store(min(synced.load(ordering: .relaxed), offset), ordering: .releasing)
        }
    }

    /// Gives back the disk space that was taken ahead, for others who need it more, or because the file is done. On any
    /// thread. Not while a value is being written, which may be a long one: nobody who holds the write lock may wait for it.
    /// - Returns: whether there may be more space now.
    @discardableResult
    func releaseSpace() -> Bool {
        guard writing.tryLock() else { return false }
        defer { writing.unlock() }
        return writer.value.releaseSpace()
    }

    /// Makes every value appended before the call durable. On any thread; takes no call where there is nothing new.
    ///
    /// A sync that has failed is not tried again: the kernel may have dropped the pages and would call it a success.
    /// - Throws: ``StoreError``, after which nobody knows what the disk holds; ``StoreError/Code/refusesWrites`` for every
    ///   call that would need another sync.
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
