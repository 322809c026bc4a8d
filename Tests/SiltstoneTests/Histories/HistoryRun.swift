import Dispatch
import Foundation
import SiltstoneTesting
import Testing

@testable import Siltstone

/// Rounds of threads on one store. What each round recorded is checked, from the state that the last one left.
final class HistoryRun {
    /// How a round ends.
    enum Ending: CaseIterable {
        /// The store stays open.
        case stay
        /// It is closed and opened again once all threads are done.
        case reopen
        /// It is dropped without being closed.
        case drop
        /// It is closed, by several threads at once, while the others work.
        case closeAmidst
    }

    private let place: HistoryPlace
    private let replay: String
    private var store: KeyValueStore
    private var state = MapState()
    private var lastRevision = Revision.absent
    private var round = 0
    private(set) var figures = HistoryFigures()

    init(_ place: HistoryPlace, replay: String) throws {
        self.place = place
        self.replay = replay
        store = try place.open()
    }

    /// Runs a round.
    func run(seed: UInt64, threads: Int, operations: Int, ending: Ending) throws {
        round += 1
        let recorder = HistoryRecorder(lastRevision: lastRevision)
        let checkpoints = runThreads(recorder, seed, threads, operations, closing: ending == .closeAmidst)
        try finish(ending)
        let lane = HistoryRecorder.Lane(recorder, 100)
        for checkpoint in checkpoints { try observe(checkpoint, lane) }
        let entries = try observeAll(lane)
        lane.end()
        let judge = HistoryJudge(initial: state, recording: recorder.recording)
        for problem in judge.problems(mayBeClosed: ending == .closeAmidst) {
            Issue.record("round \(round): \(problem)\n\(replay)")
        }
        figures.add(recorder.recording.operations)
        figures.checkpoints += checkpoints.count
        state = MapState(entries)
        lastRevision = recorder.newestRevision
    }

    /// Runs the threads of a round, and waits for them.
    private func runThreads(
        _ recorder: HistoryRecorder, _ seed: UInt64, _ threads: Int, _ operations: Int, closing: Bool
    ) -> [Disturber.Checkpoint] {
        let (store, prefix) = (store, "\(place.fixture.path)-checkpoint-\(round)")
        let (working, beside) = (DispatchGroup(), DispatchGroup())
        let isOn = Locked(true)
        let checkpoints = Locked<[Disturber.Checkpoint]>([])
        for number in 0..<threads {
            Thread.detachNewThread(in: working) {
                let lane = HistoryRecorder.Lane(recorder, number)
                var worker = HistoryWorker(store, lane, seed: seed &+ UInt64(number))
                worker.run(operations)
            }
        }
        for number in 50..<52 {
            Thread.detachNewThread(in: beside) {
                let lane = HistoryRecorder.Lane(recorder, number)
                var disturber = Disturber(store, lane, checkpointPrefix: prefix, seed: seed &+ UInt64(number))
                disturber.run { isOn.withLock { $0 } }
                checkpoints.withLock { $0 += disturber.checkpoints }
            }
        }
        if closing { closeSoon(recorder, seed, in: beside) }
        working.wait()
        isOn.withLock { $0 = false }
        beside.wait()
        return checkpoints.withLock { $0 }
    }

    /// Closes the store from two threads, after a while.
    private func closeSoon(_ recorder: HistoryRecorder, _ seed: UInt64, in group: DispatchGroup) {
        for number in 60..<62 {
            let store = store
            Thread.detachNewThread(in: group) {
                var random = SeededGenerator(seed &+ UInt64(number))
                usleep(UInt32(random.index(60_000)))
                let lane = HistoryRecorder.Lane(recorder, number)
                do throws(StoreError) { try store.close() } catch { lane.note(error) }
                lane.end()
            }
        }
    }

    private func finish(_ ending: Ending) throws {
        switch ending {
        case .stay: return
        case .closeAmidst: countWork()
        case .reopen:
            countWork()
            try store.close()
        case .drop:
            countWork()
            // In the place of the last reference.
            store = try KeyValueStore.inMemory()
        }
        figures.closings += 1
        store = try place.openWhenFree()
    }

    /// Adds what the store has done since it was opened.
    private func countWork() {
        let statistics = store.statistics
        figures.flushes += statistics.flushes
        figures.compactions += statistics.compactions
    }

    /// What a checkpoint holds was the state at one moment between the call and its return.
    private func observe(_ checkpoint: Disturber.Checkpoint, _ lane: HistoryRecorder.Lane) throws {
        let copy = try KeyValueStore.open(at: checkpoint.path, configuration: place.configuration)
        lane.add(
            .observe(try Self.reading(copy, isReverse: false)), from: checkpoint.invoked, to: checkpoint.returned)
        lane.note(problems: try copy.verify().problems.map { "checkpoint: \($0)" })
        try copy.close()
    }

    /// Reads all keys of the history, in three ways.
    private func observeAll(_ lane: HistoryRecorder.Lane) throws -> [Int: Revision] {
        var entries: [Int: Revision] = [:]
        for isReverse in [true, false] {
            let invoked = lane.recorder.now()
            lane.add(.observe(try Self.reading(store, isReverse: isReverse)), from: invoked, to: lane.recorder.now())
        }
        for key in HistoryKeys.all {
            let invoked = lane.recorder.now()
            let revision = RevisionCoding.decode(try store.get(HistoryKeys.bytes(key)))
            let seen = Effect.observe([Observation(key: key, seen: .revision(revision))])
            lane.add(seen, from: invoked, to: lane.recorder.now())
            entries[key] = revision
        }
        return entries
    }

    private static func reading(_ store: KeyValueStore, isReverse: Bool) throws -> [Observation] {
        var progress = ScanProgress(HistoryKeys.all, isReverse: isReverse)
        for entry in try store.scan(to: HistoryKeys.bytes(HistoryKeys.count), reverse: isReverse).remaining() {
            progress.add(entry)
        }
        progress.end()
        #expect(progress.problems.isEmpty)
        return progress.observations
    }

    /// Closes the store for good, and checks every byte first.
    func end() throws {
        #expect(try store.verify().problems.isEmpty, "\(replay)")
        countWork()
        try store.close()
        figures.delays = place.delayCount
    }
}
