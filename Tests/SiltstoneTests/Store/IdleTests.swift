import Foundation
import Testing

@testable import Siltstone

struct IdleTests {
    private static func configuration(_ memTableBytes: Int = 4 << 20) -> Configuration {
        var configuration = StoreFixture.small()
        configuration.memTableBytes = memTableBytes
        configuration.segmentBytes = 1 << 20
        configuration.tidiesWhenIdle = true
        return configuration
    }

    /// Writes 1,000 keys of a kilobyte each, so that a writer has come past a step of the log.
    private func fill(_ store: KeyValueStore, _ byte: UInt8, count: Int = 1_500) throws {
        for number in 0..<count { try store.put(key(number), [UInt8](repeating: byte, count: 1_000)) }
    }

    @Test("a store that nobody writes to any more flushes what is in memory, and goes on as before")
    func flush() throws {
        let fixture = StoreFixture()
        let store = try fixture.open(Self.configuration())
        try fill(store, 1)
        try waitUntil("the store is tidy") { store.statistics.memTableRecords == 0 && store.statistics.flushes == 1 }
        #expect(try store.get(key(7)) == [UInt8](repeating: 1, count: 1_000))
        try fill(store, 2)
        try waitUntil("the store is tidy again") { store.statistics.memTableRecords == 0 }
        #expect(try store.get(key(7)) == [UInt8](repeating: 2, count: 1_000))
        // Both runs overlap wholly: they are one by now, or soon.
        try waitUntil("the runs are merged") { store.statistics.levels.reduce(0) { $0 + $1.runs } == 1 }
        try store.close()
        #expect(try fixture.open(Self.configuration()).get(key(1_499)) == [UInt8](repeating: 2, count: 1_000))
    }

    @Test(
        "an idle store gives back the disk space that it has taken ahead, and so does a closed one",
        arguments: [true, false])
    func space(isIdle: Bool) throws {
        let fixture = try StoreFixture(onDisk: ())
        var configuration = Self.configuration(64 << 20)
        configuration.tidiesWhenIdle = isIdle
        configuration.valueFileBytes = 1 << 30
        configuration.largeValueBytes = 64 << 10
        let store = try fixture.open(configuration)
        try fill(store, 1)
        for number in 0..<30 { try store.put(key(number), [UInt8](repeating: 2, count: 100_000)) }
        func ahead() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: fixture.path).reduce(0) {
                $0 + (try allocatedBytes(fixture.path + "/" + $1))
            } - store.statistics.diskBytes
        }
        if isIdle { try waitUntil("the space is given back") { try ahead() < 256 << 10 } }
        try store.close()
        #expect(try ahead() < 256 << 10)
    }

    @Test("disk space that a store had taken ahead when it died is given back at the next opening")
    func spaceOfTheDead() throws {
        let fixture = try StoreFixture(onDisk: ())
        var configuration = StoreFixture.small()
        configuration.valueFileBytes = 1 << 30
        configuration.largeValueBytes = 64 << 10
        func values() throws -> String {
            let names = try FileManager.default.contentsOfDirectory(atPath: fixture.path)
            return fixture.path + "/" + (try #require(names.first { $0.hasSuffix(".values") }))
        }
        func ahead() throws -> Int {
            let attributes = try FileManager.default.attributesOfItem(atPath: try values())
            return try allocatedBytes(try values()) - (try #require(attributes[.size] as? Int))
        }
        do {
            let store = try fixture.open(configuration)
            for number in 0..<25 { try store.put(key(number), [UInt8](repeating: 2, count: 100_000)) }
            // No log refers to them any more.
            try store.flush()
        }
        #expect(try ahead() > 128 << 10)
        let store = try fixture.openWhenFree(configuration)
        #expect(try ahead() < 64 << 10)
        #expect(try store.get(key(24)) == [UInt8](repeating: 2, count: 100_000))
        try store.close()
    }

    @Test("what is too little for a segment stays in memory; so does all where the store is told to leave it")
    func notWorthIt() throws {
        var quiet = Self.configuration()
        quiet.tidiesWhenIdle = false
        for configuration in [Self.configuration(64 << 20), quiet] {
            let store = try StoreFixture().open(configuration)
            try fill(store, 1)
            // Long enough for the store to have looked, where it does.
            Platform.sleep(microseconds: 300_000)
            #expect(store.statistics.flushes == 0 && store.statistics.memTableRecords == 1_500)
            try store.close()
        }
    }

    @Test("a store that is closed, or forgotten, while it waits to be idle, is neither touched nor kept")
    func ended() throws {
        let fixture = StoreFixture()
        weak var engine: Engine?
        do {
            let store = try fixture.open(Self.configuration())
            engine = store.engine
            try fill(store, 1)
            try store.close()
        }
        do {
            let store = try fixture.open(Self.configuration())
            try fill(store, 3)
        }
        try waitUntil("the store is gone") { engine == nil }
        let store = try fixture.open(Self.configuration())
        #expect(try store.get(key(3)) == [UInt8](repeating: 3, count: 1_000))
        try store.close()
    }

    /// Flushes some of a thousand keys, evenly spread.
    private func spread(_ store: KeyValueStore, _ count: Int) throws {
        for number in 0..<count { try store.put(key(number * (1_000 / count)), [UInt8](repeating: 2, count: 1_000)) }
        try store.flush()
    }

    @Test("an idle store merges flushed runs as far as what they meet is no more than ten times their size")
    func picking() throws {
        var configuration = StoreFixture.small()
        configuration.automaticCompaction = false
        configuration.memTableBytes = 4 << 20
        let store = try StoreFixture().open(configuration)
        let picker = CompactionPicker(levelOneBytes: 1 << 30)
        func version() -> Version { store.engine.versions.current }
        #expect(picker.pickForIdle(version()) == nil)
        try fill(store, 1, count: 1_000)
        try store.compact()
        try store.flush()
        #expect(picker.pickForIdle(version()) == nil, "one run")
        try spread(store, 30)
        #expect(picker.pickForIdle(version()) == nil, "a megabyte would be written anew for 30 KB")
        try spread(store, 200)
        let plan = try #require(picker.pickForIdle(version()))
        #expect(plan.reason == .idle && plan.outputLevel == 1 && plan.inputs.count == 3 && plan.isBottom)
        try store.close()
    }
}
