import Foundation
import Testing

@testable import Siltstone

/// Snapshots and cursors that are kept while compactions replace every file below them.
struct HeldSnapshotTests {
    @Test(
        "what is held sees the same, in every way of reading, after all files that it was taken on are gone",
        .comesToAnEnd,
        arguments: HistoryVariant.all)
    func held(_ variant: HistoryVariant) throws {
        let rounds = SuiteScale.count(2, thorough: 4, long: 40)
        var random = SeededGenerator(SuiteScale.seed)
        let place = try HistoryPlace(variant, seed: SuiteScale.seed)
        let store = try place.open()
        var kept: [Kept] = []
        var removed: Set<String> = []
        for round in 0..<rounds {
            try Self.write(store, round, &random)
            let before = try place.fixture.names(ending: ".segment") + place.fixture.names(ending: ".values")
            kept.append(try Kept(store))
            try Self.overwrite(store, round, &random)
            let after = Set(try place.fixture.names())
            removed.formUnion(before.filter { !after.contains($0) })
            for kept in kept { try kept.compare(rounds: 1) }
        }
        #expect(!removed.isEmpty)
        for kept in kept { try kept.compare(rounds: .max) }
        try store.close()
    }

    /// A few hundred keys, some with large values, flushed.
    private static func write(_ store: KeyValueStore, _ round: Int, _ random: inout SeededGenerator) throws {
        for number in 0..<200 where random.chance(0.7) {
            let length = random.chance(0.1) ? 9000 : random.index(600)
            try store.put(key(number), [UInt8](repeating: UInt8(round), count: length), durability: .buffered)
        }
        try store.flush()
    }

    /// Removes and overwrites everything, and compacts until no old file can be left.
    private static func overwrite(_ store: KeyValueStore, _ round: Int, _ random: inout SeededGenerator) throws {
        try store.deleteRange(from: key(random.index(100)), to: key(100 + random.index(100)))
        try write(store, round + 100, &random)
        try store.compact()
        try store.compact()
    }

    /// A snapshot, cursors that stand in its midst, and what they saw.
    private final class Kept {
        private let snapshot: Snapshot
        private let expected: [Entry]
        private var cursors: [(cursor: Cursor, rest: ArraySlice<Entry>)] = []

        init(_ store: KeyValueStore) throws {
            snapshot = store.snapshot()
            expected = try snapshot.scan().remaining()
            for isReverse in [false, true] {
                let cursor = try snapshot.scan(reverse: isReverse)
                let all = isReverse ? expected.reversed() : expected
                for entry in all.prefix(10) { #expect(try cursor.next() == entry) }
                cursors.append((cursor, all.dropFirst(10)))
            }
        }

        /// Reads on.
        /// - Parameter rounds: how many steps the cursors take.
        func compare(rounds: Int) throws {
            #expect(try snapshot.scan().remaining() == expected)
            #expect(try snapshot.scan(reverse: true).remaining() == expected.reversed())
            #expect(try snapshot.get(all: expected.map(\.key)) == expected.map(\.value))
            for index in cursors.indices {
                for _ in 0..<min(rounds, cursors[index].rest.count + 1) {
                    #expect(try cursors[index].cursor.next() == cursors[index].rest.popFirst())
                }
            }
        }
    }

    @Test("tasks that iterate entries slowly see one moment, whatever is compacted meanwhile", .comesToAnEnd)
    func entries() async throws {
        for variant in HistoryVariant.all {
            let place = try HistoryPlace(variant, seed: SuiteScale.seed)
            let store = try await KeyValueStore.open(at: place.fixture.path, configuration: place.configuration)
            var batch = WriteBatch()
            // More than the 256 entries that are read at once.
            for number in 0..<700 { batch.put(key(number), [UInt8](repeating: 1, count: 100)) }
            try await store.write(batch)
            let sequences = [store.entries(), store.entries(reverse: true)]
            async let disturbance: Void = Self.replaceAll(store)
            for sequence in sequences {
                var count = 0
                for try await entry in sequence {
                    #expect(entry.value == [UInt8](repeating: 1, count: 100))
                    count += 1
                    if count % 100 == 0 { await Task.yield() }
                }
                #expect(count == 700)
            }
            try await disturbance
            try await store.close()
        }
    }

    private static func replaceAll(_ store: KeyValueStore) async throws {
        for round in 0..<4 {
            try await store.deleteRange(from: key(0), to: key(350))
            var batch = WriteBatch()
            for number in 0..<700 { batch.put(key(number), [UInt8](repeating: UInt8(round + 2), count: 120)) }
            try await store.write(batch)
            try await store.compact()
        }
    }
}
