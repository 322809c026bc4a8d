import Foundation
import Testing

@testable import Siltstone

/// Disks that are full or broken: errors come out, nothing traps or hangs, and nothing acknowledged is lost.
@Suite struct FaultTests {
    /// What may be found under a key, given which writes were acknowledged and which threw.
    private struct Expectation {
        var possible: [[UInt8]: Set<[UInt8]?>] = [:]

        mutating func acknowledged(_ key: [UInt8], _ value: [UInt8]?) { possible[key] = [value] }
        mutating func failed(_ key: [UInt8], _ value: [UInt8]?) { possible[key, default: [nil]].insert(value) }

        func check(_ store: KeyValueStore, _ place: Comment) throws {
            for (key, values) in possible { #expect(values.contains(try store.get(key)), place) }
            #expect(try store.allEntries().allSatisfy { possible[$0.key]?.contains($0.value) ?? false }, place)
        }
    }

    private static func configuration(_ writing: LogWriting) -> Configuration {
        var configuration = StoreFixture.small()
        configuration.durability = .synced
        configuration.logWriting = writing
        configuration.largeValueBytes = 2000
        return configuration
    }

    /// One history with everything that touches the disk. Failures are noted, and it goes on.
    private func work(_ store: KeyValueStore, _ expectation: inout Expectation, _ errors: inout [StoreError]) {
        func attempt(_ body: () throws(StoreError) -> Void) -> Bool {
            do {
                try body()
                return true
            } catch {
                errors.append(error)
                return false
            }
        }
        func put(_ number: Int, _ length: Int) {
            let (name, value) = (key(number), [UInt8](repeating: UInt8(truncatingIfNeeded: length), count: length))
            if attempt({ () throws(StoreError) in try store.put(name, value) }) {
                expectation.acknowledged(name, value)
            } else {
                expectation.failed(name, value)
            }
        }
        for round in 0..<3 {
            for number in 0..<30 { put(number, 100 + round) }
            put(100, 3000 + round)
            _ = attempt { () throws(StoreError) in try store.flush() }
            if attempt({ () throws(StoreError) in try store.delete(key(round)) }) {
                expectation.acknowledged(key(round), nil)
            } else {
                expectation.failed(key(round), nil)
            }
        }
        _ = attempt { () throws(StoreError) in try store.compact() }
        for number in 200..<300 { put(number, 1000) }
    }

    /// Lets one call fail after the other; every third, or with `SILTSTONE_LONG` each.
    private func sweep(_ code: Int32, _ writing: LogWriting) throws {
        let step = ProcessInfo.processInfo.environment["SILTSTONE_LONG"] == nil ? 3 : 1
        var number = 0
        while true {
            let memory = InMemoryFileSystem()
            let counting = CountingFileSystem(memory)
            let fixture = StoreFixture(counting)
            let target = number
            counting.setRule { $0.number == target ? code : nil }
            number += step
            let place: Comment = "call \(target) fails"
            var expectation = Expectation()
            var errors: [StoreError] = []
            do {
                let store = try fixture.open(Self.configuration(writing))
                work(store, &expectation, &errors)
                // Reads go on, whatever has happened.
                try expectation.check(store, place)
                do { try store.close() } catch { errors.append(error) }
            } catch { errors.append(try #require(error as? StoreError)) }
            for error in errors {
                let expected: [StoreError.Code] = [.noSpace, .inputOutput, .refusesWrites]
                #expect(expected.contains(error.code), "call \(target): \(error)")
            }
            counting.setRule { _ in nil }
            let again = try fixture.openWhenFree(Self.configuration(writing))
            try expectation.check(again, "\(place), after opening again: \(counting.failed)")
            #expect(try again.verify().problems.isEmpty, place)
            try again.put("new".utf8, "value".utf8)
            try again.flush()
            try again.close()
            if counting.failed.isEmpty { break }
        }
        #expect(number > 50)
    }

    @Test("whichever call finds the disk full, nothing acknowledged is lost", arguments: LogWriting.allCases)
    func noSpaceSweep(_ writing: LogWriting) throws { try sweep(Platform.noSpaceError, writing) }

    @Test("whichever call meets a broken disk, nothing acknowledged is lost", arguments: LogWriting.allCases)
    func inputOutputSweep(_ writing: LogWriting) throws { try sweep(Platform.inputOutputError, writing) }

    @Test(
        "a full disk is an error that goes away with its reason, without opening again",
        arguments: LogWriting.allCases)
    func diskFull(_ writing: LogWriting) throws {
        let counting = CountingFileSystem(InMemoryFileSystem())
        let fixture = StoreFixture(counting)
        let store = try fixture.open(Self.configuration(writing))
        try store.put("before".utf8, "value".utf8)
        for round in 0..<3 {
            try store.put("in memory".utf8, [UInt8(round)])
            let growing: Set = ["write", "reserve", "create"]
            counting.setRule { growing.contains($0.operation) ? Platform.noSpaceError : nil }
            var failures = 0
            for number in 0..<3000 where failures < 20 {
                do { try store.put(key(round * 10_000 + number), [UInt8](repeating: 1, count: 500)) } catch {
                    #expect(error.code == .noSpace)
                    failures += 1
                }
            }
            #expect(failures == 20)
            #expect(StoreError.Code.of { try store.flush() } == .noSpace)
            #expect(try store.get("before".utf8) == Array("value".utf8))
            counting.setRule { _ in nil }
            try store.put("after".utf8, [UInt8](repeating: 1, count: 3000))
            for number in 0..<300 { try store.put(key(number), [UInt8](repeating: 2, count: 500)) }
            try store.flush()
            try waitUntil("background work goes well again") { store.statistics.backgroundError == nil }
        }
        #expect(try store.verify().problems.isEmpty)
        let entries = try store.allEntries()
        try store.close()
        #expect(try fixture.open().allEntries() == entries)
    }

    @Test(
        "after a failed sync the store refuses writes, tells why, and goes on reading; opened again it is well",
        arguments: LogWriting.allCases)
    func failedSync(_ writing: LogWriting) throws {
        let counting = CountingFileSystem(InMemoryFileSystem())
        let fixture = StoreFixture(counting)
        let store = try fixture.open(Self.configuration(writing))
        try store.put("before".utf8, "value".utf8)
        counting.setRule { $0.operation == "sync" && $0.path.hasSuffix(".log") ? Platform.inputOutputError : nil }
        #expect(StoreError.Code.of { try store.put("lost".utf8, "value".utf8) } == .inputOutput)
        counting.setRule { _ in nil }
        #expect(StoreError.Code.of { try store.put("later".utf8, "value".utf8) } == .refusesWrites)
        #expect(StoreError.Code.of { try store.put("later".utf8, "v".utf8, durability: .buffered) } == .refusesWrites)
        #expect(StoreError.Code.of { try store.sync() } == .refusesWrites)
        #expect(StoreError.Code.of { try store.flush() } == .refusesWrites)
        #expect(try store.get("before".utf8) == Array("value".utf8))
        #expect(try store.scan().next() != nil)
        try store.close()
        let again = try fixture.open(Self.configuration(writing))
        #expect(try again.get("before".utf8) == Array("value".utf8))
        #expect(try again.get("later".utf8) == nil)
        try again.put("later".utf8, "value".utf8)
        try again.close()
    }

    @Test("a sync that finds the disk full does not claim to have changed nothing", arguments: [".log", ".values"])
    func fullAtSync(_ suffix: String) throws {
        let counting = CountingFileSystem(InMemoryFileSystem())
        let fixture = StoreFixture(counting)
        let store = try fixture.open(Self.configuration(.mapped))
        try store.put(key(1), [UInt8](repeating: 1, count: 3000))
        counting.setRule { $0.operation == "sync" && $0.path.hasSuffix(suffix) ? Platform.noSpaceError : nil }
        #expect(StoreError.Code.of { try store.put(key(2), [UInt8](repeating: 2, count: 3000)) } == .inputOutput)
        counting.setRule { _ in nil }
        #expect(StoreError.Code.of { try store.put(key(3), [3]) } == .refusesWrites)
        try store.close()
    }

    @Test(
        "a failed sync of values is not tried again, whoever makes it", arguments: ["flush", "compact", "checkpoint"])
    func failedValueSync(_ by: String) throws {
        let counting = CountingFileSystem(InMemoryFileSystem())
        let fixture = StoreFixture(counting)
        var configuration = Self.configuration(.mapped)
        configuration.durability = .buffered
        let store = try fixture.open(configuration)
        func work() throws {
            switch by {
            case "flush": try store.flush()
            case "compact": try store.compact()
            default: try store.checkpoint(to: "/checkpoint")
            }
        }
        try store.put(key(1), [UInt8](repeating: 1, count: 3000))
        counting.setRule { $0.operation == "sync" && $0.path.hasSuffix(".values") ? Platform.inputOutputError : nil }
        // Whoever waits for the flush may be told of the failure itself or of what it led to.
        let told: [StoreError.Code?] = [.inputOutput, .refusesWrites]
        #expect(told.contains(StoreError.Code.of { try work() }))
        counting.setRule { _ in nil }
        #expect(StoreError.Code.of { try work() } == .refusesWrites)
        #expect(StoreError.Code.of { try store.put(key(2), [2]) } == .refusesWrites)
        #expect(try store.get(key(1))?.count == 3000)
        try store.close()
    }

    @Test("a flush that fails is tried again, and all that is in memory stays readable")
    func failedFlush() throws {
        let counting = CountingFileSystem(InMemoryFileSystem())
        let fixture = StoreFixture(counting)
        let store = try fixture.open()
        for number in 0..<100 { try store.put(key(number), [1]) }
        counting.setRule { $0.path.hasSuffix(".segment") ? Platform.inputOutputError : nil }
        #expect(StoreError.Code.of { try store.flush() } == .inputOutput)
        #expect(store.statistics.backgroundError != nil)
        #expect(try store.allEntries().count == 100)
        try store.put(key(100), [1])
        #expect(StoreError.Code.of { try store.flush() } == .inputOutput)
        counting.setRule { _ in nil }
        try store.flush()
        #expect(store.statistics.backgroundError == nil)
        #expect(try store.allEntries().count == 101)
        #expect(try fixture.names(ending: ".segment").count == store.statistics.levels.reduce(0) { $0 + $1.segments })
        try store.close()
    }

    @Test("a compaction that fails changes nothing and leaves nothing behind")
    func failedCompaction() throws {
        let counting = CountingFileSystem(InMemoryFileSystem())
        let fixture = StoreFixture(counting)
        var configuration = StoreFixture.small()
        configuration.automaticCompaction = false
        let store = try fixture.open(configuration)
        for round in 0..<3 {
            for number in 0..<1000 { try store.put(key(number), [UInt8](repeating: UInt8(round), count: 50)) }
            try store.flush()
        }
        let before = try fixture.names(ending: ".segment")
        for operation in ["create", "write", "sync", "map"] {
            counting.setRule {
                $0.path.hasSuffix(".segment") && $0.operation == operation ? Platform.inputOutputError : nil
            }
            #expect(StoreError.Code.of { try store.compact() } == .inputOutput)
            #expect(try fixture.names(ending: ".segment") == before)
        }
        counting.setRule { _ in nil }
        try store.compact()
        #expect(try store.allEntries().count == 1000)
        try store.close()
    }
}
