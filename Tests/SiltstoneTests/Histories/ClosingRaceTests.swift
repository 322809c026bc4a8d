import Dispatch
import Foundation
import Testing

@testable import Siltstone

/// What runs long while the store is closed, and opened again by someone else at once.
@Suite struct ClosingRaceTests {
    @Test("verifications and checkpoints that a closing overtakes end well or say that it is closed, and blame no file")
    func verifyAndCheckpoint() throws {
        let deadline = SuiteScale.deadline()
        var (calls, number) = (0, 0)
        while deadline.map({ Date() < $0 }) ?? (number < 20) {
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
                            let report = try store.verify()
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
