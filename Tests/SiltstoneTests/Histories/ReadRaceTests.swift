import Dispatch
import Foundation
import Testing

@testable import Siltstone

/// Reads beside flushes and compactions that drop what the readers are about to look at.
struct ReadRaceTests {
    private static let readers = 8
    private static let names = [key(1), key(2)]

    /// Values that stay in the segments, or that go to value files which are soon garbage.
    @Test(
        "a key that has had a value ever since is found by every read, never with an older value", .comesToAnEnd,
        arguments: [8, 9000])
    func overwritten(_ length: Int) throws {
        var configuration = StoreFixture.small()
        configuration.largeValueBytes = 800
        let store = try StoreFixture().open(configuration)
        let isDone = Locked(false)
        let failures = Locked<[String]>([])
        let reads = Counter()
        for name in Self.names { try store.put(name, Self.value(0, length)) }
        let group = DispatchGroup()
        // More of them than cores: one that is suspended between two steps of a read is what this is about.
        for reader in 0..<Self.readers {
            Thread.detachNewThread(in: group) {
                var last = [UInt64](repeating: 0, count: Self.names.count)
                while !isDone.withLock({ $0 }) {
                    for (index, name) in Self.names.enumerated() {
                        do {
                            let found = try Self.read(store, name, reader).map(Self.number)
                            guard let found, found >= last[index] else {
                                failures.withLock { $0.append("after \(last[index]): \(String(describing: found))") }
                                return
                            }
                            last[index] = found
                            _ = reads.next()
                        } catch { return failures.withLock { $0.append("\(error)") } }
                    }
                }
            }
        }
        let rounds = SuiteScale.count(8, thorough: 60, long: 5_000)
        for round in 1...rounds {
            for step in 0..<3 {
                for name in Self.names { try store.put(name, Self.value(UInt64(3 * round + step), length)) }
            }
            if round % 8 == 0 { try store.compact() } else { try store.flush() }
            if failures.withLock({ !$0.isEmpty }) { break }
        }
        isDone.withLock { $0 = true }
        group.wait()
        #expect(failures.withLock { $0 } == [])
        try store.close()
        SuiteScale.report("reads beside flushes, values of \(length) bytes", ["reads": reads.value, "flushes": rounds])
    }

    /// With a compressed segment, point reads go the long way, by the super version instead of its plan.
    @Test(
        "a batch is seen whole: who has read its first key finds its last one, and a snapshot sees both or neither",
        .comesToAnEnd,
        arguments: [Compression.none, .deflate(level: 1)])
    func batches(_ compression: Compression) throws {
        var configuration = StoreFixture.small()
        configuration.compression = compression
        configuration.memTableBytes = 64 << 20
        let store = try StoreFixture().open(configuration)
        let names = (0..<300).map { key($0) }
        func batch(_ number: UInt64) -> WriteBatch {
            var batch = WriteBatch()
            for name in names { batch.put(name, Self.value(number, 8)) }
            return batch
        }
        try store.write(batch(0))
        try store.flush()
        let isDone = Locked(false)
        let failures = Locked<[String]>([])
        let group = DispatchGroup()
        for reader in 0..<4 {
            Thread.detachNewThread(in: group) {
                func number(_ value: [UInt8]?) -> UInt64? { value.map(Self.number) }
                do {
                    while !isDone.withLock({ $0 }) {
                        let isSnapshot = reader % 2 == 1
                        let snapshot = isSnapshot ? store.snapshot() : nil
                        let first = number(try snapshot?.get(names[0]) ?? store.get(names[0]))
                        let last = number(try snapshot?.get(names[299]) ?? store.get(names[299]))
                        guard let first, let last, isSnapshot ? first == last : first <= last else {
                            let text = "\(String(describing: first)), then \(String(describing: last))"
                            return failures.withLock { $0.append(text) }
                        }
                    }
                } catch { failures.withLock { $0.append("\(error)") } }
            }
        }
        for round in 1...SuiteScale.count(15, thorough: 150, long: 5_000) where failures.withLock({ $0.isEmpty }) {
            try store.write(batch(UInt64(round)))
        }
        isDone.withLock { $0 = true }
        group.wait()
        #expect(failures.withLock { $0 } == [])
        try store.close()
    }

    @Test(
        "a large value that is younger than the super version through which it was found is looked for again",
        .comesToAnEnd)
    func youngerThanView() throws {
        var configuration = StoreFixture.small()
        configuration.largeValueBytes = 800
        configuration.automaticCompaction = false
        let store = try StoreFixture().open(configuration)
        let engine = store.engine
        // A reader that stops right after it has begun.
        let superVersion = engine.reads.superVersions.current()
        try store.put(key(1), Self.value(1, 9000))
        let name = key(1)
        try name.withBytes { name in
            var pin = BlockPin()
            let record = try #require(try superVersion.lookup(name, visible: .greatest, pin: &pin))
            #expect(engine.reads.hasMovedOn(from: superVersion, record))
            #expect(!engine.reads.hasMovedOn(from: engine.reads.superVersions.current(), record))
            // Its value file is gone by the time it goes on: the value would be missed, and nothing is.
            try store.put(key(1), Self.value(2, 100))
            try store.compact()
            #expect(store.statistics.valueFiles == 0 && engine.reads.hasMovedOn(from: superVersion, record))
            withExtendedLifetime(pin) {}
        }
        #expect(try store.get(name) == Self.value(2, 100))
        try store.close()
    }

    @Test(
        "a scan takes the sequence number while its super version is current, or takes a newer super version",
        .comesToAnEnd)
    func publishedBetweenLoads() throws {
        let store = try StoreFixture().open()
        let reads = store.engine.reads
        var flushesLeft: UInt64 = 2
        try store.put(key(1), Self.value(0, 8))
        let (superVersion, sequence) = ReadPath.current(superVersion: reads.superVersions.current) {
            // As if another thread flushed between the two loads.
            if flushesLeft > 0 {
                do {
                    try store.put(key(1), Self.value(flushesLeft, 8))
                    try store.flush()
                } catch { Issue.record(error) }
                flushesLeft -= 1
            }
            return reads.visible
        }
        #expect(flushesLeft == 0 && superVersion === reads.superVersions.current() && sequence == reads.visible)
        try store.close()
    }

    private static func value(_ number: UInt64, _ length: Int) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) } + [UInt8](repeating: 5, count: length - 8)
    }

    private static func number(_ value: [UInt8]) -> UInt64 {
        value.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// By a read alone, by a scan, or through a snapshot.
    private static func read(_ store: KeyValueStore, _ name: [UInt8], _ reader: Int) throws(StoreError) -> [UInt8]? {
        switch reader % 4 {
        case 3: try store.snapshot().get(name)
        case 2: try store.scan(from: name, limit: 1).next()?.value
        default: try store.get(name)
        }
    }
}
