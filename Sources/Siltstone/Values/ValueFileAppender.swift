import Synchronization

/// The value file that takes new values: its writer, and what the rest of the engine has to know of it.
///
/// Appends are made under the engine's value lock; ``sync()`` runs beside them on any thread, and so goes by marks
/// rather than by the writer.
///
/// `@unchecked Sendable`: `isUsable` is touched under the value lock only, `writer` under `writing`, `failure` under
/// `syncing`; the rest is atomic or constant.
final class ValueFileAppender: @unchecked Sendable {
    let number: UInt64
    private let file: any File
    private let writer: ValueFileWriter
    /// Held while the writer is used.
    private let writing = ConditionLock(.leaf)
    /// Whether every append so far went well, or was taken back: behind a failed one nobody knows where the file ends.
    private(set) var isUsable = true
    /// Behind the last value.
    private let end: Atomic<Int>
    /// Everything before this is on stable storage.
    private let synced = Atomic<Int>(0)
    /// Held during a sync.
    private let syncing = ConditionLock(.sync)
    /// Why no sync is tried any more.
    private var failure: StoreError?

    /// Begins a file.
    init(file: any File, number: UInt64, store: StoreIdentity) throws(StoreError) {
        self.number = number
        self.file = file
        writer = try ValueFileWriter(file: file, number: number, store: store, isBuffered: false)
        end = Atomic(writer.size)
    }

    /// Bytes of the file.
    var size: Int { end.load(ordering: .acquiring) }

    /// Appends a value; it is with the kernel when this returns. Under the value lock.
    /// - Throws: ``StoreError``, after which the file takes no more.
    func append(
        key: Bytes, value: Bytes, sequence: SequenceNumber, takesSpace: Bool = true
    ) throws(StoreError) -> ValuePointer {
        do throws(StoreError) {
            return try writing.withLock { () throws(StoreError) in
                let pointer = try writer.append(key: key, value: value, sequence: sequence, takesSpace: takesSpace)
                end.store(writer.size, ordering: .releasing)
                return pointer
            }
        } catch {
            isUsable = false
            throw error
        }
    }

    /// Takes back the values behind an offset, to which nothing refers, and what a failed append has left there. Under the
    /// value lock.
    ///
    /// Where the file cannot be cut, they stay as garbage, and the file takes no more.
    func takeBack(to offset: Int) {
        syncing.withLock {
            isUsable = false
            do { try writing.withLock { () throws(FileSystemError) in try writer.cut(to: offset) } } catch { return }
            isUsable = true
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
        return writer.releaseSpace()
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
            if let failure { throw failure.refusal }
            let reached = size
            do throws(FileSystemError) { try file.syncFully() } catch {
                let error = StoreError(error)
                failure = error
                throw error
            }
            synced.store(reached, ordering: .releasing)
        }
    }
}
