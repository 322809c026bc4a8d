import Testing

@testable import Siltstone

/// What something answers to a ``HistoryScript``, as a list of what a caller can see.
protocol HistorySubject {
    /// Runs a step.
    /// - Returns: what came of it: values, entries, counts, or nothing.
    mutating func answer(_ step: HistoryScript.Step) throws -> [[UInt8]?]
}

extension HistorySubject {
    /// Everything that is answered, with the whole content behind it, by which a difference is found that no read met.
    mutating func answers(_ script: HistoryScript) throws -> [[[UInt8]?]] {
        var answers: [[[UInt8]?]] = []
        for step in script.steps { answers.append(try answer(step)) }
        answers.append(try answer(.scan(from: nil, to: nil, reverse: false, limit: nil)))
        answers.append(try answer(.scan(from: nil, to: nil, reverse: true, limit: nil)))
        answers.append(try answer(.reopen))
        answers.append(try answer(.scan(from: nil, to: nil, reverse: false, limit: nil)))
        return answers
    }

    fileprivate func flat(_ entries: [Entry]) -> [[UInt8]?] { entries.flatMap { [$0.key, $0.value] } }
    fileprivate func flag(_ holds: Bool) -> [[UInt8]?] { [[holds ? 1 : 0]] }
}

/// The plainest thing that can be right.
struct ModelSubject: HistorySubject {
    private var model = StoreModel()
    private var held: [StoreModel] = []

    mutating func answer(_ step: HistoryScript.Step) throws -> [[UInt8]?] {
        switch step {
        case .put(let key, let value): model[key] = value
        case .delete(let key): model[key] = nil
        case .deleteRange(let from, let to): model.deleteRange(from, to)
        case .batch(let batch): apply(batch)
        case .insert(let key, let value): return change(key, if: model[key] == nil, to: value)
        case .replace(let key, let value): return change(key, if: model[key] != nil, to: value)
        case .remove(let key): return change(key, if: model[key] != nil, to: nil)
        case .compareAndSet(let key, let expected, let new): return change(key, if: model[key] == expected, to: new)
        case .get(let key): return [model[key]]
        case .getAll(let keys): return keys.map { model[$0] }
        case .scan(let from, let to, let reverse, let limit):
            return flat(model.scan(from: from, to: to, reverse: reverse, limit: limit))
        case .scanPrefix(let prefix, let reverse):
            return flat(model.scan(prefix: prefix, reverse: reverse, limit: nil))
        case .holdSnapshot: held.append(model)
        case .releaseSnapshot: if !held.isEmpty { held.removeFirst() }
        case .readSnapshots(let key):
            return held.flatMap { [$0[key]] + flat($0.scan(from: key)) + flat($0.scan(to: key, reverse: true)) }
        case .flush, .compact, .sync: break
        case .reopen: held = []
        case .checkpoint: return flat(model.scan())
        }
        return []
    }

    private mutating func change(_ key: [UInt8], if holds: Bool, to new: [UInt8]?) -> [[UInt8]?] {
        if holds { model[key] = new }
        return flag(holds)
    }

    private mutating func apply(_ batch: WriteBatch) {
        batch.payload.withBytes { payload in
            var changes = ChangeReader(payload, firstSequence: 1)
            while true {
                let change: Record?
                do { change = try changes.next() } catch {
                    Issue.record("a batch is malformed: \(error)")
                    return
                }
                guard let change else { return }
                switch change.kind {
                case .rangeTombstone: model.deleteRange(Array(change.key), Array(change.value))
                case .tombstone: model[Array(change.key)] = nil
                case .value, .pointer: model[Array(change.key)] = Array(change.value)
                }
            }
        }
    }
}

/// A store, in one configuration, or in another one each time that it is opened.
struct StoreSubject: HistorySubject {
    private let fixture: StoreFixture
    private let next: () -> Configuration
    private var store: KeyValueStore
    private var held: [Snapshot] = []
    private var checkpoints = 0

    /// - Parameter next: the configuration for the next opening.
    init(_ fixture: StoreFixture, _ next: @escaping () -> Configuration) throws {
        self.fixture = fixture
        self.next = next
        store = try fixture.open(next())
    }

    mutating func answer(_ step: HistoryScript.Step) throws -> [[UInt8]?] {
        switch step {
        case .put(let key, let value): try store.put(key, value)
        case .delete(let key): try store.delete(key)
        case .deleteRange(let from, let to): try store.deleteRange(from: from, to: to)
        case .batch(let batch): try store.write(batch)
        case .insert(let key, let value): return flag(try store.insert(key, value))
        case .replace(let key, let value): return flag(try store.replace(key, value))
        case .remove(let key): return flag(try store.remove(key))
        case .compareAndSet(let key, let expected, let new):
            return flag(try store.compareAndSet(key, expected: expected, new: new))
        case .get(let key): return [try store.get(key)]
        case .getAll(let keys): return try store.get(all: keys)
        case .scan(let from, let to, let reverse, let limit):
            return flat(try store.scan(from: from, to: to, reverse: reverse, limit: limit).remaining())
        case .scanPrefix(let prefix, let reverse):
            return flat(try store.scan(prefix: prefix, reverse: reverse).remaining())
        case .holdSnapshot: held.append(store.snapshot())
        case .releaseSnapshot: if !held.isEmpty { held.removeFirst().release() }
        case .readSnapshots(let key): return try held.flatMap { try read($0, key) }
        case .flush: try store.flush()
        case .compact: try store.compact()
        case .sync: try store.sync()
        case .reopen: try reopen()
        case .checkpoint: return try readCheckpoint()
        }
        return []
    }

    private func read(_ snapshot: Snapshot, _ key: [UInt8]) throws -> [[UInt8]?] {
        [try snapshot.get(key)] + flat(try snapshot.scan(from: key).remaining())
            + flat(try snapshot.scan(to: key, reverse: true).remaining())
    }

    private mutating func reopen() throws {
        held = []
        try store.close()
        store = try fixture.open(next())
    }

    /// What a checkpoint holds when it is opened as a store of its own.
    private mutating func readCheckpoint() throws -> [[UInt8]?] {
        checkpoints += 1
        let path = "/checkpoint\(checkpoints)"
        try store.checkpoint(to: path)
        var configuration = next()
        configuration.fileSystem = fixture.fileSystem
        let copy = try KeyValueStore.open(at: path, configuration: configuration)
        let entries = try copy.allEntries()
        try copy.close()
        return flat(entries)
    }

    /// Checks every byte, and ends.
    func finish() throws -> [VerificationReport.Problem] {
        let problems = try store.verify().problems
        try store.close()
        return problems
    }
}
