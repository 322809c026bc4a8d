@testable import Siltstone

/// One conditional change: an insert, a replacement, a removal, or a compare and set.
struct ConditionalChange: Sendable {
    private enum Kind: Sendable {
        case insert, replace, remove
        case compareAndSet(expected: Revision)
    }

    private let kind: Kind
    private let key: Int
    private let revision: Revision

    init(key: Int, revision: Revision, known: [Int: Revision], random: inout SeededGenerator) {
        self.key = key
        switch random.index(5) {
        case 0: (kind, self.revision) = (.insert, revision)
        case 1: (kind, self.revision) = (.replace, revision)
        case 2: (kind, self.revision) = (.remove, .absent)
        default:
            kind = .compareAndSet(expected: known[key] ?? .absent)
            self.revision = random.chance(0.8) ? revision : .absent
        }
    }

    func effect(held: Bool?) -> Effect {
        let condition: KeyCondition =
            switch kind {
            case .insert, .compareAndSet(expected: .absent): .absent
            case .replace, .remove: .present
            case .compareAndSet(let expected): .equals(expected)
            }
        return .conditional(Change(key: key, revision: revision), condition, held: held)
    }

    private static func value(_ revision: Revision) -> [UInt8]? {
        revision == .absent ? nil : RevisionCoding.encode(revision)
    }

    /// Makes the change.
    /// - Returns: whether the condition held.
    func make(_ store: KeyValueStore) throws(StoreError) -> Bool {
        let (name, value) = (HistoryKeys.bytes(key), Self.value(revision))
        return switch kind {
        case .insert: try store.insert(name, value ?? [])
        case .replace: try store.replace(name, value ?? [])
        case .remove: try store.remove(name)
        case .compareAndSet(let expected):
            try store.compareAndSet(name, expected: Self.value(expected), new: value)
        }
    }

    /// As ``make(_:)``, without blocking.
    func make(_ store: KeyValueStore) async throws(StoreError) -> Bool {
        let (name, value) = (HistoryKeys.bytes(key), Self.value(revision))
        return switch kind {
        case .insert: try await store.insert(name, value ?? [])
        case .replace: try await store.replace(name, value ?? [])
        case .remove: try await store.remove(name)
        case .compareAndSet(let expected):
            try await store.compareAndSet(name, expected: Self.value(expected), new: value)
        }
    }
}

/// A batch of puts, deletes and removals of ranges, and what it comes to.
struct RandomBatch: Sendable {
    private(set) var batch = WriteBatch()
    private var changes: [Int: Revision] = [:]

    init(_ recorder: HistoryRecorder, _ random: inout SeededGenerator) {
        for _ in 0..<2 + random.index(5) {
            let key = random.index(HistoryKeys.count)
            switch random.index(10) {
            case 0:
                let end = min(HistoryKeys.count, key + 1 + random.index(4))
                batch.deleteRange(from: HistoryKeys.bytes(key), to: HistoryKeys.bytes(end))
                for key in key..<end { changes[key] = .absent }
            case 1, 2:
                batch.delete(HistoryKeys.bytes(key))
                changes[key] = .absent
            default:
                let revision = recorder.newRevision()
                batch.put(HistoryKeys.bytes(key), RevisionCoding.encode(revision))
                changes[key] = revision
            }
        }
    }

    var effect: Effect {
        .write(changes.sorted { $0.key < $1.key }.map { Change(key: $0.key, revision: $0.value) })
    }
}

/// One way to read a part of a snapshot.
struct SnapshotReading: Sendable {
    private let range: Range<Int>
    private let way: Int
    private let isReverse: Bool

    init(_ random: inout SeededGenerator, _ range: Range<Int>) {
        self.range = range
        way = random.index(3)
        isReverse = random.chance(0.5)
    }

    func read(_ snapshot: Snapshot) throws(StoreError) -> (observations: [Observation], problems: [String]) {
        switch way {
        case 0:
            var observations: [Observation] = []
            for key in range {
                let value = try snapshot.get(HistoryKeys.bytes(key))
                observations.append(Observation(key: key, seen: .revision(RevisionCoding.decode(value))))
            }
            return (observations, [])
        case 1:
            let key = range.lowerBound % HistoryKeys.count
            let isPresent = try snapshot.contains(HistoryKeys.bytes(key))
            return ([Observation(key: key, seen: isPresent ? .present : .revision(.absent))], [])
        default:
            var progress = ScanProgress(range, isReverse: isReverse)
            let cursor = try snapshot.scan(
                from: HistoryKeys.bytes(range.lowerBound), to: HistoryKeys.bytes(range.upperBound), reverse: isReverse)
            while let entry = try cursor.next() { progress.add(entry) }
            progress.end()
            return (progress.observations, progress.problems)
        }
    }
}
