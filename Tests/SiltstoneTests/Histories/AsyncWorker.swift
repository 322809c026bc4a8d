@testable import Siltstone

/// A task that makes random asynchronous calls on a store and records what they did and saw. Whether it is cancelled,
/// and when, must make no difference to what it records.
struct AsyncWorker {
    let store: KeyValueStore
    let lane: HistoryRecorder.Lane
    var random: SeededGenerator
    private var known: [Int: Revision] = [:]

    init(_ store: KeyValueStore, _ lane: HistoryRecorder.Lane, seed: UInt64) {
        self.store = store
        self.lane = lane
        random = SeededGenerator(seed)
    }

    mutating func run(_ count: Int) async {
        for _ in 0..<count {
            await step()
            if lane.sawClosed { break }
        }
        lane.end()
    }

    private mutating func step() async {
        switch random.index(100) {
        case 0..<15: await get()
        case 15..<40: await put()
        case 40..<58: await changeConditionally()
        case 58..<74: await writeBatch()
        case 74..<80: await multiGet()
        case 80..<88: await entries()
        case 88..<92: await call { store async throws(StoreError) in try await store.sync() }
        case 92..<97: await call { store async throws(StoreError) in try await store.flush() }
        default: await call { store async throws(StoreError) in try await store.compact() }
        }
    }

    /// A call that changes nothing that a reader could see.
    private func call(_ body: (KeyValueStore) async throws(StoreError) -> Void) async {
        await lane.record { () async throws(StoreError) in
            try await body(store)
            return .observe([])
        }
    }

    private mutating func get() async {
        let key = random.index(HistoryKeys.count)
        var revision = RevisionCoding.damaged
        await lane.record { () async throws(StoreError) in
            revision = RevisionCoding.decode(try await store.get(HistoryKeys.bytes(key)))
            return .observe([Observation(key: key, seen: .revision(revision))])
        }
        if revision != RevisionCoding.damaged { known[key] = revision }
    }

    private mutating func put() async {
        let (key, revision) = (random.index(HistoryKeys.count), lane.recorder.newRevision())
        let durability = randomDurability()
        let effect = Effect.write([Change(key: key, revision: revision)])
        await lane.record(uncertain: effect) { () async throws(StoreError) in
            try await store.put(HistoryKeys.bytes(key), RevisionCoding.encode(revision), durability: durability)
            return effect
        }
        known[key] = revision
    }

    private mutating func changeConditionally() async {
        let change = ConditionalChange(
            key: random.index(HistoryKeys.count), revision: lane.recorder.newRevision(), known: known, random: &random)
        await lane.record(uncertain: change.effect(held: nil)) { () async throws(StoreError) in
            change.effect(held: try await change.make(store))
        }
    }

    private mutating func writeBatch() async {
        let batch = RandomBatch(lane.recorder, &random)
        let durability = randomDurability()
        await lane.record(uncertain: batch.effect) { () async throws(StoreError) in
            try await store.write(batch.batch, durability: durability)
            return batch.effect
        }
    }

    private mutating func multiGet() async {
        let keys = (0..<2 + random.index(4)).map { _ in random.index(HistoryKeys.count) }
        await lane.record { () async throws(StoreError) in
            let values = try await store.get(all: keys.map(HistoryKeys.bytes))
            return .observe(
                zip(keys, values).map { Observation(key: $0, seen: .revision(RevisionCoding.decode($1))) })
        }
    }

    private mutating func entries() async {
        let isReverse = random.chance(0.5)
        var progress = ScanProgress(HistoryKeys.all, isReverse: isReverse)
        await lane.record { () async throws(StoreError) in
            for try await entry in store.entries(to: HistoryKeys.bytes(HistoryKeys.count), reverse: isReverse) {
                progress.add(entry)
            }
            progress.end()
            return .observe(progress.observations)
        }
        lane.note(problems: progress.problems)
    }

    private mutating func randomDurability() -> Durability? {
        [nil, .synced, .buffered][random.index(3)]
    }
}
