import Dispatch
import SiltstoneTesting
import Testing

@testable import Siltstone

/// Syncs of the store's directory that fail while the store is open. The kernel reports such a failure once: the next
/// sync succeeds, although the names of other files may not be durable.
struct DirectorySyncTests {
    /// A new file whose name is to be made durable.
    enum NewFile: CaseIterable {
        case log, valueFile, flushedSegment, mergedSegment

        var suffix: String {
            switch self {
            case .log: ".log"
            case .valueFile: ".values"
            case .flushedSegment, .mergedSegment: ".segment"
            }
        }
    }

    private static var configuration: Configuration {
        var configuration = StoreFixture.small()
        configuration.durability = .synced
        configuration.largeValueBytes = 2000
        configuration.automaticCompaction = false
        return configuration
    }

    /// Two flushed values and one in memory.
    private static func makeStore(_ fixture: StoreFixture) throws -> KeyValueStore {
        let store = try fixture.open(configuration)
        for number in 1...3 {
            try store.put(key(number), [UInt8(number)])
            if number < 3 { try store.flush() }
        }
        store.settle()
        return store
    }

    /// Does what makes the file.
    private static func make(_ file: NewFile, in store: KeyValueStore) throws(StoreError) {
        switch file {
        case .log, .flushedSegment: try store.flush()
        case .valueFile: try store.put(key(4), [UInt8](repeating: 4, count: 3000))
        case .mergedSegment: try store.compact()
        }
    }

    /// Lets the first sync of the directory fail that follows the creation of such a file.
    private static func fail(_ file: NewFile, with fault: Fault, on disk: FaultInjectingFileSystem) {
        let state = Locked((isCreated: false, isDone: false))
        disk.setRule { call in
            state.withLock { state in
                if call.operation == .create { state.isCreated = call.path.hasSuffix(file.suffix) }
                guard call.operation == .syncDirectory, state.isCreated, !state.isDone else { return nil }
                state.isDone = true
                return fault
            }
        }
    }

    @Test(
        "a sync of the directory that fails once ends all writing, whichever file it was for; nothing is lost",
        .comesToAnEnd,
        arguments: NewFile.allCases, [Fault.inputOutput, .noSpace])
    func failure(_ file: NewFile, _ fault: Fault) throws {
        let disk = FaultInjectingFileSystem()
        let fixture = StoreFixture(disk)
        let store = try Self.makeStore(fixture)
        if file == .mergedSegment { try store.flush() }
        store.settle()
        let names = Set(try fixture.names())
        Self.fail(file, with: fault, on: disk)
        #expect(StoreError.Code.of { try Self.make(file, in: store) } == .inputOutput)
        #expect(disk.faults.count == 1)
        #expect(StoreError.Code.of { try store.put(key(5), [5]) } == .refusesWrites)
        #expect(StoreError.Code.of { try store.flush() } == .refusesWrites)
        store.settle()
        // The new file too: after the failure nobody knows which names are durable.
        let left = Set(try fixture.names()).subtracting(names)
        #expect(left.contains { $0.hasSuffix(file.suffix) })
        #expect(names.isSubset(of: Set(try fixture.names())))
        let expected = (1...3).map { Entry(key: key($0), value: [UInt8($0)]) }
        #expect(try store.allEntries() == expected)
        try store.close()
        let again = try fixture.open(Self.configuration)
        #expect(try again.allEntries() == expected)
        #expect(try again.verify().problems.isEmpty)
        try Self.make(file, in: again)
        try again.close()
    }

    @Test(
        "a sync of the directory that fails while a store closes ends all writing, the note of the log's end too",
        .comesToAnEnd)
    func whileClosing() throws {
        let disk = FaultInjectingFileSystem()
        let fixture = StoreFixture(disk)
        let store = try Self.makeStore(fixture)
        let engine = store.engine
        Self.fail(.log, with: .inputOutput, on: disk)
        // Background work that the closing waits for, after it has found no failure.
        let code = Locked<StoreError.Code?>(nil)
        engine.background.logQueue.async {
            do { try waitUntil("writes are refused") { engine.status.isClosed } } catch { Issue.record("\(error)") }
            let failure = StoreError.Code.of { _ = try engine.versions.createLog() }
            code.withLock { $0 = failure }
        }
        try store.close()
        #expect(code.withLock { $0 } == .inputOutput)
        #expect(disk.faults.count == 1)
        #expect(store.statistics.backgroundError != nil)
        let failed = try #require(disk.faults.first?.call.number)
        let changes: Set<FileSystemCall.Operation> = [.create, .rename, .write, .truncate, .sync, .syncDirectory]
        let later = disk.log.filter { $0.number > failed && changes.contains($0.operation) }
        #expect(later.isEmpty, "\(later)")
        let expected = (1...3).map { Entry(key: key($0), value: [UInt8($0)]) }
        let again = try fixture.open(Self.configuration)
        #expect(try again.allEntries() == expected)
        #expect(try again.verify().problems.isEmpty)
        try again.close()
    }

    @Test(
        "a sync of the directory that is refused a descriptor changes nothing", .comesToAnEnd,
        arguments: NewFile.allCases)
    func refusal(_ file: NewFile) throws {
        let disk = FaultInjectingFileSystem()
        let fixture = StoreFixture(disk)
        let store = try Self.makeStore(fixture)
        if file == .mergedSegment { try store.flush() }
        store.settle()
        Self.fail(file, with: .tooManyFiles, on: disk)
        // Nobody need be told of a flush that was tried again meanwhile.
        let code = StoreError.Code.of { try Self.make(file, in: store) }
        #expect(code == .inputOutput || file == .flushedSegment && code == nil)
        #expect(disk.faults.count == 1)
        try Self.make(file, in: store)
        try store.put(key(5), [5])
        #expect(try store.verify().problems.isEmpty)
        let entries = try store.allEntries()
        try store.close()
        #expect(try fixture.open(Self.configuration).allEntries() == entries)
    }

    @Test(
        "a sync between two removals of a compaction that fails ends all writing; one that is refused only delays the rest",
        .comesToAnEnd,
        arguments: [Fault.inputOutput, .tooManyFiles])
    func betweenRemovals(_ fault: Fault) throws {
        let disk = FaultInjectingFileSystem()
        let fixture = StoreFixture(disk)
        let store = try Self.makeStore(fixture)
        try store.flush()
        store.settle()
        let inputs = try fixture.names(ending: ".segment")
        let state = Locked((isRemoved: false, isDone: false))
        disk.setRule { call in
            state.withLock { state in
                if call.operation == .remove, call.path.hasSuffix(".segment") { state.isRemoved = true }
                guard call.operation == .syncDirectory, state.isRemoved, !state.isDone else { return nil }
                state.isDone = true
                return fault
            }
        }
        // The output is durable when the removals begin, so the compaction itself has succeeded.
        #expect(StoreError.Code.of { try store.compact() } == (fault == .inputOutput ? .inputOutput : nil))
        #expect(disk.faults.count == 1)
        #expect(try fixture.names().filter { inputs.contains($0) } == Array(inputs.dropFirst()))
        if fault == .inputOutput {
            #expect(StoreError.Code.of { try store.put(key(5), [5]) } == .refusesWrites)
        } else {
            try store.put(key(5), [5])
            try store.compact()
            #expect(try fixture.names(ending: ".segment").count == 1)
        }
        let entries = try store.allEntries()
        #expect(entries.count == (fault == .inputOutput ? 3 : 4))
        try store.close()
        let again = try fixture.open(Self.configuration)
        #expect(try again.allEntries() == entries)
        #expect(try again.verify().problems.isEmpty)
        #expect(try fixture.names(ending: ".segment").count == 1)
        try again.close()
    }
}
