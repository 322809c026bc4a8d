import Foundation
import SiltstoneTesting
import Testing

@testable import Siltstone

/// What a history's store lives on, and how it is opened.
struct HistoryVariant: Sendable, CustomStringConvertible {
    enum Disk: Sendable { case memory, real }

    /// Its name.
    var description: String
    var disk: Disk
    /// Whether calls to the disk are delayed at random.
    var isDelayed: Bool
    var configuration: Configuration

    init(
        _ name: String, _ disk: Disk, isDelayed: Bool, _ change: (inout Configuration) -> Void = { _ in }
    ) {
        description = name
        self.disk = disk
        self.isDelayed = isDelayed
        configuration = StoreFixture.small()
        change(&configuration)
    }

    static let all = [
        HistoryVariant("mapped, delayed, in memory", .memory, isDelayed: true),
        HistoryVariant("written and read, delayed, in memory", .memory, isDelayed: true) {
            $0.logWriting = .written
            $0.access = .read
            $0.compression = .deflate(level: 1)
            $0.cacheBytes = 16 << 10
        },
        HistoryVariant("synced, written, delayed, in memory", .memory, isDelayed: true) {
            $0.durability = .synced
            $0.logWriting = .written
        },
        HistoryVariant("values in files, delayed, in memory", .memory, isDelayed: true) {
            $0.largeValueBytes = 500
            $0.access = .read
            $0.logWriting = .written
        },
        HistoryVariant("mapped, on disk", .real, isDelayed: false) { $0.largeValueBytes = 2000 },
        HistoryVariant("synced, read, delayed, on disk", .real, isDelayed: true) {
            $0.durability = .synced
            $0.access = .read
            $0.largeValueBytes = 900
        },
    ]

    /// Any combination.
    static func random(_ seed: UInt64) -> HistoryVariant {
        var random = SeededGenerator(seed)
        let disk: Disk = random.chance(0.7) ? .memory : .real
        var variant = HistoryVariant("seed \(seed)", disk, isDelayed: random.chance(0.8))
        variant.configuration.durability = random.chance(0.3) ? .synced : .buffered
        variant.configuration.logWriting = random.chance(0.5) ? .written : .mapped
        variant.configuration.access = random.chance(0.5) ? .read : .mapped
        variant.configuration.compression = random.chance(0.3) ? .deflate(level: 1) : .none
        variant.configuration.largeValueBytes = [64, 500, 2000, 1 << 20][random.index(4)]
        variant.configuration.cacheBytes = random.chance(0.5) ? 0 : 1 << 20
        variant.configuration.automaticCompaction = random.chance(0.9)
        variant.configuration.memTableBytes = (64 << 10) << random.index(3)
        return variant
    }
}

/// The directory of a variant's store, and the file system to open it by.
struct HistoryPlace: Sendable {
    let fixture: StoreFixture
    let configuration: Configuration
    private let delaying: DelayingFileSystem?

    /// - Parameter wrap: puts something between the disk and the delays.
    init(
        _ variant: HistoryVariant, seed: UInt64, wrap: (any FileSystem) -> any FileSystem = { $0 }
    ) throws {
        // Files may be as large as a log's mapping, and no larger: the thread sanitizer leaves little address space.
        fixture =
            variant.disk == .memory
            ? StoreFixture(InMemoryFileSystem(greatestFileSize: 2 << 30)) : try StoreFixture(onDisk: ())
        let disk = wrap(fixture.fileSystem)
        delaying = variant.isDelayed ? DelayingFileSystem(disk, seed: seed) : nil
        var configuration = variant.configuration
        configuration.fileSystem = delaying ?? disk
        self.configuration = configuration
    }

    var delayCount: Int { delaying?.delayCount ?? 0 }

    func open() throws(StoreError) -> KeyValueStore {
        try KeyValueStore.open(at: fixture.path, configuration: configuration)
    }

    /// Opens a store that was dropped: a thread that has ended may hold the last reference for a moment longer.
    func openWhenFree() throws(StoreError) -> KeyValueStore {
        var polling = Polling()
        for _ in 0..<5000 {
            do { return try open() } catch {
                guard error.code == .locked else { throw error }
                polling.pause()
            }
        }
        return try open()
    }
}
