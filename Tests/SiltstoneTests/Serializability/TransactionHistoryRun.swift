import Dispatch
import Foundation
import Testing

@testable import Siltstone

/// Rounds of threads and tasks that run transactions on one store, beside flushes and compactions. What each round
/// recorded is checked, from the state that the last one left.
final class TransactionHistoryRun {
    struct Figures {
        var transactions = 0
        var committed = 0
        var conflicts = 0
        var reads = 0
        var flushes = 0
        var compactions = 0
        var events = 0
    }

    private static let (threads, tasks) = (4, 2)

    private let place: HistoryPlace
    private let isolation: Transaction.Isolation
    private let replay: String
    private var store: KeyValueStore
    /// The state that the last round left, as a transaction before all others.
    private var initial: TransactionRecord
    private var lastRevision = Revision.absent
    private(set) var figures = Figures()

    init(_ place: HistoryPlace, _ isolation: Transaction.Isolation, replay: String) throws {
        self.place = place
        self.isolation = isolation
        self.replay = replay
        store = try place.open()
        initial = Self.before
    }

    private static let before = TransactionRecord(invoked: -2, returned: -1, sequence: 0)

    /// Runs a round.
    /// - Parameter reopens: whether the store is closed and opened again behind it.
    func run(seed: UInt64, transactions: Int, reopens: Bool) async throws {
        let recorder = HistoryRecorder(lastRevision: lastRevision)
        let fold = Locked(FeedFold(try store.allEntries(), sequence: store.statistics.lastSequence))
        let observation = try store.observeChanges { event in
            if case .success(let event) = event { fold.withLock { $0.take(event) } }
        }
        var results = await runWorkers(recorder, seed, transactions)
        results.append(try readAll(recorder))
        let end = store.statistics.lastSequence
        try waitUntil("the feed") { fold.withLock { $0.sequence >= end } }
        observation.cancel()
        try judge(results, fold.withLock { $0 })
        lastRevision = recorder.newestRevision
        if reopens {
            try close()
            store = try place.openWhenFree()
        }
    }

    private func close() throws {
        figures.flushes += store.statistics.flushes
        figures.compactions += store.statistics.compactions
        try store.close()
    }

    private func runWorkers(
        _ recorder: HistoryRecorder, _ seed: UInt64, _ transactions: Int
    ) async -> [TransactionWorker.Result] {
        let (store, isolation) = (store, isolation)
        let isOn = Locked(true)
        let (working, beside) = (DispatchGroup(), DispatchGroup())
        let results = Locked<[TransactionWorker.Result]>([])
        for number in 0..<Self.threads {
            Thread.detachNewThread(in: working) {
                let worker = TransactionWorker(store, recorder, number, isolation, seed: seed &+ UInt64(number))
                worker.run(transactions)
                results.withLock { [result = worker.result] in $0.append(result) }
            }
        }
        Thread.detachNewThread(in: beside) {
            var random = SeededGenerator(seed &+ 50)
            var last = recorder.now()
            while isOn.withLock({ $0 }) {
                do { try Self.disturb(store, &random) } catch { Issue.record("\(error)") }
                // In a run of all tests the tasks wait for minutes until the pool has a thread for them. Without a pause,
                // thousands of flushes would go by meanwhile, and take the time from the others.
                let now = recorder.now()
                if now == last + 1 { usleep(20_000) }
                last = now
            }
        }
        await withTaskGroup(of: TransactionWorker.Result.self) { group in
            for number in Self.threads..<Self.threads + Self.tasks {
                group.addTask {
                    let worker = TransactionWorker(store, recorder, number, isolation, seed: seed &+ UInt64(number))
                    await worker.run(transactions)
                    return worker.result
                }
            }
            for await result in group { results.withLock { $0.append(result) } }
        }
        await withCheckedContinuation { continuation in
            working.notify(queue: .global()) { continuation.resume() }
        }
        isOn.withLock { $0 = false }
        await withCheckedContinuation { continuation in
            beside.notify(queue: .global()) { continuation.resume() }
        }
        return results.withLock { $0 }
    }

    /// Moves what transactions have read to other places. Fills the store behind their keys, so that they are no conflict.
    private static func disturb(_ store: KeyValueStore, _ random: inout SeededGenerator) throws {
        switch random.index(10) {
        case 0..<4: try store.flush()
        case 4: try store.compact()
        case 5..<7:
            let from = random.index(HistoryKeys.count)
            try store.compact(from: HistoryKeys.bytes(from), to: HistoryKeys.bytes(from + 1 + random.index(4)))
        default:
            for _ in 0..<20 {
                let name = HistoryKeys.filler(behind: HistoryKeys.count, random.index(40))
                try store.put(name, [UInt8](repeating: 7, count: 200 + random.index(1000)), durability: .buffered)
            }
        }
        usleep(UInt32(random.index(1000)))
    }

    /// The end of a round: one transaction that sees everything.
    private func readAll(_ recorder: HistoryRecorder) throws -> TransactionWorker.Result {
        let transaction = store.begin()
        var attempt = TransactionAttempt(invoked: recorder.now(), snapshot: transaction.sequence)
        for isReverse in [true, false] {
            var progress = ScanProgress(HistoryKeys.all, isReverse: isReverse)
            let cursor = try transaction.scan(to: HistoryKeys.bytes(HistoryKeys.count), reverse: isReverse)
            for entry in try cursor.remaining() { progress.add(entry) }
            progress.end()
            attempt.observe(progress.observations)
            attempt.note(problems: progress.problems)
        }
        let sequence = try transaction.commit()
        attempt.end(.committed, at: recorder.now(), sequence: sequence)
        return TransactionWorker.Result(records: [attempt.record], problems: attempt.problems)
    }

    // MARK: Judgement

    private func judge(_ results: [TransactionWorker.Result], _ fold: FeedFold) throws {
        var (records, problems) = ([initial], fold.problems)
        if fold.missed > 0 { problems.append("the feed has missed \(fold.missed) changes") }
        for result in results {
            problems += result.problems
            figures.conflicts += result.conflicts
            for (index, var record) in result.records.enumerated() {
                let commit = result.names[index].flatMap { fold.commits[$0] }
                let hasCommitted = record.outcome == .committed && !record.writes.isEmpty
                if hasCommitted != (commit != nil) {
                    problems.append("\(record) was \(hasCommitted ? "not " : "")in the feed")
                }
                if hasCommitted, let returned = record.sequence, returned != commit {
                    problems.append("a commit returned \(returned), the feed says \(commit ?? 0)")
                }
                record.sequence = commit ?? record.sequence
                records.append(record)
            }
        }
        if let difference = fold.difference(from: try store.allEntries()) { problems.append(difference) }
        if let anomaly = SerializabilityChecker.check(records, isolation) { problems.append("\(anomaly)") }
        for problem in problems.prefix(5) { Issue.record("\(problem)\n\(replay)") }
        figures.transactions += records.count
        figures.committed += records.count { $0.outcome == .committed }
        figures.reads += records.reduce(0) { $0 + $1.reads.count }
        figures.events += fold.eventCount
        initial = Self.state(after: records)
    }

    /// The last version of each key, as one transaction before all others.
    private static func state(after records: [TransactionRecord]) -> TransactionRecord {
        let order = VersionOrder(records)
        var state = before
        for key in HistoryKeys.all {
            let version = order.newest(key, upTo: .max)
            if !version.isAbsent { state.writes.append(.init(key: key, revision: version.revision)) }
        }
        return state
    }

    /// Closes the store for good, and checks every byte first.
    func end() throws {
        #expect(try store.verify().problems.isEmpty, "\(replay)")
        try close()
    }
}
