import Foundation

@testable import Siltstone

/// Runs random transactions on a store, from one thread or one task, and records what they did and saw.
///
/// Every write has a value of its own. Each attempt that writes also puts its name under a key of the worker, by which the
/// feed of changes tells the number of its commit.
final class TransactionWorker {
    /// What a worker brings home.
    struct Result: Sendable {
        var records: [TransactionRecord] = []
        /// The name of each attempt that has written, by its index in ``records``.
        var names: [Int: Revision] = [:]
        var problems: [String] = []
        var conflicts = 0
    }

    private struct Cancelled: Error {}

    private let store: KeyValueStore
    private let recorder: HistoryRecorder
    private let number: Int
    private let isolation: Transaction.Isolation
    private var random: SeededGenerator
    private var attempts: [TransactionAttempt] = []
    private var name = Revision.absent
    private(set) var result = Result()

    init(
        _ store: KeyValueStore, _ recorder: HistoryRecorder, _ number: Int, _ isolation: Transaction.Isolation,
        seed: UInt64
    ) {
        self.store = store
        self.recorder = recorder
        self.number = number
        self.isolation = isolation
        random = SeededGenerator(seed)
    }

    /// The key under which a worker puts the names of its transactions. Behind the keys of the history.
    static func markerKey(_ worker: Int) -> [UInt8] { Array("marker \(worker)".utf8) }

    static func marker(_ name: Revision) -> [UInt8] { withUnsafeBytes(of: UInt64(name)) { [UInt8]($0) } }

    /// The name that a marker tells; nil for any other change.
    static func name(_ change: Siltstone.Change) -> Revision? {
        guard case .put(let value) = change.operation, change.key.starts(with: "marker ".utf8), value.count == 8 else {
            return nil
        }
        return value.reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    // MARK: Rounds

    /// Runs transactions on the calling thread.
    func run(_ count: Int) {
        for _ in 0..<count {
            switch random.index(20) {
            case 0..<2: writeBatch()
            case 2..<4: readSnapshot()
            case 4..<9: commitByHand()
            default: transact()
            }
        }
    }

    /// Runs transactions in the calling task.
    func run(_ count: Int) async {
        for _ in 0..<count {
            if random.chance(0.6) { await transact() } else { await commitByHand() }
        }
    }

    /// A transaction with its retries by the store.
    private func transact() {
        let plan = plan()
        var invoked = recorder.now()
        let outcome = Swift.Result {
            try store.transaction(isolation: isolation, durability: plan.durability) { transaction in
                begin(transaction, invoked)
                for _ in 0..<plan.steps { try step(transaction, plan) }
                try finishBody(transaction, plan)
                // The next attempt begins behind this.
                invoked = recorder.now()
            }
        }
        end(outcome.map { nil })
    }

    private func transact() async {
        let plan = plan()
        var invoked = recorder.now()
        var failure: (any Error)?
        do {
            try await store.transaction(isolation: isolation, durability: plan.durability) { transaction in
                begin(transaction, invoked)
                for _ in 0..<plan.steps { try await stepInTask(transaction, plan) }
                try finishBody(transaction, plan)
                invoked = recorder.now()
                await Task.yield()
            }
        } catch { failure = error }
        end(failure.map { .failure($0) } ?? .success(nil))
    }

    /// A transaction that tries once.
    private func commitByHand() {
        let plan = plan()
        let invoked = recorder.now()
        let transaction = store.begin(isolation: isolation, durability: plan.durability)
        end(
            Swift.Result {
                begin(transaction, invoked)
                for _ in 0..<plan.steps { try step(transaction, plan) }
                try finishBody(transaction, plan)
                return try transaction.commit()
            })
    }

    private func commitByHand() async {
        let plan = plan()
        let invoked = recorder.now()
        let transaction = store.begin(isolation: isolation, durability: plan.durability)
        do {
            begin(transaction, invoked)
            for _ in 0..<plan.steps { try await stepInTask(transaction, plan) }
            try finishBody(transaction, plan)
            end(.success(try await transaction.commit()))
        } catch { end(.failure(error)) }
    }

    /// A batch without a transaction: blind writes that happen at one moment.
    private func writeBatch() {
        begin(nil, recorder.now())
        var batch = WriteBatch()
        for _ in 0...random.index(3) {
            let (key, revision) = (randomKey(), recorder.newRevision())
            if random.chance(0.7) {
                batch.put(HistoryKeys.bytes(key), RevisionCoding.encode(revision))
                attempts[0].put(key, revision)
            } else {
                batch.delete(HistoryKeys.bytes(key))
                attempts[0].delete(key, revision)
            }
        }
        batch.put(Self.markerKey(number), Self.marker(name))
        end(Swift.Result { try store.write(batch) })
    }

    /// All keys, as a snapshot shows them.
    private func readSnapshot() {
        let invoked = recorder.now()
        let snapshot = store.snapshot()
        attempts = [TransactionAttempt(invoked: invoked, snapshot: snapshot.sequence)]
        end(
            Swift.Result {
                for key in HistoryKeys.all {
                    let revision = RevisionCoding.decode(try snapshot.get(HistoryKeys.bytes(key)))
                    attempts[0].observe(key, revision, isPredicate: false)
                }
                return snapshot.sequence
            })
    }

    // MARK: Attempts

    /// What a transaction is about to do.
    private struct Plan {
        var steps: Int
        var reads: Bool
        var isCancelled: Bool
        var durability: Durability?
    }

    private func plan() -> Plan {
        attempts = []
        return Plan(
            steps: 1 + random.index(6), reads: random.chance(0.2), isCancelled: random.chance(0.05),
            durability: random.chance(0.1) ? .synced : nil)
    }

    private func begin(_ transaction: Transaction?, _ invoked: Int) {
        attempts.append(TransactionAttempt(invoked: invoked, snapshot: transaction?.sequence))
        name = recorder.newRevision()
        result.names[result.records.count + attempts.count - 1] = name
    }

    private func finishBody(_ transaction: Transaction, _ plan: Plan) throws {
        if attempts[last].hasWritten { try transaction.put(Self.markerKey(number), Self.marker(name)) }
        if plan.isCancelled { throw Cancelled() }
    }

    private var last: Int { attempts.count - 1 }

    /// Takes down what became of the attempts: all but the last one have met conflicts.
    private func end(_ outcome: Swift.Result<UInt64?, any Error>) {
        let now = recorder.now()
        result.conflicts += max(0, attempts.count - 1)
        for index in attempts.indices {
            var (isCommitted, sequence): (Bool, UInt64?) = (false, nil)
            if index == last {
                switch outcome {
                case .success(let number): (isCommitted, sequence) = (true, number)
                case .failure(let error): refuse(error)
                }
            }
            attempts[index].end(isCommitted ? .committed : .aborted, at: now, sequence: sequence)
            result.problems += attempts[index].problems
            result.records.append(attempts[index].record)
        }
        attempts = []
    }

    private func refuse(_ error: any Error) {
        if error is Cancelled { return }
        if (error as? StoreError)?.code == .conflict {
            result.conflicts += 1
        } else {
            result.problems.append("a transaction threw \(error)")
        }
    }

    // MARK: Steps

    private func randomKey() -> Int { random.index(HistoryKeys.count) }

    private func step(_ transaction: Transaction, _ plan: Plan, depth: Int = 0) throws {
        if random.chance(0.1) { sched_yield() }
        switch random.index(plan.reads ? 50 : 100) {
        case 0..<22:
            let key = randomKey()
            see(key, try transaction.get(HistoryKeys.bytes(key)))
        case 22..<26:
            let key = randomKey()
            var value: [UInt8]?
            try transaction.withValue(HistoryKeys.bytes(key)) { bytes in value = bytes.withBytes { Array($0) } }
            see(key, value)
        case 26..<31:
            let keys = (0..<3).map { _ in randomKey() }
            for (key, value) in zip(keys, try transaction.get(all: keys.map(HistoryKeys.bytes))) { see(key, value) }
        case 31..<50: try walk(transaction)
        case 50..<80: try put(transaction)
        case 80..<87:
            let (key, revision) = (randomKey(), recorder.newRevision())
            try transaction.delete(HistoryKeys.bytes(key))
            attempts[last].delete(key, revision)
        case 87..<91:
            let range = randomRange(upTo: 3)
            try transaction.deleteRange(
                from: HistoryKeys.bytes(range.lowerBound), to: HistoryKeys.bytes(range.upperBound))
            for key in range { attempts[last].delete(key, recorder.newRevision()) }
        default: try savepoint(transaction, plan, depth)
        }
    }

    private func stepInTask(_ transaction: Transaction, _ plan: Plan) async throws {
        switch random.index(10) {
        case 0..<3:
            let key = randomKey()
            see(key, try await transaction.get(HistoryKeys.bytes(key)))
        case 3:
            let range = randomRange(upTo: HistoryKeys.count)
            var progress = ScanProgress(range, isReverse: false)
            for try await entry in transaction.entries(
                from: HistoryKeys.bytes(range.lowerBound), to: HistoryKeys.bytes(range.upperBound))
            { progress.add(entry) }
            progress.end()
            see(progress)
        default: try step(transaction, plan)
        }
        if random.chance(0.5) { await Task.yield() }
    }

    private func see(_ key: Int, _ value: [UInt8]?) {
        attempts[last].observe(key, RevisionCoding.decode(value), isPredicate: false)
    }

    private func see(_ progress: ScanProgress) {
        attempts[last].observe(progress.observations)
        attempts[last].note(problems: progress.problems)
    }

    private func put(_ transaction: Transaction) throws {
        let (key, revision) = (randomKey(), recorder.newRevision())
        try transaction.put(HistoryKeys.bytes(key), RevisionCoding.encode(revision))
        attempts[last].put(key, revision)
    }

    private func randomRange(upTo length: Int) -> Range<Int> {
        let from = randomKey()
        return from..<min(HistoryKeys.count, from + 1 + random.index(length))
    }

    /// Walks over a range, to its end or a part of the way.
    private func walk(_ transaction: Transaction) throws {
        let (range, isReverse) = (randomRange(upTo: HistoryKeys.count), random.chance(0.5))
        let (from, to) = (HistoryKeys.bytes(range.lowerBound), HistoryKeys.bytes(range.upperBound))
        var progress = ScanProgress(range, isReverse: isReverse)
        let most = random.chance(0.4) ? 1 + random.index(4) : Int.max
        var count = 0
        switch random.index(3) {
        case 0:
            try transaction.forEach(from: from, to: to, reverse: isReverse) { key, value in
                progress.add(
                    Entry(key: key.withBytes { Array($0) }, value: value.withBytes { Array($0) }))
                count += 1
                return count < most
            }
            if count < most { progress.end() }
        case 1:
            let cursor = try transaction.scan(from: from, to: to, reverse: isReverse)
            while count < most {
                guard let entry = try cursor.next() else {
                    progress.end()
                    break
                }
                progress.add(entry)
                count += 1
            }
        default:
            let limit = most == .max ? nil : most
            let entries = try transaction.scan(from: from, to: to, reverse: isReverse, limit: limit).remaining()
            for entry in entries { progress.add(entry) }
            if entries.count < most { progress.end() }
        }
        see(progress)
    }

    private func savepoint(_ transaction: Transaction, _ plan: Plan, _ depth: Int) throws {
        guard depth < 2 else { return try put(transaction) }
        let (mark, isKept) = (attempts[last].mark, random.chance(0.5))
        do {
            try transaction.savepoint {
                for _ in 0...random.index(3) { try step(transaction, plan, depth: depth + 1) }
                if !isKept { throw Cancelled() }
            }
        } catch is Cancelled { attempts[last].rollBack(to: mark) }
    }
}
