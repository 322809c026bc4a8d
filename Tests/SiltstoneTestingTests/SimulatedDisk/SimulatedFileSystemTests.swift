import Foundation
import SiltstoneTesting
import Testing

@testable import Siltstone

/// What a crash may leave, and what it must: each law is tried with many seeds, and what may happen has to happen, too.
struct SimulatedFileSystemTests {
    private static let seeds = 0..<UInt64(400)

    private let disk = SimulatedFileSystem(greatestFileSize: 1 << 20)

    /// The outcomes of many crashes at this moment.
    private func outcomes<T: Hashable>(_ outcome: (DiskImage) -> T) -> Set<T> {
        Set(Self.seeds.map { outcome(disk.powerLoss(seed: $0)) })
    }

    private func make(_ path: String, _ bytes: [UInt8]) throws -> any File {
        let file = try disk.open(path, .createNew)
        try file.writeFully(bytes, at: 0)
        return file
    }

    private func durable(_ path: String, _ bytes: [UInt8]) throws -> any File {
        let file = try make(path, bytes)
        try file.sync()
        try disk.syncDirectory("/")
        return file
    }

    // MARK: Bytes

    @Test("what was synced, name and bytes, is always there")
    func synced() throws {
        let bytes = (0..<3000).map { UInt8(truncatingIfNeeded: $0) }
        _ = try durable("/file", bytes)
        #expect(outcomes { $0.files["/file"] } == [bytes])
        #expect(disk.processDeath().files["/file"] == bytes)
    }

    @Test("bytes without a sync survive in any subset of sectors, torn ones too")
    func sectors() throws {
        let file = try durable("/file", [UInt8](repeating: 1, count: 4 * 512))
        try file.writeFully([UInt8](repeating: 2, count: 4 * 512), at: 0)
        let found = outcomes { image -> [Set<UInt8>] in
            let bytes = image.files["/file"] ?? []
            return (0..<4).map { Set(bytes[$0 * 512..<($0 + 1) * 512]) }
        }
        // Every combination of old and new, in any order, has come up.
        for combination in 0..<16 {
            let sectors = (0..<4).map { Set([UInt8(combination >> $0 & 1) + 1]) }
            #expect(found.contains(sectors), "\(sectors)")
        }
        #expect(found.contains { $0.contains([1, 2]) }, "a torn sector")
        #expect(disk.processDeath().files["/file"] == [UInt8](repeating: 2, count: 4 * 512))
    }

    @Test("of a sector that was written twice, each content may be found")
    func overwritten() throws {
        let file = try durable("/file", [UInt8](repeating: 1, count: 512))
        try file.writeFully([UInt8](repeating: 2, count: 512), at: 0)
        try file.writeFully([UInt8](repeating: 3, count: 512), at: 0)
        let found = outcomes { Set($0.files["/file"] ?? []) }
        #expect(found.isSuperset(of: [[1], [2], [3]]))
        try file.sync()
        #expect(outcomes { Set($0.files["/file"] ?? []) } == [[3]])
    }

    @Test("stores through a mapping are lost, survive and are synced like writes")
    func mapped() throws {
        let file = try durable("/file", [UInt8](repeating: 1, count: 1024))
        let mapping = try file.map(length: 1024, writable: true)
        mapping.bytes[0] = 2
        mapping.bytes[600] = 3
        let found = outcomes { image in (image.files["/file"] ?? []).filter { $0 != 1 } }
        #expect(found == [[], [2], [3], [2, 3]])
        try file.sync()
        #expect(outcomes { image in (image.files["/file"] ?? []).filter { $0 != 1 } } == [[2, 3]])
    }

    @Test("a mapping that is gone has not taken its stores along")
    func unmapped() throws {
        let file = try durable("/file", [UInt8](repeating: 1, count: 512))
        do {
            let mapping = try file.map(length: 512, writable: true)
            mapping.bytes[7] = 2
        }
        #expect(outcomes { $0.files["/file"]?[7] } == [1, 2])
        try file.sync()
        #expect(outcomes { $0.files["/file"]?[7] } == [2])
    }

    @Test("a length without a sync may be any that the file had")
    func lengths() throws {
        let file = try durable("/file", [UInt8](repeating: 1, count: 100))
        try file.reserve(offset: 100, length: 1000)
        try file.truncate(to: 50)
        #expect(outcomes { $0.files["/file"]?.count } == [100, 1100, 50])
        try file.sync()
        #expect(outcomes { $0.files["/file"]?.count } == [50])
    }

    // MARK: Names

    @Test("names without a sync of their directory come and go, each on its own; syncing a file does not help")
    func names() throws {
        _ = try durable("/old", [1])
        try make("/new", [2]).sync()
        try disk.remove("/old")
        let found = outcomes { Set($0.files.keys) }
        #expect(found == [[], ["/old"], ["/new"], ["/old", "/new"]])
        try disk.syncDirectory("/")
        #expect(outcomes { Set($0.files.keys) } == [["/new"]])
    }

    @Test("after a rename the file has the old name, the new one or both, and never none")
    func rename() throws {
        _ = try durable("/a", [1])
        _ = try durable("/b", [2])
        try disk.rename("/a", to: "/b")
        #expect(outcomes { $0.files } == [["/a": [1], "/b": [2]], ["/b": [1]], ["/a": [1], "/b": [1]]])
        try disk.syncDirectory("/")
        #expect(outcomes { $0.files } == [["/b": [1]]])
    }

    @Test("a rename to another directory loses no file, whichever of the two is synced")
    func renameAcross() throws {
        try disk.createDirectory("/x")
        try disk.createDirectory("/y")
        try make("/x/a", [1]).sync()
        for path in ["/x", "/y", "/"] { try disk.syncDirectory(path) }
        try disk.rename("/x/a", to: "/y/a")
        #expect(outcomes { Set($0.files.keys) } == [["/x/a"], ["/y/a"], ["/x/a", "/y/a"]])
        try disk.syncDirectory("/x")
        #expect(outcomes { Set($0.files.keys) } == [["/y/a"]])
    }

    @Test("a directory is found once its parent was synced, and its entries once it was itself")
    func directories() throws {
        try disk.createDirectory("/d")
        try make("/d/a", [1]).sync()
        try disk.syncDirectory("/d")
        #expect(outcomes { Set($0.files.keys) } == [[], ["/d/a"]])
        try disk.syncDirectory("/")
        #expect(outcomes { Set($0.files.keys) } == [["/d/a"]])
        _ = try make("/d/b", [2])
        #expect(outcomes { Set($0.files.keys) } == [["/d/a"], ["/d/a", "/d/b"]])
    }

    @Test("two names of one file are two names of one file after a crash, too")
    func links() throws {
        let file = try durable("/a", [UInt8](repeating: 1, count: 512))
        try disk.link("/a", to: "/b")
        try disk.syncDirectory("/")
        try file.writeFully([2], at: 0)
        #expect(outcomes { [$0.files["/a"]?.first, $0.files["/b"]?.first] } == [[1, 1], [2, 2]])
        let next = try SimulatedFileSystem(disk.processDeath())
        try next.open("/a", .readWrite).writeFully([3], at: 0)
        #expect(try next.open("/b", .read).readAll().first == 3)
    }

    @Test("what is removed stays readable where it is open or mapped")
    func removed() throws {
        let file = try durable("/a", [1, 2, 3])
        let mapping = try file.map(length: 3, writable: false)
        try disk.remove("/a")
        #expect(try file.readAll() == [1, 2, 3])
        #expect(Array(mapping.bytes) == [1, 2, 3])
        #expect(try disk.attributes(of: "/a") == nil)
    }

    // MARK: Failing syncs

    @Test("what a failed sync should have written is gone at the next crash, though later syncs succeed")
    func failedSync() throws {
        let file = try durable("/file", [UInt8](repeating: 1, count: 1024))
        try file.writeFully([2], at: 0)
        disk.failSyncs { $0 == "/file" }
        #expect(throws: FileSystemError.self) { try file.sync() }
        disk.failSyncs(where: nil)
        #expect(try file.readAll()[0] == 2, "processes still see it")
        #expect(outcomes { $0.files["/file"]?[0] } == [1])
        try file.writeFully([3], at: 1000)
        try file.sync()
        #expect(outcomes { [$0.files["/file"]?[0], $0.files["/file"]?[1000]] } == [[1, 3]])
        // Written again, it is dirty again, though it holds the same.
        try file.writeFully([2], at: 0)
        #expect(outcomes { $0.files["/file"]?[0] } == [1, 2])
        try file.sync()
        #expect(outcomes { $0.files["/file"]?[0] } == [2])
    }

    @Test("a directory whose sync fails has its changes still to come")
    func failedDirectorySync() throws {
        try make("/a", [1]).sync()
        disk.failSyncs { $0 == "/" }
        #expect(throws: FileSystemError.self) { try disk.syncDirectory("/") }
        disk.failSyncs(where: nil)
        #expect(outcomes { $0.files.count } == [0, 1])
        try disk.syncDirectory("/")
        #expect(outcomes { $0.files.count } == [1])
    }

    // MARK: The disk itself

    @Test("the same seed gives the same crash")
    func deterministic() throws {
        let file = try make("/file", [UInt8](repeating: 1, count: 9000))
        try file.writeFully([UInt8](repeating: 2, count: 9000), at: 100)
        for seed in Self.seeds { #expect(disk.powerLoss(seed: seed) == disk.powerLoss(seed: seed)) }
        #expect(outcomes { $0 }.count > 100)
        #expect(disk.powerLoss(seed: 1, survival: 0) == DiskImage())
    }

    @Test("an image put under a disk is what its processes see, and all of it durable")
    func images() throws {
        _ = try make("/file", [1, 2, 3])
        let next = try SimulatedFileSystem(disk.processDeath())
        #expect(try next.open("/file", .read).readAll() == [1, 2, 3])
        for seed in Self.seeds { #expect(next.powerLoss(seed: seed) == disk.processDeath()) }
    }

    @Test("a disk whose processes have died shows everything, and may still lose what was not synced")
    func processDeath() throws {
        let file = try durable("/a", [UInt8](repeating: 1, count: 1024))
        try file.writeFully([2], at: 0)
        let mapping = try file.map(length: 1024, writable: true)
        mapping.bytes[600] = 3
        _ = try make("/b", [4])
        try disk.rename("/b", to: "/c")
        let before = Self.seeds.map { disk.powerLoss(seed: $0) }
        let next = try disk.afterProcessDeath()
        #expect(next.processDeath() == disk.processDeath())
        mapping.bytes[700] = 9
        #expect(try next.open("/a", .read).readAll()[700] == 1, "another disk")
        #expect(Set(Self.seeds.map { next.powerLoss(seed: $0) }).intersection(before).count > 10)
        try next.open("/a", .readWrite).sync()
        try next.syncDirectory("/")
        #expect(Set(Self.seeds.map { next.powerLoss(seed: $0).files["/a"]?[600] }) == [3])
        #expect(Set(Self.seeds.map { Set(next.powerLoss(seed: $0).files.keys) }) == [["/a", "/c"]])
    }

    @Test("every call that changes the disk is announced before it is made")
    func observer() throws {
        let calls = Locked<[String]>([])
        disk.observe { [disk] call in
            let files = disk.processDeath().files.count
            calls.withLock { $0.append("\(call.operation) \(call.path) \(files)") }
        }
        let file = try make("/a", [1])
        try file.sync()
        try file.truncate(to: 0)
        try file.reserve(offset: 0, length: 10)
        try disk.link("/a", to: "/b")
        try disk.rename("/a", to: "/c")
        try disk.remove("/b")
        try disk.createDirectory("/d")
        try disk.removeDirectory("/d")
        try disk.syncDirectory("/")
        _ = try disk.lock("/lock", exclusive: true, note: "me")
        let expected = [
            "create /a 0", "write /a 1", "sync /a 1", "truncate /a 1", "reserve /a 1", "link /b 1", "rename /c 2",
            "remove /b 2", "createDirectory /d 1", "removeDirectory /d 1", "syncDirectory / 1", "lock /lock 1",
        ]
        #expect(calls.withLock { $0 } == expected)
        #expect(disk.callCount == expected.count)
    }

    @Test("a lock is held by one, and ends with the crash")
    func locks() throws {
        let lock = try disk.lock("/lock", exclusive: true, note: "the first")
        #expect(throws: FileSystemError.self) { try disk.lock("/lock", exclusive: true, note: "the second") }
        let next = try SimulatedFileSystem(disk.processDeath())
        _ = try next.lock("/lock", exclusive: true, note: "the second")
        lock.release()
        _ = try disk.lock("/lock", exclusive: true, note: "the second")
    }
}
