import Siltstone
import Testing

@testable import SiltstoneTesting

struct DelayingFileSystemTests {
    @Test("the delays of a seed are always the same, and those of another seed are others")
    func deterministic() {
        func delays(_ seed: UInt64) -> [CallDelay] {
            let schedule = DelaySchedule(seed: seed, delays: CallDelays())
            return (0..<2000).map { schedule.delay(.write, number: $0) }
        }
        #expect(delays(1) == delays(1))
        #expect(delays(1) != delays(2))
        #expect(delays(1).contains(.yield))
        #expect(delays(1).contains(.none))
        #expect(delays(1).contains { if case .pause(1...400) = $0 { true } else { false } })
    }

    @Test("every kind of call is the slow one now and then")
    func phases() {
        var delays = CallDelays()
        (delays.yieldProbability, delays.pauseProbability, delays.slowKindProbability) = (0, 0, 1)
        let schedule = DelaySchedule(seed: 3, delays: delays)
        for kind in CallKind.allCases {
            let slow = (0..<200).count { schedule.delay(kind, number: $0 * UInt64(delays.phaseLength)) != .none }
            #expect(slow > 0 && slow < 50)
        }
    }

    @Test("a store on it holds what was written, and others see its files as they are")
    func passesOn() throws {
        let base = InMemoryFileSystem()
        var delays = CallDelays()
        delays.greatestPause = 20
        var configuration = Configuration()
        configuration.memTableBytes = 64 << 10
        configuration.logWriting = .written
        let fileSystem = DelayingFileSystem(base, seed: 1, delays: delays)
        configuration.fileSystem = fileSystem
        var store = try KeyValueStore.open(at: "/store", configuration: configuration)
        for number in 0..<300 { try store.put("key \(number)".utf8, [UInt8](repeating: 1, count: 500)) }
        try store.compact()
        try store.checkpoint(to: "/copy")
        // The lock is passed on too.
        configuration.fileSystem = base
        #expect(throws: StoreError.self) { try KeyValueStore.open(at: "/store", configuration: configuration) }
        try store.close()
        store = try KeyValueStore.open(at: "/store", configuration: configuration)
        #expect(try store.get("key 299".utf8)?.count == 500)
        #expect(try store.verify().problems.isEmpty)
        try store.close()
        #expect(fileSystem.delayCount > 100)
    }

    @Test("errors are passed on, and yielding alone never pauses")
    func errors() {
        let fileSystem = DelayingFileSystem(InMemoryFileSystem(), seed: 1, delays: .yielding)
        #expect { try fileSystem.open("/missing", .read) } throws: { ($0 as? FileSystemError)?.isMissing == true }
        #expect { try fileSystem.remove("/missing") } throws: { ($0 as? FileSystemError)?.isMissing == true }
        let schedule = DelaySchedule(seed: 9, delays: .yielding)
        for number in UInt64(0)..<500 {
            let delay = schedule.delay(.sync, number: number)
            #expect(delay == .none || delay == .yield)
        }
    }
}
