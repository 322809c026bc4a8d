import Foundation
import SiltstoneTesting
import Testing

@testable import Siltstone

/// The power fails while a store is repaired.
struct RepairCrashTests {
    fileprivate static let greatestFileSize = 16 << 20

    fileprivate static let configuration = CrashHistory.small(.synced, .written)

    /// What is wrong with the store.
    enum Damage: CaseIterable {
        /// A segment has a bad block.
        case block
        /// As before, and the file system knows no second names.
        case blockWithoutLinks
        /// A value file has a bad header, so that its values must go elsewhere.
        case valuesHeader
        /// A segment has a bad block, and values are with the kernel only: their sync failed before the process died.
        case unsyncedValues

        var suffix: String { self == .valuesHeader ? ".values" : ".segment" }
    }

    /// A store of two segments, values and a log, one file of which is damaged.
    private struct DamagedStore {
        let disk: SimulatedFileSystem
        /// The name and the bytes of the damaged file.
        let name: String
        let bytes: [UInt8]
        let damage: Damage

        init(_ damage: Damage) throws {
            self.damage = damage
            let first = SimulatedFileSystem(greatestFileSize: RepairCrashTests.greatestFileSize)
            try first.createDirectory("/data")
            try first.syncDirectory("/")
            var configuration = RepairCrashTests.configuration
            configuration.fileSystem = first
            let store = try KeyValueStore.open(at: CrashHistory.path, configuration: configuration)
            for round in 0..<2 {
                for number in 0..<40 {
                    try store.put(key(number + 30 * round), [UInt8](repeating: UInt8(round), count: 150))
                }
                try store.put(key(500 + round), [UInt8](repeating: 7, count: 900))
                try store.flush()
            }
            try store.put(key(600), [9])
            if damage == .unsyncedValues {
                first.failSyncs { $0.hasSuffix(".values") }
                try store.put(key(601), [UInt8](repeating: 8, count: 900), durability: .buffered)
                #expect(throws: StoreError.self) { try store.sync() }
                disk = try first.afterProcessDeath()
            } else {
                try store.close()
                disk = first
            }
            withExtendedLifetime(store) {}
            let names = try disk.entries(of: CrashHistory.path).filter { $0.hasSuffix(damage.suffix) }.sorted()
            name = try #require(names.first)
            let file = try disk.open(CrashHistory.path + "/" + name, .readWrite)
            var bytes = try file.readAll()
            bytes[damage == .valuesHeader ? 30 : 300] ^= 1
            try file.writeFully(bytes, at: 0)
            try file.sync()
            self.bytes = bytes
        }

        func repair(_ disk: SimulatedFileSystem) throws -> (report: RepairReport, content: [Entry]) {
            let files = FaultInjectingFileSystem(disk)
            if damage == .blockWithoutLinks { files.setRule { $0.operation == .link ? .error(EPERM) : nil } }
            var configuration = RepairCrashTests.configuration
            configuration.fileSystem = files
            let report = try KeyValueStore.repair(at: CrashHistory.path, configuration: configuration)
            configuration.readOnly = true
            let store = try KeyValueStore.open(at: CrashHistory.path, configuration: configuration)
            #expect(try store.verify().isClean)
            let content = try store.allEntries()
            try store.close()
            return (report, content)
        }

        /// Whether an image has the damaged file as it was, under any name.
        func isKept(in image: DiskImage) -> Bool {
            image.files.contains { $0.key.hasSuffix(name) && $0.value == bytes }
        }
    }

    @Test(
        "whichever call of a repair the power fails at, the next repair brings back the same, and nothing is thrown away",
        arguments: Damage.allCases)
    func everyCall(_ damage: Damage) throws {
        let damaged = try DamagedStore(damage)
        let disk = damaged.disk
        let before = disk.processDeath()
        let undisturbed = try damaged.repair(try SimulatedFileSystem(before, greatestFileSize: Self.greatestFileSize))
        #expect(!undisturbed.report.wasClean && undisturbed.content.count > 40)

        // Of each call.
        let count = SuiteScale.count(2, thorough: 8)
        let images = Locked<[DiskImage]>([])
        disk.observe { [weak disk] call in
            guard let disk else { return }
            images.withLock { images in
                for number in 0..<count { images.append(disk.powerLoss(seed: UInt64(call.number * 8 + number))) }
            }
        }
        let repaired = try damaged.repair(disk)
        disk.observe(nil)
        #expect(repaired.content == undisturbed.content)
        let aside = try #require(repaired.report.damagedFilesDirectory)
        let losses = try disk.open(aside + "/LOSSES", .read).readAll()
        #expect(!losses.isEmpty)

        let during = images.withLock { $0 }
        for image in during {
            #expect(damaged.isKept(in: image), "the damaged file is gone")
            let next = try SimulatedFileSystem(image, greatestFileSize: Self.greatestFileSize)
            let again = try damaged.repair(next)
            // What no sync had reached before the repair may go as long as that has not returned.
            #expect(damage == .unsyncedValues || again.content == undisturbed.content)
            #expect(damaged.isKept(in: next.processDeath()))
        }
        // Once it has returned, all of it is durable: the store, which needs no other repair, the originals and what is gone.
        for seed in 0..<UInt64(5 * count) {
            let image = disk.powerLoss(seed: seed)
            let again = try damaged.repair(try SimulatedFileSystem(image, greatestFileSize: Self.greatestFileSize))
            #expect(again.report.wasClean && again.content == undisturbed.content, "seed \(seed)")
            #expect(image.files[aside + "/" + damaged.name] == damaged.bytes, "the original, seed \(seed)")
            #expect(image.files[aside + "/LOSSES"] == losses, "seed \(seed)")
        }
        #expect(during.count > 25 * count)
        SuiteScale.report("repair crashed, \(damage)", ["crash images": during.count + 5 * count])
    }
}
