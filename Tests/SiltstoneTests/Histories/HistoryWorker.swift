@testable import Siltstone

/// A thread that makes random calls on a store and records what they did and saw.
struct HistoryWorker {
    let store: KeyValueStore
    let lane: HistoryRecorder.Lane
    var random: SeededGenerator
    private var held: [HeldView] = []
    /// What it last saw of each key: what it expects when it compares and sets.
    private var known: [Int: Revision] = [:]

    init(_ store: KeyValueStore, _ lane: HistoryRecorder.Lane, seed: UInt64) {
        self.store = store
        self.lane = lane
        random = SeededGenerator(seed)
    }

    /// Makes calls until there were enough, or one of them finds the store closed.
    mutating func run(_ count: Int) {
        for _ in 0..<count {
            step()
            if lane.sawClosed { break }
        }
        while let view = held.popLast() { finish(view) }
        lane.end()
    }

    private mutating func step() {
        switch random.index(100) {
        case 0..<12: get()
        case 12..<16: contains()
        case 16..<30: put()
        case 30..<36: delete()
        case 36..<54: changeConditionally()
        case 54..<64: writeBatch()
        case 64..<67: deleteRange()
        case 67..<74: multiGet()
        case 74..<83: scan()
        case 83..<88: hold()
        case 88..<98: readHeld()
        default: sync()
        }
    }

    // MARK: Point operations

    private mutating func get() {
        let (key, lends) = (randomKey(), random.chance(0.3))
        var revision: Revision?
        let store = store
        lane.record { () throws(StoreError) in
            let value = lends ? try Self.lent(store, key) : try store.get(HistoryKeys.bytes(key))
            let found = RevisionCoding.decode(value)
            revision = found
            return .observe([Observation(key: key, seen: .revision(found))])
        }
        if let revision, revision != RevisionCoding.damaged { known[key] = revision }
    }

    /// Reads by the call that lends its bytes.
    private static func lent(_ store: KeyValueStore, _ key: Int) throws(StoreError) -> [UInt8]? {
        do {
            return try store.withValue(HistoryKeys.bytes(key)) { value in value.withBytes { Array($0) } }
        } catch let error as StoreError { throw error } catch {
            throw StoreError(.invalidArgument, "\(error)")
        }
    }

    private mutating func contains() {
        let key = randomKey()
        lane.record { () throws(StoreError) in
            let isPresent = try store.contains(HistoryKeys.bytes(key))
            return .observe([Observation(key: key, seen: isPresent ? .present : .revision(.absent))])
        }
    }

    private mutating func put() {
        let (key, revision) = (randomKey(), lane.recorder.newRevision())
        let effect = Effect.write([Change(key: key, revision: revision)])
        lane.record(uncertain: effect) { () throws(StoreError) in
            try store.put(HistoryKeys.bytes(key), RevisionCoding.encode(revision))
            return effect
        }
        known[key] = revision
    }

    private mutating func delete() {
        let key = randomKey()
        let effect = Effect.write([Change(key: key, revision: .absent)])
        lane.record(uncertain: effect) { () throws(StoreError) in
            try store.delete(HistoryKeys.bytes(key))
            return effect
        }
        known[key] = .absent
    }

    private mutating func changeConditionally() {
        let change = ConditionalChange(
            key: randomKey(), revision: lane.recorder.newRevision(), known: known, random: &random)
        lane.record(uncertain: change.effect(held: nil)) { () throws(StoreError) in
            change.effect(held: try change.make(store))
        }
    }

    // MARK: Changes of several keys

    private mutating func writeBatch() {
        let batch = RandomBatch(lane.recorder, &random)
        lane.record(uncertain: batch.effect) { () throws(StoreError) in
            try store.write(batch.batch)
            return batch.effect
        }
    }

    private mutating func deleteRange() {
        let range = randomRange()
        let effect = Effect.write(range.map { Change(key: $0, revision: .absent) })
        lane.record(uncertain: effect) { () throws(StoreError) in
            try store.deleteRange(
                from: HistoryKeys.bytes(range.lowerBound), to: HistoryKeys.bytes(range.upperBound))
            return effect
        }
    }

    private mutating func sync() {
        lane.record { () throws(StoreError) in
            try store.sync()
            return .observe([])
        }
    }

    // MARK: Reads of several keys

    private mutating func multiGet() {
        let keys = (0..<2 + random.index(4)).map { _ in randomKey() }
        lane.record { () throws(StoreError) in
            let values = try store.get(all: keys.map(HistoryKeys.bytes))
            return .observe(
                zip(keys, values).map { Observation(key: $0, seen: .revision(RevisionCoding.decode($1))) })
        }
    }

    private mutating func scan() {
        let (range, isReverse) = (random.chance(0.5) ? HistoryKeys.all : randomRange(), random.chance(0.5))
        let limit = random.chance(0.3) ? 1 + random.index(20) : nil
        var progress = ScanProgress(range, isReverse: isReverse)
        lane.record { () throws(StoreError) in
            let cursor = try store.scan(
                from: HistoryKeys.bytes(range.lowerBound), to: HistoryKeys.bytes(range.upperBound),
                reverse: isReverse, limit: limit)
            var count = 0
            while let entry = try cursor.next() {
                progress.add(entry)
                count += 1
            }
            if count < limit ?? .max { progress.end() }
            return .observe(progress.observations)
        }
        lane.note(problems: progress.problems)
    }

    // MARK: Views that are kept

    private mutating func hold() {
        if held.count == 4 { finish(held.remove(at: random.index(4))) }
        let invoked = lane.recorder.now()
        if random.chance(0.6) {
            let snapshot = store.snapshot()
            held.append(HeldView(.snapshot(snapshot), invoked: invoked, returned: lane.recorder.now()))
            return
        }
        let (range, isReverse) = (randomRange(), random.chance(0.5))
        do throws(StoreError) {
            let cursor = try store.scan(
                from: HistoryKeys.bytes(range.lowerBound), to: HistoryKeys.bytes(range.upperBound), reverse: isReverse)
            let source = HeldView.Source.cursor(cursor, ScanProgress(range, isReverse: isReverse))
            held.append(HeldView(source, invoked: invoked, returned: lane.recorder.now()))
        } catch { lane.note(error) }
    }

    private mutating func readHeld() {
        guard let view = held.randomElement(using: &random) else { return hold() }
        do throws(StoreError) { try read(view) } catch { lane.note(error) }
    }

    private mutating func read(_ view: HeldView) throws(StoreError) {
        switch view.source {
        case .snapshot(let snapshot):
            let reading = SnapshotReading(&random, randomRange())
            let (observations, problems) = try reading.read(snapshot)
            view.add(observations)
            lane.note(problems: problems)
        case .cursor(let cursor, var progress):
            for _ in 0..<1 + random.index(30) {
                guard let entry = try cursor.next() else {
                    progress.end()
                    break
                }
                progress.add(entry)
            }
            view.add(progress.observations)
            lane.note(problems: progress.problems)
            view.source = .cursor(cursor, progress)
        }
    }

    /// Reads once more, gives the view up, and records it.
    private mutating func finish(_ view: HeldView) {
        do throws(StoreError) { try read(view) } catch { lane.note(error) }
        if case .snapshot(let snapshot) = view.source { snapshot.release() }
        let (effect, invoked, returned) = view.operation
        lane.add(effect, from: invoked, to: returned)
        lane.note(problems: view.problems)
    }

    // MARK: Choices

    private mutating func randomKey() -> Int { random.index(HistoryKeys.count) }

    private mutating func randomRange() -> Range<Int> {
        let (a, b) = (random.index(HistoryKeys.count + 1), random.index(HistoryKeys.count + 1))
        return min(a, b)..<max(a, b)
    }
}
