import Testing

@testable import Siltstone

/// The checker itself, on histories that are known to be right or wrong.
struct SerializabilityCheckerTests {
    /// A history whose name says why it is right or wrong.
    struct Example: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var records: [TransactionRecord]
        /// What a check for serializability finds.
        var serializable: Anomaly?
        /// What a check for snapshot isolation finds.
        var snapshot: Anomaly?

        init(
            _ name: String, _ records: [TransactionRecord], _ serializable: Anomaly.Kind? = nil,
            _ snapshot: Anomaly.Kind? = nil, usesTime: Bool = false
        ) {
            testDescription = name
            self.records = records
            self.serializable = serializable.map { Anomaly(kind: $0, usesTime: usesTime) }
            self.snapshot = snapshot.map { Anomaly(kind: $0, usesTime: usesTime) }
        }
    }

    @Test("histories that a serial order explains are accepted", arguments: SerializabilityExamples.right)
    func right(_ example: Example) {
        #expect(SerializabilityChecker.check(example.records, .serializable) == nil)
        #expect(SerializabilityChecker.check(example.records, .snapshot) == nil)
    }

    @Test(
        "each anomaly is found by its name, and at the levels that forbid it", arguments: SerializabilityExamples.wrong)
    func wrong(_ example: Example) {
        let found = SerializabilityChecker.check(example.records, .serializable)
        #expect(found == example.serializable)
        #expect(found?.explanation.isEmpty == false)
        #expect(SerializabilityChecker.check(example.records, .snapshot) == example.snapshot)
    }

    @Test("a read that is not of the snapshot is found, also of an absent key")
    func snapshots() {
        let write = TransactionRecord(
            invoked: 1, returned: 2, sequence: 1, writes: [.init(key: 1, revision: 10)])
        let deletion = TransactionRecord(
            invoked: 3, returned: 4, sequence: 2, writes: [.init(key: 1, revision: 11, isDeletion: true)])
        for (snapshot, revision, isRight) in [(1, 10, true), (2, 0, true), (1, 0, false), (2, 10, false)] {
            let read = TransactionRecord(
                invoked: 1, returned: 100, snapshot: UInt64(snapshot), reads: [.init(key: 1, revision: revision)])
            let found = SerializabilityChecker.check([write, deletion, read], .serializable)
            #expect(found?.kind == (isRight ? nil : .notOfSnapshot))
        }
    }

    @Test("a long history of transactions one after the other is accepted; a write that one of them missed is found")
    func longHistory() {
        for round in 0..<SuiteScale.count(2, thorough: 10) {
            let seed = SuiteScale.seed &+ UInt64(round)
            var random = SeededGenerator(seed)
            var records = Self.serialHistory(&random, count: 400)
            let replay = SuiteScale.replay("SerializabilityCheckerTests/longHistory", seed: seed)
            #expect(SerializabilityChecker.check(records, .serializable) == nil, "\(replay)")
            // One that has read and overwritten a key has missed what another wrote to it.
            let candidates = records.indices.filter { index in
                records[index].reads.contains { read in
                    read.revision > 4 && records[index].writes.contains { $0.key == read.key }
                }
            }
            guard let index = candidates.randomElement(using: &random) else { continue }
            for place in records[index].reads.indices
            where records[index].writes.contains(where: { $0.key == records[index].reads[place].key }) {
                records[index].reads[place].revision = 1 + records[index].reads[place].key
            }
            #expect(SerializabilityChecker.check(records, .serializable) != nil, "\(replay)")
        }
    }

    @Test("of small random histories, the graph accepts none that no order explains, and rejects none that one does")
    func againstAllOrders() {
        var (right, wrong) = (0, 0)
        for round in 0..<SuiteScale.count(300, thorough: 1_500) {
            var random = SeededGenerator(SuiteScale.seed &+ UInt64(round))
            let records = Self.smallHistory(&random)
            let expected = Self.isExplained(Array(records.indices), records, [:])
            let found = SerializabilityChecker.check(records, .serializable)
            #expect(
                (found == nil) == expected,
                "\(SuiteScale.replay("againstAllOrders", seed: SuiteScale.seed &+ UInt64(round)))\n\(records)")
            if expected { right += 1 } else { wrong += 1 }
        }
        let least = SuiteScale.count(20, thorough: 100)
        #expect(right > least && wrong > least)
    }

    // MARK: Histories

    /// Transactions that each see what the ones before have left, and overlap in time with the next few.
    private static func serialHistory(_ random: inout SeededGenerator, count: Int) -> [TransactionRecord] {
        var state = [1, 2, 3, 4]
        let first = TransactionRecord(
            invoked: -2, returned: -1, sequence: 0, writes: (0..<4).map { .init(key: $0, revision: $0 + 1) })
        return [first]
            + (1...count).map { number in
                var record = TransactionRecord(
                    invoked: 10 * number - random.index(40), returned: 10 * number + 1 + random.index(40),
                    sequence: UInt64(number))
                for key in 0..<4 where random.chance(0.5) {
                    record.reads.append(.init(key: key, revision: state[key], isPredicate: random.chance(0.5)))
                }
                for key in 0..<4 where random.chance(0.4) {
                    state[key] = 10 * number + key
                    record.writes.append(.init(key: key, revision: state[key]))
                }
                return record
            }
    }

    /// Three or four transactions on two keys. Whatever each read was written by one of them, or was there before.
    private static func smallHistory(_ random: inout SeededGenerator) -> [TransactionRecord] {
        let count = 3 + random.index(2)
        var records = (0..<count).map { number in
            var record = TransactionRecord(invoked: 1, returned: 100, sequence: UInt64(number + 1))
            if random.chance(0.4) {
                (record.invoked, record.returned) = (10 * number, 10 * number + 5 + random.index(20))
            }
            for key in 0..<2 where random.chance(0.5) {
                record.writes.append(.init(key: key, revision: 10 * (number + 1) + key))
            }
            return record
        }
        for index in records.indices {
            for key in 0..<2 where random.chance(0.5) {
                let revisions =
                    [Revision.absent]
                    + records.indices.filter { $0 != index }
                    .flatMap { records[$0].writes }.filter { $0.key == key }.map(\.revision)
                let revision = revisions.randomElement(using: &random) ?? .absent
                records[index].reads.append(.init(key: key, revision: revision))
            }
        }
        return records
    }

    /// Whether the transactions that are left can follow a state in some order, by trying all of them. Writes of a key
    /// stay in the order of the commits.
    private static func isExplained(
        _ left: [Int], _ records: [TransactionRecord], _ state: [Int: (Revision, UInt64)]
    ) -> Bool {
        if left.isEmpty { return true }
        return left.contains { index in
            let record = records[index]
            guard !left.contains(where: { records[$0].returned < record.invoked }),
                record.reads.allSatisfy({ (state[$0.key]?.0 ?? .absent) == $0.revision }),
                record.writes.allSatisfy({ (state[$0.key]?.1 ?? 0) < record.sequence ?? 0 })
            else { return false }
            var next = state
            for write in record.writes { next[write.key] = (write.revision, record.sequence ?? 0) }
            return isExplained(left.filter { $0 != index }, records, next)
        }
    }
}
