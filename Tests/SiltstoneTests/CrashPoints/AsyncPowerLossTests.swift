import SiltstoneTesting
import Testing

@testable import Siltstone

/// What is awaited is durable: the power fails as soon as a call has returned, and takes all that no sync covers.
struct AsyncPowerLossTests {
    private typealias Call = @Sendable (KeyValueStore) async throws -> Bool

    private static let large = [UInt8](repeating: 5, count: 3_000)

    /// Each kind of write, on a store with the keys 0 to 9.
    private static let calls: [(name: String, call: Call)] = [
        (
            "put",
            {
                try await $0.put(key(1), [2]); return true
            }
        ),
        (
            "a large put",
            {
                try await $0.put(key(1), large); return true
            }
        ),
        (
            "delete",
            {
                try await $0.delete(key(1)); return true
            }
        ),
        (
            "deleteRange",
            {
                try await $0.deleteRange(from: key(2), to: key(5)); return true
            }
        ),
        (
            "write",
            {
                try await $0.write(batch([1])); return true
            }
        ),
        (
            "a large write",
            {
                try await $0.write(batch(large)); return true
            }
        ),
        ("insert", { try await $0.insert(key(20), [2]) }),
        ("a large insert", { try await $0.insert(key(20), large) }),
        ("replace", { try await $0.replace(key(1), [2]) }),
        ("remove", { try await $0.remove(key(1)) }),
        ("compareAndSet", { try await $0.compareAndSet(key(1), expected: [1], new: [2]) }),
    ]

    private static func batch(_ value: [UInt8]) -> WriteBatch {
        var batch = WriteBatch()
        batch.put(key(30), value)
        batch.delete(key(3))
        return batch
    }

    private static func configuration(_ disk: SimulatedFileSystem, _ writing: LogWriting) -> Configuration {
        var configuration = CrashHistory.small(.synced, writing)
        configuration.fileSystem = disk
        return configuration
    }

    private static func open(_ disk: SimulatedFileSystem, _ writing: LogWriting) async throws -> KeyValueStore {
        try await KeyValueStore.open(at: CrashHistory.path, configuration: configuration(disk, writing))
    }

    private static func makeDisk() throws -> SimulatedFileSystem {
        let disk = SimulatedFileSystem(greatestFileSize: 16 << 20)
        try disk.createDirectory("/data")
        try disk.syncDirectory("/")
        return disk
    }

    /// What a store holds after a loss of power that takes everything that it may take.
    private static func afterPowerLoss(_ disk: SimulatedFileSystem, _ writing: LogWriting) async throws -> [Entry] {
        let image = disk.powerLoss(seed: SuiteScale.seed, survival: 0)
        let store = try await open(try SimulatedFileSystem(image, greatestFileSize: 16 << 20), writing)
        defer { withExtendedLifetime(store) {} }
        return try store.allEntries()
    }

    @Test("every awaited write is there after a loss of power", .comesToAnEnd, arguments: LogWriting.allCases)
    func writes(_ writing: LogWriting) async throws {
        for (name, call) in Self.calls {
            let disk = try Self.makeDisk()
            let store = try await Self.open(disk, writing)
            for number in 0..<10 { try await store.put(key(number), [1]) }
            let before = try store.allEntries()
            #expect(try await Self.afterPowerLoss(disk, writing) == before)
            #expect(try await call(store), "\(name)")
            let after = try store.allEntries()
            #expect(after != before, "\(name)")
            #expect(try await Self.afterPowerLoss(disk, writing) == after, "\(name)")
            try await store.close()
        }
    }

    @Test(
        "an awaited sync, flush or compaction makes buffered writes durable", .comesToAnEnd,
        arguments: ["sync", "flush", "compact"])
    func syncs(_ call: String) async throws {
        for writing in LogWriting.allCases {
            let disk = try Self.makeDisk()
            let store = try await Self.open(disk, writing)
            for number in 0..<10 { try await store.put(key(number), [1], durability: .buffered) }
            try await store.put(key(11), Self.large, durability: .buffered)
            #expect(try await Self.afterPowerLoss(disk, writing).isEmpty)
            switch call {
            case "sync": try await store.sync()
            case "flush": try await store.flush()
            default: try await store.compact()
            }
            #expect(try await Self.afterPowerLoss(disk, writing).count == 11)
            try await store.close()
        }
    }

    @Test("whatever many tasks were told is there after a loss of power", .comesToAnEnd, arguments: LogWriting.allCases)
    func manyTasks(_ writing: LogWriting) async throws {
        let disk = try Self.makeDisk()
        let store = try await Self.open(disk, writing)
        let told = Locked<Set<Int>>([])
        try await withThrowingTaskGroup { group in
            for number in 0..<400 {
                group.addTask {
                    try await store.put(key(number), number % 9 == 0 ? Self.large : [1])
                    told.withLock { _ = $0.insert(number) }
                }
            }
            for _ in 0..<12 {
                // Told first: what is told later may be missing.
                let promised = told.withLock { $0 }
                let found = Set(try await Self.afterPowerLoss(disk, writing).map(\.key))
                #expect(promised.allSatisfy { found.contains(key($0)) })
                try await group.next()
            }
            try await group.waitForAll()
        }
        #expect(try await Self.afterPowerLoss(disk, writing).count == 400)
        try await store.close()
    }
}
