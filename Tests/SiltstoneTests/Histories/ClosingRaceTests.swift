import Dispatch
import Foundation
import Testing

@testable import Siltstone

/// What runs long while the store is closed, and opened again by someone else at once.
struct ClosingRaceTests {
    @Test(
        "verifications and checkpoints that a closing overtakes end well or say that it is closed, and blame no file",
        .comesToAnEnd)
    func verifyAndCheckpoint() throws {
        let deadline = SuiteScale.deadline()
        var (calls, number) = (0, 0)
        while deadline.map({ Date() < $0 }) ?? (number < SuiteScale.count(4, thorough: 20)) {
            calls += try Self.run(seed: SuiteScale.seed &+ UInt64(number))
            number += 1
        }
        SuiteScale.report("closing under verifications and checkpoints", ["closings": number, "calls": calls])
    }

    private static func run(seed: UInt64) throws -> Int {
        let variant = HistoryVariant.all[Int(seed % UInt64(HistoryVariant.all.count))]
        let place = try HistoryPlace(variant, seed: seed)
        let store = try place.open()
        fill(store, seed)
        let (group, calls, problems) = (DispatchGroup(), Counter(), Locked<[String]>([]))
        for thread in 0..<2 {
            Thread.detachNewThread(in: group) {
                do throws(StoreError) {
                    while true {
                        if thread == 0 {
                            // A moment at each file, so that the new owner overtakes it.
                            let report = try store.verify { _ in usleep(1000) }
                            problems.withLock { $0 += report.problems.map { "\($0)" } }
                        } else {
                            try store.checkpoint(to: "\(place.fixture.path)-copy-\(calls.next())")
                        }
                        _ = calls.next()
                    }
                } catch { if error.code != .closed { problems.withLock { $0.append("\(error)") } } }
            }
        }
        var random = SeededGenerator(seed)
        usleep(UInt32(random.index(20_000)))
        try store.close()
        // The new owner replaces and removes every file.
        let owner = try place.open()
        try owner.compact()
        group.wait()
        for problem in problems.withLock({ $0 }) {
            Issue.record("\(problem)\n\(SuiteScale.replay("ClosingRaceTests", seed: seed))")
        }
        #expect(try owner.verify().problems.isEmpty)
        try owner.close()
        return calls.value
    }

    @Test(
        "a store that is closed amidst flushes and compactions leaves nothing behind that disturbs the next owner",
        .comesToAnEnd)
    func successiveOwners() throws {
        let deadline = SuiteScale.deadline()
        var (owners, number) = (0, 0)
        while deadline.map({ Date() < $0 }) ?? (number < SuiteScale.count(2, thorough: 8)) {
            let seed = SuiteScale.seed &+ UInt64(number)
            var variant = HistoryVariant.all[Int(seed % 4)]
            variant.configuration.durability = .buffered
            let place = try HistoryPlace(variant, seed: seed)
            let replay = SuiteScale.replay("ClosingRaceTests", seed: seed)
            var (random, model) = (SeededGenerator(seed), StoreModel())
            for _ in 0..<12 {
                try Self.own(place, &model, &random, replay)
                owners += 1
            }
            number += 1
        }
        SuiteScale.report("successive owners", ["owners": owners])
    }

    /// Opens, finds what the last owner left, overwrites much of it, and closes while that is flushed and compacted.
    private static func own(
        _ place: HistoryPlace, _ model: inout StoreModel, _ random: inout SeededGenerator, _ replay: String
    ) throws {
        let store = try place.open()
        #expect(try store.allEntries() == model.scan(), "\(replay)")
        for _ in 0..<200 + random.index(200) {
            let (name, value) = (key(random.index(150)), [UInt8](repeating: UInt8(random.index(256)), count: 900))
            try store.put(name, value)
            model[name] = value
        }
        Thread.detachNewThread {
            do throws(StoreError) { try store.compact() } catch { #expect(error.code == .closed, "\(error)") }
        }
        usleep(UInt32(random.index(30_000)))
        try store.close()
        // Not waited for: whatever the closed store still does, it does to the next owner.
    }

    /// Several segments, value files, and a log.
    private static func fill(_ store: KeyValueStore, _ seed: UInt64) {
        do throws(StoreError) {
            for number in 0..<400 {
                try store.put(key(number % 300), [UInt8](repeating: 1, count: 900), durability: .buffered)
                if number % 100 == 50 { try store.flush() }
            }
        } catch { Issue.record(error) }
    }
}
