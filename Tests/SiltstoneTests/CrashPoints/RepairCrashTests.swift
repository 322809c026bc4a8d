import SiltstoneTesting
import Testing

@testable import Siltstone

/// The power fails while a store is repaired.
@Suite("Repair crashed")
struct RepairCrashTests {
    private static let greatestFileSize = 16 << 20

    private static let configuration = CrashHistory.small(.synced, .written)

    /// A store of two segments, values and a log, one segment of which has a bad block.
    /// - Returns: the disk, and the name and the bytes of the damaged file.
    private func damagedStore() throws -> (disk: SimulatedFileSystem, name: String, bytes: [UInt8]) {
        let disk = SimulatedFileSystem(greatestFileSize: Self.greatestFileSize)
        try disk.createDirectory("/data")
        try disk.syncDirectory("/")
        var configuration = Self.configuration
        configuration.fileSystem = disk
        let store = try KeyValueStore.open(at: CrashHistory.path, configuration: configuration)
        for round in 0..<2 {
            for number in 0..<40 {
                try store.put(key(number + 30 * round), [UInt8](repeating: UInt8(round), count: 150))
            }
            try store.put(key(500 + round), [UInt8](repeating: 7, count: 900))
            try store.flush()
        }
        try store.put(key(600), [9])
        try store.close()
        let segments = try disk.entries(of: CrashHistory.path).filter { $0.hasSuffix(".segment") }.sorted()
        let name = try #require(segments.first)
        let file = try disk.open(CrashHistory.path + "/" + name, .readWrite)
        var bytes = try file.readAll()
        bytes[300] ^= 1
        try file.writeFully(bytes, at: 0)
        try file.sync()
        return (disk, name, bytes)
    }

    private func repair(_ disk: SimulatedFileSystem) throws -> (report: RepairReport, content: [Entry]) {
        var configuration = Self.configuration
        configuration.fileSystem = disk
        let report = try KeyValueStore.repair(at: CrashHistory.path, configuration: configuration)
        let store = try KeyValueStore.open(at: CrashHistory.path, configuration: configuration)
        defer { withExtendedLifetime(store) {} }
        #expect(try store.verify().isClean)
        return (report, try store.allEntries())
    }

    @Test(
        "whichever call of a repair the power fails at, the next repair brings back the same, and nothing is thrown away"
    )
    func everyCall() throws {
        let (disk, name, bytes) = try damagedStore()
        let before = disk.processDeath()
        let undisturbed = try repair(try SimulatedFileSystem(before, greatestFileSize: Self.greatestFileSize))
        #expect(!undisturbed.report.wasClean && undisturbed.content.count > 40)

        let images = Locked<[DiskImage]>([])
        disk.observe { [weak disk] call in
            guard let disk else { return }
            images.withLock { images in
                for number in 0..<8 { images.append(disk.powerLoss(seed: UInt64(call.number * 8 + number))) }
            }
        }
        var configuration = Self.configuration
        configuration.fileSystem = disk
        let report = try KeyValueStore.repair(at: CrashHistory.path, configuration: configuration)
        disk.observe(nil)
        let aside = try #require(report.damagedFilesDirectory)
        let losses = try disk.open(aside + "/LOSSES", .read).readAll()
        #expect(!losses.isEmpty)

        let during = images.withLock { $0 }
        for image in during { try check(image, name, bytes, undisturbed.content) }
        // Once it has returned, all of it is durable: the store, the originals and what is gone.
        for seed in 0..<UInt64(40) {
            let image = disk.powerLoss(seed: seed)
            try check(image, name, bytes, undisturbed.content)
            #expect(image.files[aside + "/" + name] == bytes, "the original, seed \(seed)")
            #expect(image.files[aside + "/LOSSES"] == losses, "seed \(seed)")
        }
        #expect(during.count > 200)
        SuiteScale.report("repair crashed", ["crash images": during.count + 40])
    }

    private func check(_ image: DiskImage, _ name: String, _ bytes: [UInt8], _ content: [Entry]) throws {
        #expect(image.files.contains { $0.key.hasSuffix(name) && $0.value == bytes }, "the damaged file is gone")
        let next = try SimulatedFileSystem(image, greatestFileSize: Self.greatestFileSize)
        #expect(try repair(next).content == content)
        #expect(next.processDeath().files.contains { $0.key.hasSuffix(name) && $0.value == bytes })
    }
}
