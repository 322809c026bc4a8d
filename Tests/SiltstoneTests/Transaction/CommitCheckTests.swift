import SiltstoneTesting
import Testing

@testable import Siltstone

/// The two steps of a commit's check: nothing may fall between them.
struct CommitCheckTests {
    /// A store whose transaction has read a range, and whose segments hold newer changes of other keys. So the first step
    /// of its check reads files.
    private static func prepared(_ fileSystem: any FileSystem) throws -> (store: KeyValueStore, open: Transaction) {
        var configuration = StoreFixture.small()
        configuration.access = .read
        configuration.logWriting = .written
        configuration.cacheBytes = 0
        configuration.automaticCompaction = false
        configuration.changeFeedBytes = 64 << 10
        configuration.fileSystem = fileSystem
        let store = try KeyValueStore.open(at: "/store", configuration: configuration)
        for number in 0..<300 { try store.put(key(number), [UInt8](repeating: 1, count: 100)) }
        try store.flush()
        let open = store.begin()
        try open.forEach(from: key(100), to: key(200)) { _, _ in true }
        try open.put(Array("result".utf8), [1])
        try store.put(key(50), [2])
        try store.put(key(250), [2])
        try store.flush()
        return (store, open)
    }

    /// A commit that is larger than the feed, and changes one key of those that were read or none.
    private static func overflow(_ store: KeyValueStore, changing number: Int?) throws {
        var batch = WriteBatch()
        if let number { batch.put(key(number), [3]) }
        for number in 0..<20 { batch.put(key(300 + number), [UInt8](repeating: 1, count: 5000)) }
        try store.write(batch)
    }

    @Test(
        "a key that was read conflicts with a deleted range over it that has been flushed meanwhile",
        arguments: [5, 50])
    func flushedRange(_ number: Int) throws {
        var configuration = StoreFixture.small()
        configuration.automaticCompaction = false
        configuration.fileSystem = InMemoryFileSystem()
        let store = try KeyValueStore.open(at: "/store", configuration: configuration)
        for number in 0..<100 { try store.put(key(number), [1]) }
        try store.flush()
        let open = store.begin()
        #expect(try open.get(key(number)) == [1])
        try open.put(Array("result".utf8), [1])
        try store.deleteRange(from: key(0), to: key(10))
        try store.flush()
        #expect(StoreError.Code.of { try open.commit() } == (number < 10 ? .conflict : nil))
        try store.close()
    }

    @Test("a change that comes while the first step reads files is found by the second one", arguments: [true, false])
    func betweenTheSteps(_ conflicts: Bool) throws {
        let disk = FaultInjectingFileSystem(InMemoryFileSystem(), keepsLog: false)
        let (store, open) = try Self.prepared(disk)
        let reads = Counter()
        disk.setRule(
            FaultRule { call in
                guard call.operation == .read, call.path.hasSuffix(".segment"), reads.next() == 0 else { return nil }
                do { try store.put(key(conflicts ? 150 : 20), [3]) } catch { Issue.record("\(error)") }
                return nil
            })
        let code = StoreError.Code.of { try open.commit() }
        #expect(reads.value > 0)
        #expect(code == (conflicts ? .conflict : nil))
        disk.setRule(.none)
    }

    @Test("a check whose commits have left the feed is made again, and finds the conflict")
    func outdated() throws {
        for conflicts in [true, false] {
            let (store, open) = try Self.prepared(InMemoryFileSystem())
            var reads = ReadSet()
            reads.insert(KeyRange(from: key(100), to: key(200)))
            let check = CommitCheck(reads, since: open.sequence)
            #expect(try check.advance(in: store.engine))
            try Self.overflow(store, changing: conflicts ? 150 : nil)
            let engine = store.engine
            let verdict = try engine.writes.lock.withLock { () throws(StoreError) in
                try check.decide(in: engine)
            }
            #expect(verdict == .outdated)
            #expect(try check.advance(in: engine) == !conflicts)
            check.end(in: engine)
            #expect(!engine.feed.isListening)
        }
    }

    @Test("a commit that is overtaken again and again comes to its end, by a check under the lock")
    func overtaken() throws {
        for conflicts in [true, false] {
            let (store, open) = try Self.prepared(InMemoryFileSystem())
            var reads = ReadSet()
            reads.insert(KeyRange(from: key(100), to: key(200)))
            let check = CommitCheck(reads, since: open.sequence)
            let engine = store.engine
            var verdict = CommitCheck.Verdict.outdated
            var attempts = 0
            while verdict == .outdated, attempts < 100 {
                attempts += 1
                #expect(try check.advance(in: engine))
                try Self.overflow(store, changing: conflicts && attempts == 9 ? 150 : nil)
                verdict = try engine.writes.lock.withLock { () throws(StoreError) in
                    try check.decide(in: engine)
                }
            }
            check.end(in: engine)
            #expect(attempts == 9)
            #expect(verdict == (conflicts ? .conflict : .unchanged))
        }
    }
}

extension CommitCheck {
    fileprivate func advance(in engine: Engine) throws(StoreError) -> Bool {
        try advance(engine.reads, engine.feed) { engine.writes.subscribeToChanges().position }
    }

    /// Under the write lock.
    fileprivate func decide(in engine: Engine) throws(StoreError) -> Verdict {
        let state = engine.writes.state
        return try decide(last: state.lastSequence, flushed: state.flushedSequence, engine.reads, engine.feed)
    }

    fileprivate func end(in engine: Engine) { end(engine.feed) }
}
