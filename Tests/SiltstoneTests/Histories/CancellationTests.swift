import Foundation
import Synchronization
import Testing

@testable import Siltstone

/// Tasks that are cancelled at random moments: cancellation stops no call half way, loses nothing, and leaves nobody
/// waiting.
struct CancellationTests {
    @Test("whenever tasks are cancelled, what they were told and saw happened in one order", .comesToAnEnd)
    func histories() async throws {
        let deadline = SuiteScale.deadline()
        var (figures, cancellations, number) = (HistoryFigures(), 0, 0)
        while deadline.map({ Date() < $0 }) ?? (number < SuiteScale.count(4, thorough: 10)) {
            let seed = SuiteScale.seed &+ UInt64(number)
            cancellations += try await Self.runHistory(seed: seed, isClosing: seed % 3 == 2, &figures)
            number += 1
        }
        SuiteScale.report(
            "cancelled tasks",
            ["histories": figures.histories, "operations": figures.operations, "cancellations": cancellations])
    }

    /// Tasks on a few keys; the history of what they did is checked.
    private static func runHistory(
        seed: UInt64, isClosing: Bool, _ figures: inout HistoryFigures
    ) async throws -> Int {
        let place = try HistoryPlace(HistoryVariant.random(seed), seed: seed)
        let store = try await KeyValueStore.open(at: place.fixture.path, configuration: place.configuration)
        let recorder = HistoryRecorder()
        let tasks = (0..<6).map { number in
            Task {
                var worker = AsyncWorker(store, HistoryRecorder.Lane(recorder, number), seed: seed &+ UInt64(number))
                await worker.run(25)
            }
        }
        var random = SeededGenerator(seed &+ 77)
        for task in tasks.shuffled(using: &random) {
            try await Task.sleep(for: .microseconds(random.index(3000)))
            task.cancel()
        }
        // In a task that is cancelled already: it closes all the same.
        if isClosing { await Self.closeInCancelledTask(store) }
        for task in tasks { await task.value }
        if !isClosing { await Self.closeInCancelledTask(store) }
        try await Self.judge(place, recorder, mayBeClosed: isClosing, seed: seed)
        figures.add(recorder.recording.operations)
        return tasks.count + 1
    }

    private static func closeInCancelledTask(_ store: KeyValueStore) async {
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            do throws(StoreError) { try await store.close() } catch { Issue.record(error) }
        }
        task.cancel()
        await task.value
    }

    /// Opens the store again, and checks the history with what is found there.
    private static func judge(
        _ place: HistoryPlace, _ recorder: HistoryRecorder, mayBeClosed: Bool, seed: UInt64
    ) async throws {
        let store = try await KeyValueStore.open(at: place.fixture.path, configuration: place.configuration)
        let lane = HistoryRecorder.Lane(recorder, 100)
        let names = HistoryKeys.all.map(HistoryKeys.bytes)
        await lane.record { () async throws(StoreError) in
            let values = try await store.get(all: names)
            return .observe(
                values.enumerated().map { Observation(key: $0, seen: .revision(RevisionCoding.decode($1))) })
        }
        lane.end()
        let judge = HistoryJudge(initial: MapState(), recording: recorder.recording)
        for problem in judge.problems(mayBeClosed: mayBeClosed) {
            Issue.record("\(problem)\n\(SuiteScale.replay("CancellationTests", seed: seed))")
        }
        #expect(try await store.verify().problems.isEmpty)
        try await store.close()
    }

    @Test(
        "a storm of cancellations: every call comes to its end, all that was acknowledged is there, batches whole",
        .comesToAnEnd)
    func storm() async throws {
        let deadline = SuiteScale.deadline()
        var (calls, cancellations, number) = (0, 0, 0)
        while deadline.map({ Date() < $0 }) ?? (number < 3) {
            let seed = SuiteScale.seed &+ UInt64(number)
            let storm = try CancellationStorm(seed: seed)
            try await storm.run(tasks: SuiteScale.count(150, thorough: 300))
            calls += storm.callCount
            cancellations += storm.cancellationCount
            number += 1
        }
        SuiteScale.report("cancellation storms", ["calls": calls, "cancellations": cancellations])
    }
}
