import Testing

@testable import Siltstone

/// Transactions that are larger than memory: scratch files, and commits that go to segments directly.
struct TransactionIngestionTests {
    /// Calls a closure before each file is created, which may make the creation fail.
    private final class WatchedFileSystem: ForwardingFileSystem {
        let base = InMemoryFileSystem()
        let onCreate = Locked<(@Sendable (String) -> Int32?)?>(nil)

        func open(_ path: String, _ mode: FileOpenMode) throws(FileSystemError) -> any File {
            if mode == .createNew, let error = onCreate.withLock({ $0 })?(path) {
                throw FileSystemError("open", path: path, errorNumber: error)
            }
            return try base.open(path, mode)
        }
    }

    private let fileSystem = WatchedFileSystem()
    private let fixture: StoreFixture
    private let configuration: Configuration
    private let store: KeyValueStore

    init() throws {
        fixture = StoreFixture(fileSystem)
        var configuration = StoreFixture.small()
        configuration.transactionMemoryBytes = 4 << 10
        configuration.automaticCompaction = false
        configuration.largeValueBytes = 500
        self.configuration = configuration
        store = try fixture.open(configuration)
        for number in 0..<10 { try store.put(key(number), [0]) }
    }

    /// Writes that need scratch files: keys from 5 on, one large value, one deleted range.
    private func fill(_ transaction: Transaction, count: Int = 1_000) throws {
        try transaction.deleteRange(from: key(0), to: key(3))
        for number in 5..<count { try transaction.put(key(number), [1]) }
        try transaction.put(key(count), [UInt8](repeating: 7, count: 600))
    }

    private func check(_ store: KeyValueStore, count: Int = 1_000) throws {
        let entries = try store.allEntries()
        #expect(entries.map(\.key) == (3...count).map { key($0) })
        #expect(entries.map(\.value.count).max() == 600)
        #expect(try store.get(key(4)) == [0])
        #expect(try store.get(key(5)) == [1])
        #expect(try store.get(key(0)) == nil)
        let report = try store.verify()
        #expect(report.problems.isEmpty)
    }

    @Test("a large commit is there at once, after opening again, and takes the next sequence numbers")
    func commits() throws {
        let before = store.snapshot()
        let first = store.begin()
        try fill(first)
        let last = try first.commit()
        #expect(last == before.sequence + 1 + 996)
        try check(store)
        #expect(try before.get(key(0)) == [0])
        #expect(try before.get(key(7)) == [0])
        // No log holds any of it, and the empty one is gone.
        #expect(store.engine.writes.tables.map(\.table.isEmpty) == [true])
        #expect(try fixture.names(ending: ".scratch").isEmpty)
        try store.put(key(4), [0])
        let copy = try fixture.copy().open(configuration)
        try check(copy)
        #expect(copy.statistics.lastSequence == last + 1)
        try copy.close()
        before.release()
        try store.compact()
        try check(store)
    }

    @Test("its commit conflicts with what has changed since it was read, and then changes nothing")
    func conflicts() throws {
        let transaction = store.begin()
        _ = try transaction.get(key(4))
        try fill(transaction)
        try store.put(key(4), [2])
        #expect(StoreError.Code.of { try transaction.commit() } == .conflict)
        #expect(try store.allEntries().count == 10)
        // Reads of later transactions conflict with an ingested change.
        let later = store.begin()
        _ = try later.get(key(6))
        try later.put(key(4), [0])
        let again = store.begin()
        try fill(again)
        try again.commit()
        #expect(StoreError.Code.of { try later.commit() } == .conflict)
    }

    @Test("no other write takes a sequence number during the commit")
    func pausesWriters() throws {
        let transaction = store.begin()
        try fill(transaction)
        let results = Locked<[Bool]>([])
        let store = store
        fileSystem.onCreate.withLock {
            $0 = { path in
                guard path.hasSuffix(".segment") else { return nil }
                let refused: Bool
                do {
                    refused = try [9].withBytes { bytes throws(StoreError) in
                        try store.engine.writes.change(.value, bytes, bytes, mayBlock: false) == nil
                    }
                } catch { refused = false }
                results.withLock { $0.append(refused) }
                return nil
            }
        }
        try transaction.commit()
        fileSystem.onCreate.withLock { $0 = nil }
        let refusals = results.withLock { $0 }
        #expect(refusals.count > 1)
        #expect(!refusals.contains(false))
        try check(store)
        try store.put([9], [9])
        #expect(try store.get([9]) == [9])
    }

    @Test("a subscriber learns that it misses the changes")
    func feed() async throws {
        let changes = try store.changes()
        let first = store.statistics.lastSequence
        let transaction = store.begin()
        try fill(transaction)
        let last = try await transaction.commit()
        try await store.put(key(4), [3])
        var events: [ChangeEvent] = []
        for try await event in changes {
            events.append(event)
            if events.count == 2 { break }
        }
        #expect(events.first == .missed(from: first + 1, through: last))
        guard case .commit(_, through: last + 1) = events.last else { throw StoreError(.notFound, "no commit") }
    }

    @Test("a write that finds the disk full leaves the transaction as it was, and so does a commit the store")
    func fullDisk() throws {
        let transaction = store.begin()
        fileSystem.onCreate.withLock { $0 = { $0.hasSuffix(".scratch") ? Platform.noSpaceError : nil } }
        var refused = 0
        for number in 5..<1_000 where refused == 0 {
            if StoreError.Code.of({ try transaction.put(key(number), [1]) }) == .noSpace { refused = number }
        }
        #expect(refused > 5)
        #expect(try transaction.get(key(refused - 1)) == [1])
        #expect(try transaction.contains(key(refused)) == false)
        fileSystem.onCreate.withLock { $0 = nil }
        try fill(transaction)
        let other = store.begin()
        try fill(other)
        fileSystem.onCreate.withLock { $0 = { $0.hasSuffix(".segment") ? Platform.noSpaceError : nil } }
        #expect(StoreError.Code.of { try other.commit() } == .noSpace)
        #expect(try store.allEntries().count == 10)
        fileSystem.onCreate.withLock { $0 = nil }
        try transaction.commit()
        try check(store)
    }

    @Test("an opening removes an empty scratch file that a crash has left")
    func orphans() throws {
        try store.close()
        try fixture.write([], to: "000001.scratch")
        let again = try fixture.open(configuration)
        #expect(try fixture.names(ending: ".scratch").isEmpty)
        let transaction = again.begin()
        try fill(transaction)
        try transaction.commit()
        try check(again)
        try again.close()
    }
}
