@testable import Siltstone

/// Small histories by name, each with the anomaly that it contains.
///
/// The keys are 1 and 2. All transactions overlap in time unless a history says otherwise.
enum SerializabilityExamples {
    typealias Example = SerializabilityCheckerTests.Example

    private static func transaction(
        reads: KeyValuePairs<Int, Revision> = [:], walked: KeyValuePairs<Int, Revision> = [:],
        writes: KeyValuePairs<Int, Revision> = [:], commit: UInt64? = nil, time: ClosedRange<Int> = 1...100,
        aborted: Bool = false, intermediate: [Revision] = []
    ) -> TransactionRecord {
        TransactionRecord(
            invoked: time.lowerBound, returned: time.upperBound, outcome: aborted ? .aborted : .committed,
            sequence: commit,
            reads: reads.map { .init(key: $0.key, revision: $0.value) }
                + walked.map { .init(key: $0.key, revision: $0.value, isPredicate: true) },
            writes: writes.map { .init(key: $0.key, revision: $0.value) }, intermediate: intermediate)
    }

    /// Key 1 is deleted by the second transaction.
    private static func deletion(_ revision: Revision, commit: UInt64) -> TransactionRecord {
        TransactionRecord(
            invoked: 1, returned: 100, sequence: commit,
            writes: [.init(key: 1, revision: revision, isDeletion: true)])
    }

    /// A commit whose versions have places of their own.
    private static func torn(_ places: KeyValuePairs<Int, UInt64>) -> TransactionRecord {
        TransactionRecord(
            invoked: 1, returned: 100,
            writes: places.map { .init(key: $0.key, revision: 10 * $0.key + Int($0.value), sequence: $0.value) })
    }

    static let right: [Example] = [
        .init("nothing at all", []),
        .init(
            "a write and a read of it",
            [
                transaction(writes: [1: 10], commit: 1), transaction(reads: [1: 10]), transaction(reads: [1: 0]),
            ]),
        .init(
            "increments one after the other",
            [
                transaction(reads: [1: 0], writes: [1: 10], commit: 1),
                transaction(reads: [1: 10], writes: [1: 11], commit: 2), transaction(reads: [1: 11]),
            ]),
        .init(
            "blind writes of both keys",
            [
                transaction(writes: [1: 10, 2: 20], commit: 2), transaction(writes: [1: 11, 2: 21], commit: 4),
                transaction(reads: [1: 11, 2: 21]), transaction(reads: [1: 10, 2: 20]),
            ]),
        .init(
            "a read of the state before a write that overlaps",
            [
                transaction(writes: [1: 10], commit: 1, time: 1...4), transaction(reads: [1: 0], time: 3...5),
            ]),
        .init(
            "a serial order that is not the order of the commits",
            [
                transaction(reads: [1: 0], writes: [2: 20], commit: 2), transaction(writes: [1: 10], commit: 1),
            ]),
        .init(
            "a deletion that a later transaction sees",
            [
                transaction(writes: [1: 10], commit: 1), deletion(11, commit: 2),
                transaction(reads: [1: 0], writes: [2: 20], commit: 3), transaction(reads: [1: 10]),
            ]),
        .init(
            "what was rolled back and nobody saw",
            [
                transaction(writes: [1: 10], aborted: true), transaction(reads: [1: 0]),
            ]),
    ]

    /// With each the anomaly that a check for serializability finds, and the one for snapshot isolation.
    static let wrong: [Example] = [
        .init("G0: two transactions overwrite each other", [torn([1: 1, 2: 4]), torn([1: 2, 2: 3])], .g0, .g0),
        .init(
            "G0: a transaction overwrites one that begins after it has ended",
            [
                transaction(writes: [1: 10], commit: 2, time: 1...2),
                transaction(writes: [1: 11], commit: 1, time: 3...4),
            ], .g0, .g0, usesTime: true),
        .init(
            "G1a: a read of what was rolled back",
            [
                transaction(writes: [1: 10], aborted: true), transaction(reads: [1: 10]),
            ], .g1a, .g1a),
        .init(
            "G1b: a read of what its writer overwrote",
            [
                transaction(writes: [1: 11], commit: 1, intermediate: [10]), transaction(reads: [1: 10]),
            ], .g1b, .g1b),
        .init("a read of what nobody wrote", [transaction(reads: [1: 99])], .invented, .invented),
        .init(
            "G1c: each reads what the other wrote",
            [
                transaction(reads: [2: 20], writes: [1: 10], commit: 1),
                transaction(reads: [1: 10], writes: [2: 20], commit: 2),
            ], .g1c, .g1c),
        .init(
            "G-single: a lost update",
            [
                transaction(reads: [1: 0], writes: [1: 10], commit: 1),
                transaction(reads: [1: 0], writes: [1: 11], commit: 2),
            ], .gSingle, .gSingle),
        .init(
            "G-single: a read of one write of two",
            [
                transaction(writes: [1: 10, 2: 20], commit: 2), transaction(reads: [1: 10, 2: 0]),
            ], .gSingle, .gSingle),
        .init(
            "G-single: a stale read in real time",
            [
                transaction(writes: [1: 10], commit: 1, time: 1...2), transaction(reads: [1: 0], time: 3...4),
            ], .gSingle, .gSingle, usesTime: true),
        .init(
            "a long fork: two readers see two writes in opposite orders",
            [
                transaction(writes: [1: 10], commit: 1), transaction(writes: [2: 20], commit: 2),
                transaction(reads: [1: 10, 2: 0]), transaction(reads: [1: 0, 2: 20]),
            ], .gApart, .gApart),
        .init(
            "G2-item: write skew",
            [
                transaction(reads: [1: 0, 2: 0], writes: [1: 10], commit: 1),
                transaction(reads: [1: 0, 2: 0], writes: [2: 20], commit: 2),
            ], .g2Item, nil),
        .init(
            "G2: phantoms, as each adds a key to the range that the other has scanned",
            [
                transaction(walked: [1: 0, 2: 0], writes: [1: 10], commit: 1),
                transaction(walked: [1: 0, 2: 0], writes: [2: 20], commit: 2),
            ], .g2, nil),
        .init(
            "the read-only anomaly: a reader sees the deposit, and not the withdrawal that did not see it",
            [
                transaction(reads: [1: 0, 2: 0], writes: [1: 10], commit: 2),
                transaction(reads: [2: 0], writes: [2: 20], commit: 1, time: 1...50),
                transaction(reads: [1: 0, 2: 20], time: 51...60),
            ], .g2Item, nil),
        .init(
            "a deletion that was not seen, and could not be",
            [
                transaction(writes: [1: 10], commit: 1), deletion(11, commit: 2),
                transaction(reads: [1: 10], writes: [1: 12], commit: 3),
            ], .gSingle, .gSingle),
    ]
}
