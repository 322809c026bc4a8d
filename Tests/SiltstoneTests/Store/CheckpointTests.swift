import Foundation
import SiltstoneTesting
import Testing

@testable import Siltstone

struct CheckpointTests {
    private func open(_ path: String, _ fixture: StoreFixture) throws -> KeyValueStore {
        var configuration = StoreFixture.small()
        configuration.fileSystem = fixture.fileSystem
        configuration.largeValueBytes = 2000
        return try KeyValueStore.open(at: path, configuration: configuration)
    }

    @Test(
        "a checkpoint is a store of its own that holds what the store held, and both go on on their own",
        arguments: [false, true])
    func independent(_ onDisk: Bool) throws {
        let fixture = onDisk ? try StoreFixture(onDisk: ()) : StoreFixture()
        let store = try open(fixture.path, fixture)
        for number in 0..<3000 { try store.put(key(number), [UInt8](repeating: 1, count: number % 100)) }
        for number in 0..<20 { try store.put(key(10_000 + number), [UInt8](repeating: 2, count: 5000)) }
        let held = try store.allEntries()
        let path = fixture.path + "-checkpoint"
        try store.checkpoint(to: path)
        try store.deleteRange(from: key(0), to: key(20_000))
        try store.put("original".utf8, [UInt8](repeating: 3, count: 5000))
        try store.compact()

        let copy = try open(path, fixture)
        #expect(try copy.allEntries() == held)
        #expect(try copy.verify().problems.isEmpty)
        for number in 0..<600 { try copy.put(key(number), [UInt8](repeating: 9, count: 5000)) }
        try copy.compact()
        #expect(try copy.get("original".utf8) == nil)
        try copy.close()

        #expect(try store.allEntries().map(\.key) == [Array("original".utf8)])
        #expect(try store.verify().problems.isEmpty)
        try store.close()
        #expect(try open(fixture.path, fixture).allEntries().count == 1)
        let again = try open(path, fixture)
        #expect(try again.allEntries().count == 3020)
        try again.close()
    }

    @Test("the files of a checkpoint do not change any more, whatever the store writes")
    func unchanged() throws {
        let fixture = StoreFixture()
        let store = try open(fixture.path, fixture)
        for number in 0..<50 { try store.put(key(number), [UInt8](repeating: 1, count: 100)) }
        try store.put(key(100), [UInt8](repeating: 2, count: 5000))
        let path = fixture.path + "-checkpoint"
        try store.checkpoint(to: path)
        func contents() throws -> [String: [UInt8]] {
            let names = try fixture.fileSystem.entries(of: path)
            return try names.reduce(into: [:]) {
                $0[$1] = try fixture.fileSystem.open(path + "/" + $1, .read).readAll()
            }
        }
        let before = try contents()
        #expect(before.keys.contains { $0.hasSuffix(".values") })
        for number in 101..<110 { try store.put(key(number), [UInt8](repeating: 3, count: 5000)) }
        try store.compact()
        #expect(try contents() == before)
        try store.close()
        #expect(try contents() == before)
    }

    @Test("a checkpoint has a lock file, so that a reader of it keeps a writer out", arguments: [false, true])
    func locked(_ onDisk: Bool) throws {
        let fixture = onDisk ? try StoreFixture(onDisk: ()) : StoreFixture()
        let store = try open(fixture.path, fixture)
        try store.put("a".utf8, "b".utf8)
        let path = fixture.path + "-checkpoint"
        try store.checkpoint(to: path)
        try store.close()
        #expect(try fixture.fileSystem.entries(of: path).contains("LOCK"))
        var configuration = StoreFixture.small()
        configuration.fileSystem = fixture.fileSystem
        configuration.readOnly = true
        let reader = try KeyValueStore.open(at: path, configuration: configuration)
        #expect(StoreError.Code.of { try open(path, fixture) } == .locked)
        try reader.close()
        let writer = try open(path, fixture)
        #expect(StoreError.Code.of { try KeyValueStore.open(at: path, configuration: configuration) } == .locked)
        try writer.close()
    }

    @Test("where a checkpoint was interrupted, the next one says so; not where a store lost its CURRENT")
    func interrupted() throws {
        let fixture = StoreFixture()
        let store = try open(fixture.path, fixture)
        for number in 0..<100 { try store.put(key(number), [UInt8](repeating: 1, count: 100)) }
        try store.checkpoint(to: "/checkpoint")
        func message() -> String {
            do { try store.checkpoint(to: "/checkpoint") } catch {
                #expect(error.code == .invalidArgument)
                return error.message
            }
            return "no error"
        }
        #expect(message().hasPrefix("there is something at this path already"))
        try fixture.fileSystem.remove("/checkpoint/CURRENT")
        #expect(message().hasPrefix("an earlier checkpoint was interrupted here, or has lost its CURRENT"))
        // Another process may still be making the checkpoint.
        let lock = try fixture.fileSystem.lock("/checkpoint/LOCK", exclusive: true, note: "a process")
        #expect(StoreError.Code.of { try store.checkpoint(to: "/checkpoint") } == .locked)
        lock.release()
        try fixture.fileSystem.link(fixture.path + "/CURRENT", to: "/checkpoint/000999.log")
        #expect(message().hasPrefix("there is something at this path already"))
        try store.close()
    }

    @Test("a checkpoint of an empty store is an empty store")
    func empty() throws {
        let fixture = StoreFixture()
        let store = try open(fixture.path, fixture)
        try store.checkpoint(to: "/checkpoint")
        let copy = try open("/checkpoint", fixture)
        #expect(try copy.allEntries().isEmpty)
        try copy.put("a".utf8, "b".utf8)
        try copy.close()
        try store.close()
    }

    @Test("a checkpoint into a directory that exists is refused, and leaves that as it is")
    func existing() throws {
        let fixture = StoreFixture()
        let store = try open(fixture.path, fixture)
        try store.put("a".utf8, "b".utf8)
        #expect(throws: StoreError.self) { try store.checkpoint(to: fixture.path) }
        try fixture.fileSystem.createDirectory("/full")
        #expect(throws: StoreError.self) { try store.checkpoint(to: "/full") }
        #expect(try fixture.fileSystem.entries(of: "/full").isEmpty)
        #expect(try store.get("a".utf8) == Array("b".utf8))
        try store.close()
    }

    @Test("a checkpoint that fails takes its directory back")
    func failed() throws {
        let disk = FaultInjectingFileSystem()
        let fixture = StoreFixture(disk)
        let store = try open(fixture.path, fixture)
        for number in 0..<1000 { try store.put(key(number), [UInt8](repeating: 1, count: 100)) }
        try store.flush()
        try store.compact()
        for operation in [FileSystemCall.Operation.link, .rename, .create] {
            disk.setRule {
                $0.operation == operation && !$0.path.hasSuffix(".log")
                    && (operation == .link || $0.path.contains("checkpoint")) ? .inputOutput : nil
            }
            #expect(throws: StoreError.self) { try store.checkpoint(to: "/checkpoint") }
            disk.setRule(.none)
            #expect(try fixture.fileSystem.attributes(of: "/checkpoint") == nil, "\(operation)")
        }
        try store.checkpoint(to: "/checkpoint")
        try store.close()
    }

    @Test("a store that another process makes in a checkpoint's new directory is kept", arguments: [false, true])
    func storeInBetween(isClosed: Bool) throws {
        let base = InMemoryFileSystem()
        let disk = FaultInjectingFileSystem(base)
        let fixture = StoreFixture(disk)
        let store = try open(fixture.path, fixture)
        try store.put("a".utf8, "b".utf8)
        let other = Locked<KeyValueStore?>(nil)
        disk.setRule { call in
            guard call.operation == .lock, call.path == "/checkpoint/LOCK" else { return nil }
            do {
                var configuration = StoreFixture.small()
                configuration.fileSystem = base
                let made = try KeyValueStore.open(at: "/checkpoint", configuration: configuration)
                try made.put("k".utf8, "v".utf8)
                if isClosed { try made.close() }
                other.withLock { $0 = made }
            } catch { Issue.record("\(error)") }
            return nil
        }
        let expected: StoreError.Code = isClosed ? .invalidArgument : .locked
        #expect(StoreError.Code.of { try store.checkpoint(to: "/checkpoint") } == expected)
        disk.setRule(.none)
        if !isClosed { try other.withLock { $0 }?.close() }
        let found = try open("/checkpoint", fixture)
        #expect(try found.get("k".utf8) == Array("v".utf8))
        try found.close()
        try store.close()
    }

    @Test("a checkpoint that fails takes back what it can, where one of its files cannot be removed")
    func failedRemoval() throws {
        let disk = FaultInjectingFileSystem()
        let fixture = StoreFixture(disk)
        let store = try open(fixture.path, fixture)
        for number in 0..<1000 { try store.put(key(number), [UInt8](repeating: 1, count: 100)) }
        let (isBroken, kept) = (Locked(false), Locked<String?>(nil))
        disk.setRule { call in
            guard call.path.hasPrefix("/checkpoint/") else { return nil }
            if call.operation == .rename {
                isBroken.withLock { $0 = true }
                return .inputOutput
            }
            guard call.operation == .remove, isBroken.withLock({ $0 }), kept.withLock({ $0 }) == nil else { return nil }
            kept.withLock { $0 = call.path }
            return .accessDenied
        }
        #expect(throws: StoreError.self) { try store.checkpoint(to: "/checkpoint") }
        disk.setRule(.none)
        let left = try disk.entries(of: "/checkpoint").map { "/checkpoint/" + $0 }
        #expect(left.count == 1 && left.first == kept.withLock { $0 })
        try store.close()
    }

    @Test("a checkpoint in a directory that does not exist, or in a file, is refused", arguments: [false, true])
    func noParent(_ onDisk: Bool) throws {
        let fixture = onDisk ? try StoreFixture(onDisk: ()) : StoreFixture()
        let store = try open(fixture.path, fixture)
        for parent in ["/missing", "/CURRENT"] {
            let path = fixture.path + parent + "/checkpoint"
            #expect(StoreError.Code.of { try store.checkpoint(to: path) } == .notFound, "\(parent)")
        }
        try store.close()
    }

    @Test(
        "a checkpoint in the store's own directory is refused, by whatever path, and leaves nothing there",
        arguments: [false, true])
    func inStore(_ onDisk: Bool) throws {
        let fixture = onDisk ? try StoreFixture(onDisk: ()) : StoreFixture()
        let store = try open(fixture.path, fixture)
        try store.put("key".utf8, "value".utf8)
        try store.flush()
        store.settle()
        let names = try fixture.names()
        var paths = ["/inside", "//inside/", "/./inside"].map { fixture.path + $0 }
        if onDisk {
            let link = fixture.path + "-link"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: fixture.path)
            paths.append(link + "/inside")
        }
        for path in paths {
            #expect(StoreError.Code.of { try store.checkpoint(to: path) } == .invalidArgument, "\(path)")
            #expect(try fixture.names() == names, "\(path)")
        }
        // A name that is taken in the store's directory is free elsewhere.
        try store.checkpoint(to: fixture.path.dropLast("store".count) + StoreFile.current.name)
        try store.close()
    }

    @Test("a checkpoint's name is durable when it is reported, with a slash at its end or without")
    func durableName() throws {
        let disk = FaultInjectingFileSystem()
        let fixture = StoreFixture(disk)
        let store = try open(fixture.path, fixture)
        try store.put("key".utf8, "value".utf8)
        try disk.createDirectory("/backups")
        for path in ["/backups/monday", "/backups/tuesday/", "/backups/wednesday//"] {
            let before = disk.log.count
            try store.checkpoint(to: path)
            let synced = disk.log[before...].filter { $0.operation == .syncDirectory }.map(\.path)
            #expect(synced.last == "/backups", "\(path): \(synced)")
        }
        #expect(StoreError.Code.of { try store.checkpoint(to: "") } == .invalidArgument)
        try store.close()
    }

    @Test("a checkpoint goes on with the store's sequence numbers, so that a subscriber of changes misses none")
    func sequence() throws {
        let fixture = StoreFixture()
        let store = try open(fixture.path, fixture)
        for number in 0..<1000 { try store.put(key(number), [UInt8](repeating: 1, count: 100)) }
        // The merge to the bottom forgets the numbers of its records.
        try store.compact()
        let last = store.statistics.lastSequence
        try store.checkpoint(to: "/checkpoint")
        try store.close()
        var configuration = StoreFixture.small()
        configuration.fileSystem = fixture.fileSystem
        configuration.readOnly = true
        let reader = try KeyValueStore.open(at: fixture.path, configuration: configuration)
        try reader.checkpoint(to: "/second")
        try reader.close()
        for path in ["/checkpoint", "/second"] {
            let copy = try open(path, fixture)
            #expect(copy.statistics.lastSequence == last, "\(path)")
            #expect(try copy.verify().problems == [])
            try copy.close()
        }
    }
}
