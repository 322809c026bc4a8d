#if os(Linux)
import Foundation
import Testing

@testable import CrashChild
@testable import Siltstone

/// Stores on a file system of a few megabytes, until and beyond the last of them.
@Suite("A full disk", .enabled(if: SmallDisk.isAvailable, "needs the right to mount"), .comesToAnEnd)
struct FullDiskTests {
    @Test(
        "several threads fill the disk, are told, go on when there is room, and are killed at full: nothing is lost",
        arguments: CrashScenario.filling)
    func fillAndKill(_ scenario: CrashScenario) async throws {
        let summary: FullDiskAttack.Summary
        do {
            summary = try await OwnThread.run {
                let end = SuiteScale.longSeconds.map { Date(timeIntervalSinceNow: $0 / 4) }
                var total = FullDiskAttack.Summary()
                var seed = SuiteScale.seed
                repeat {
                    do {
                        let attack = try FullDiskAttack(scenario, seed: seed)
                        try attack.run()
                        total.add(attack.summary)
                    } catch { throw CrashFailure("seed \(seed): \(error)") }
                    seed &+= 1
                } while end.map { Date() < $0 } ?? false
                return total
            }
        } catch {
            Issue.record("\(scenario): \(error)\n\(SuiteScale.replay("FullDiskTests", seed: SuiteScale.seed))")
            return
        }
        #expect(summary.refusals > 0)
        SuiteScale.report("full disk, \(scenario)", summary.figures)
    }

    @Test(
        "deletes and a compaction make room on a full disk, and writes go on without reopening",
        arguments: [
            LogWriting.mapped, .written,
        ])
    func compactionMakesRoom(_ writing: LogWriting) async throws {
        try await OwnThread.run {
            let disk = try SmallDisk(megabytes: 4)
            // What a compaction needs is held back until the store is full.
            try disk.fill(leaving: 2 << 20)
            var configuration = StoreFixture.small()
            configuration.logWriting = writing
            let store = try KeyValueStore.open(at: disk.path + "/store", configuration: configuration)
            let value = [UInt8](repeating: 7, count: 1_000)
            var count = 0
            try CrashFailure.require(
                StoreError.Code.of {
                    while true {
                        try store.put(key(count), value)
                        count += 1
                    }
                } == .noSpace, "a put on a full disk throws noSpace")
            try CrashFailure.require(count > 500, "the store took \(count) values only")
            try disk.removeBallast()
            // A change that meets a full disk fails at once; the store then makes room by itself.
            func again(_ change: @escaping () throws(StoreError) -> Void) throws {
                try waitUntil("there is room") { StoreError.Code.of(change) != .noSpace }
            }
            for number in 0..<count where number % 8 != 0 {
                try again { () throws(StoreError) in try store.delete(key(number)) }
            }
            try store.compact()
            try disk.fill(leaving: 600 << 10)
            // Of the space of the deleted ones, the most of it can be used again.
            let more = count / 4
            for number in count..<(count + more) {
                try again { () throws(StoreError) in try store.put(key(number), value) }
            }
            let expected = Set(stride(from: 0, to: count, by: 8)).union(count..<(count + more)).sorted().map { key($0) }
            try CrashFailure.require(
                try store.allEntries().map(\.key) == expected, "other keys are left than should be")
            try disk.removeBallast()
            try store.close()
            let again = try KeyValueStore.open(at: disk.path + "/store", configuration: configuration)
            try CrashFailure.require(
                try again.allEntries().map(\.key) == expected, "other keys are there after reopening")
            try CrashFailure.require(try again.verify().problems.isEmpty, "verify finds problems")
            try again.close()
        }
    }

    @Test(
        "large values that do not fit, alone or in batches, keep no space, however often they are tried",
        arguments: [1 << 30, 64 << 10])
    func refusedValuesKeepNoSpace(_ valueFileBytes: Int) async throws {
        try await OwnThread.run {
            let disk = try SmallDisk(megabytes: 4)
            var configuration = StoreFixture.small()
            (configuration.largeValueBytes, configuration.valueFileBytes) = (1_000, valueFileBytes)
            let store = try KeyValueStore.open(at: disk.path + "/store", configuration: configuration)
            try store.put(key(0), [UInt8](repeating: 1, count: 5_000))
            // The next log takes its space first.
            try waitUntil("no log is being made") {
                store.engine.writes.lock.withLock { !store.engine.writes.state.isPreparingLog }
            }
            try disk.fill(leaving: 200 << 10)
            let before = try disk.free()
            // With all that logs hold ahead, it does not fit either.
            let tooLarge = [UInt8](repeating: 2, count: 900 << 10)
            for attempt in 0..<20 {
                let code = StoreError.Code.of {
                    if attempt % 2 == 0 { return try store.put(key(1), tooLarge) }
                    var batch = WriteBatch()
                    for number in 1..<4 { batch.put(key(number), tooLarge.prefix(300 << 10)) }
                    try store.write(batch)
                }
                try CrashFailure.require(code == .noSpace, "attempt \(attempt): \(String(describing: code))")
                let kept = before - (try disk.free())
                try CrashFailure.require(kept < 16 << 10, "attempt \(attempt) keeps \(kept) bytes")
            }
            // There is room for smaller ones, once logs have given back what they hold ahead. They are synced as they
            // should be.
            for number in 1..<10 {
                try waitUntil("there is room") {
                    StoreError.Code.of {
                        try store.put(key(number), [UInt8](repeating: 3, count: 10_000), durability: .synced)
                    } == nil
                }
            }
            try disk.removeBallast()
            try store.close()
            let again = try KeyValueStore.open(at: disk.path + "/store", configuration: configuration)
            try CrashFailure.require(try again.verify().problems.isEmpty, "verify finds problems")
            for number in 0..<10 {
                let expected = number == 0 ? [UInt8](repeating: 1, count: 5_000) : [UInt8](repeating: 3, count: 10_000)
                try CrashFailure.require(try again.get(key(number)) == expected, "value \(number) is another one")
            }
            try again.close()
        }
    }

    @Test(
        "large values, flushes and compactions take the space that logs hold ahead of their ends",
        arguments: [LogWriting.mapped, .written])
    func reservesAreTaken(_ writing: LogWriting) async throws {
        try await OwnThread.run {
            let disk = try SmallDisk(megabytes: 8)
            var configuration = StoreFixture.small()
            (configuration.logWriting, configuration.largeValueBytes) = (writing, 8 << 10)
            configuration.automaticCompaction = false
            let store = try KeyValueStore.open(at: disk.path + "/store", configuration: configuration)
            let value = [UInt8](repeating: 7, count: 1_000)
            var count = 0
            func put(_ puts: Int) throws {
                for number in count..<(count + puts) { try store.put(key(number), value) }
                count += puts
            }
            /// Takes all space but a few pages, beside an active and a next log that were made while there was plenty.
            func fill() throws {
                try disk.removeBallast()
                for _ in 0..<2 {
                    try put(40)
                    try store.flush()
                }
                try put(40)
                try waitUntil("the next log is made") {
                    store.engine.writes.lock.withLock { store.engine.writes.state.nextLog != nil }
                }
                try disk.fill(leaving: 16 << 10)
            }
            try fill()
            // A refused put lets the store give back what logs hold.
            try waitUntil("there is room") {
                StoreError.Code.of { try store.put(key(count), [UInt8](repeating: 8, count: 100_000)) } == nil
            }
            count += 1
            try fill()
            try store.flush()
            try fill()
            try store.compact(from: key(0), to: key(20))
            try CrashFailure.require(try store.allEntries().count == count, "some of the entries are missing")
            try CrashFailure.require(try store.verify().problems.isEmpty, "verify finds problems")
            try disk.removeBallast()
            try store.close()
        }
    }

    @Test("where there is no room for even a first log, opening says so, and leaves no half of a store")
    func noRoomForAStore() async throws {
        try await OwnThread.run {
            let disk = try SmallDisk(megabytes: 1)
            let path = disk.path + "/store"
            for pages in 0..<16 {
                try disk.fill(leaving: pages * 4096)
                let code = StoreError.Code.of {
                    try KeyValueStore.open(at: path, configuration: StoreFixture.small()).close()
                }
                try CrashFailure.require(code == nil || code == .noSpace, "opening throws \(String(describing: code))")
            }
            try disk.removeBallast()
            let store = try KeyValueStore.open(at: path, configuration: StoreFixture.small())
            try store.put(key(1), [1])
            try store.close()
        }
    }

    @Test("on a disk that may not be written, reading works, its log included, and writing is refused")
    func readOnlyDisk() async throws {
        try await OwnThread.run {
            let disk = try SmallDisk(megabytes: 4)
            let path = disk.path + "/store"
            var configuration = StoreFixture.small()
            do {
                let store = try KeyValueStore.open(at: path, configuration: configuration)
                for number in 0..<1_000 { try store.put(key(number), [1, 2, 3]) }
                try store.close()
            }
            // It is busy for as long as a file is open for writing, and those of a closed store go with the last
            // reference to it.
            try disk.run(
                "for i in 1 2 3 4 5 6 7 8 9; do mount -o remount,ro /mnt && break; sleep 0.2; done; ! touch /mnt/x")
            let refused = StoreError.Code.of { try KeyValueStore.open(at: path, configuration: configuration) }
            try CrashFailure.require(refused == .permissionDenied, "opening throws \(String(describing: refused))")
            let repaired = StoreError.Code.of { try KeyValueStore.repair(at: path) }
            try CrashFailure.require(repaired == .permissionDenied, "repair throws \(String(describing: repaired))")
            configuration.readOnly = true
            let reader = try KeyValueStore.open(at: path, configuration: configuration)
            try CrashFailure.require(try reader.allEntries().count == 1_000, "keys are missing")
            try CrashFailure.require(try reader.verify().problems.isEmpty, "verify finds problems")
            try reader.close()
            try disk.run("mount -o remount,rw /mnt")
            configuration.readOnly = false
            let writer = try KeyValueStore.open(at: path, configuration: configuration)
            try writer.put(key(1_000), [1])
            try writer.close()
        }
    }
}
#endif
