import Foundation
import Testing

@testable import Siltstone

/// Every file system.
struct FileSystemTests {
    typealias Kind = FileSystemFixture.Kind

    private func number(_ body: () throws -> Void) -> Int32? {
        do {
            try body()
            return nil
        } catch { return (error as? FileSystemError)?.errorNumber }
    }

    @Test("a file is made once, and opened only where it exists", arguments: Kind.allCases)
    func openModes(_ kind: Kind) throws {
        let fixture = try FileSystemFixture(kind)
        let (files, path) = (fixture.fileSystem, fixture.path("a"))
        #expect(number { _ = try files.open(path, .read) } == Platform.noSuchFile)
        #expect(number { _ = try files.open(path, .readWrite) } == Platform.noSuchFile)
        _ = try files.open(path, .createNew)
        #expect(number { _ = try files.open(path, .createNew) } == Platform.fileExists)
        #expect(try files.open(path, .read).size() == 0)
        #expect(number { _ = try files.open(path + "/b", .read) } == Platform.notADirectory)
        #expect(number { _ = try files.open(fixture.path("no/b"), .createNew) } == Platform.noSuchFile)
        #expect(number { _ = try files.open(fixture.directory, .readWrite) } == Platform.isADirectory)
    }

    @Test("reads give what was written, zeros in holes, and nothing behind the end", arguments: Kind.allCases)
    func readsAndWrites(_ kind: Kind) throws {
        let fixture = try FileSystemFixture(kind)
        let file = try fixture.fileSystem.open(fixture.path("a"), .createNew)
        try file.writeFully([1, 2, 3], at: 10_000)
        #expect(try file.size() == 10_003)
        let all = try file.readAll()
        #expect(all.count == 10_003)
        #expect(all.dropLast(3).allSatisfy { $0 == 0 })
        #expect(all.suffix(3) == [1, 2, 3])
        var buffer = [UInt8](repeating: 9, count: 8)
        #expect(try buffer.withMutableBytes { try file.readFully(into: $0, at: 10_001) } == 2)
        #expect(buffer == [2, 3, 9, 9, 9, 9, 9, 9])
        #expect(try buffer.withMutableBytes { try file.readFully(into: $0, at: 10_003) } == 0)
    }

    @Test("three pieces are written one behind the other, whichever of them are empty", arguments: Kind.allCases)
    func pieces(_ kind: Kind) throws {
        let fixture = try FileSystemFixture(kind)
        let file = try fixture.fileSystem.open(fixture.path("f"), .createNew)
        let parts: [[UInt8]] = [[], [1, 2, 3], [UInt8](repeating: 4, count: 100_000), [5]]
        var expected: [UInt8] = []
        for (head, body, tail) in parts.flatMap({ a in parts.flatMap { b in parts.map { c in (a, b, c) } } }) {
            let offset = expected.count
            let result = head.withBytes { head in
                body.withBytes { body in
                    tail.withBytes { tail in
                        Result { () throws(FileSystemError) in try file.writeFully(head, body, tail, at: offset) }
                    }
                }
            }
            try result.get()
            expected += head + body + tail
        }
        #expect(try file.readAll() == expected)
        try file.close()
    }

    @Test("a handle for reading writes nothing, a closed one does nothing", arguments: Kind.allCases)
    func handleRights(_ kind: Kind) throws {
        let fixture = try FileSystemFixture(kind)
        try fixture.make("a", [1])
        let reader = try fixture.fileSystem.open(fixture.path("a"), .read)
        #expect(number { try reader.writeFully([2], at: 0) } == Platform.badDescriptor)
        #expect(number { _ = try reader.map(length: 1, writable: true) } == Platform.accessDenied)
        try reader.close()
        #expect(number { _ = try reader.readAll() } == Platform.badDescriptor)
        #expect(number { try reader.sync() } == Platform.badDescriptor)
        #expect(try fixture.read("a") == [1])
    }

    @Test("what was cut off reads as zeros when the file grows again", arguments: Kind.allCases)
    func truncateAndGrow(_ kind: Kind) throws {
        let fixture = try FileSystemFixture(kind)
        let file = try fixture.fileSystem.open(fixture.path("a"), .createNew)
        try file.writeFully([1, 2, 3, 4], at: 0)
        try file.truncate(to: 2)
        #expect(try file.readAll() == [1, 2])
        try file.truncate(to: 4)
        #expect(try file.readAll() == [1, 2, 0, 0])
    }

    @Test("to reserve lengthens and never shortens, and keeps what is there", arguments: Kind.allCases)
    func reserve(_ kind: Kind) throws {
        let fixture = try FileSystemFixture(kind)
        let file = try fixture.fileSystem.open(fixture.path("a"), .createNew)
        try file.writeFully([1, 2, 3, 4], at: 0)
        try file.reserve(offset: 0, length: 2)
        #expect(try file.size() == 4)
        try file.reserve(offset: 2, length: 6)
        #expect(try file.readAll() == [1, 2, 3, 4, 0, 0, 0, 0])
    }

    @Test("a mapping made past the end shares the file's bytes as it grows", arguments: Kind.allCases)
    func mappingShares(_ kind: Kind) throws {
        let fixture = try FileSystemFixture(kind)
        let file = try fixture.fileSystem.open(fixture.path("a"), .createNew)
        try file.reserve(offset: 0, length: 4096)
        let mapping = try file.map(length: 1 << 20, writable: true)
        mapping.bytes[100] = 7
        #expect(try file.readAll()[100] == 7)
        try file.reserve(offset: 4096, length: 1 << 16)
        mapping.prepareForWriting(offset: 4096, length: 1 << 16)
        mapping.bytes[5000] = 8
        try file.writeFully([9], at: 60_000)
        #expect(try file.readAll()[5000] == 8)
        #expect(mapping.bytes[60_000] == 9)
        let second = try fixture.fileSystem.open(fixture.path("a"), .read).map(length: 8192, writable: false)
        #expect(second.bytes[5000] == 8)
    }

    @Test("what is open or mapped stays readable after its name is gone", arguments: Kind.allCases)
    func removal(_ kind: Kind) throws {
        let fixture = try FileSystemFixture(kind)
        try fixture.make("a", [1, 2, 3])
        let file = try fixture.fileSystem.open(fixture.path("a"), .readWrite)
        let mapping = try file.map(length: 3, writable: false)
        try fixture.fileSystem.remove(fixture.path("a"))
        #expect(try fixture.fileSystem.attributes(of: fixture.path("a")) == nil)
        try fixture.make("a", [9])
        #expect(try file.readAll() == [1, 2, 3])
        try file.close()
        #expect(Array(mapping.bytes) == [1, 2, 3])
        #expect(number { try fixture.fileSystem.remove(fixture.path("b")) } == Platform.noSuchFile)
    }

    @Test("a rename replaces, and whoever has the old file open keeps it", arguments: Kind.allCases)
    func rename(_ kind: Kind) throws {
        let fixture = try FileSystemFixture(kind)
        let files = fixture.fileSystem
        try fixture.make("a", [1])
        try fixture.make("b", [2])
        let old = try files.open(fixture.path("b"), .read)
        try files.rename(fixture.path("a"), to: fixture.path("b"))
        #expect(try fixture.read("b") == [1])
        #expect(try old.readAll() == [2])
        #expect(try files.entries(of: fixture.directory) == ["b"])
        #expect(number { try files.rename(fixture.path("a"), to: fixture.path("c")) } == Platform.noSuchFile)
        #expect(number { try files.rename(fixture.path("b"), to: fixture.path("no/c")) } == Platform.noSuchFile)
        try files.rename(fixture.path("b"), to: fixture.path("b"))
        #expect(try fixture.read("b") == [1])
    }

    @Test("a rename keeps files and directories apart, and never loses a tree", arguments: Kind.allCases)
    func renameDirectories(_ kind: Kind) throws {
        let fixture = try FileSystemFixture(kind)
        let files = fixture.fileSystem
        try files.createDirectory(fixture.path("d"))
        try files.createDirectory(fixture.path("e"))
        try fixture.make("d/a", [1])
        try fixture.make("f", [2])
        #expect(number { try files.rename(fixture.path("f"), to: fixture.path("d")) } == Platform.isADirectory)
        #expect(number { try files.rename(fixture.path("d"), to: fixture.path("f")) } == Platform.notADirectory)
        #expect(number { try files.rename(fixture.path("e"), to: fixture.path("d")) } == Platform.directoryNotEmpty)
        #expect(number { try files.rename(fixture.path("d"), to: fixture.path("d/x")) } == Platform.invalidArgument)
        try files.rename(fixture.path("d"), to: fixture.path("e"))
        #expect(try fixture.read("e/a") == [1])
        #expect(Set(try files.entries(of: fixture.directory)) == ["e", "f"])
    }

    @Test("in memory, names are told apart by their bytes, although the strings are equal")
    func canonicalNames() throws {
        let fixture = try FileSystemFixture(.memory)
        let files = fixture.fileSystem
        let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
        #expect(composed == decomposed)
        try fixture.make(composed, [1])
        #expect(number { _ = try files.open(fixture.path(decomposed), .read) } == Platform.noSuchFile)
        try fixture.make(decomposed, [2])
        let names = Set(try files.entries(of: fixture.directory).map { Array($0.utf8) })
        #expect(names == [Array(composed.utf8), Array(decomposed.utf8)])
        #expect(try fixture.read(composed) == [1])
        try files.rename(fixture.path(decomposed), to: fixture.path(composed))
        #expect(try fixture.read(composed) == [2])
        #expect(try files.entries(of: fixture.directory).count == 1)
        // A mark that combines with the slash before it begins a name all the same.
        try files.createDirectory(fixture.path("d"))
        try fixture.make("d/\u{301}", [3])
        #expect(try files.entries(of: fixture.path("d")).count == 1)
    }

    @Test("links share one file until the last name goes", arguments: Kind.allCases)
    func links(_ kind: Kind) throws {
        let fixture = try FileSystemFixture(kind)
        let files = fixture.fileSystem
        try fixture.make("a", [1, 2])
        try files.link(fixture.path("a"), to: fixture.path("b"))
        try files.open(fixture.path("b"), .readWrite).writeFully([9], at: 0)
        #expect(try fixture.read("a") == [9, 2])
        #expect(number { try files.link(fixture.path("a"), to: fixture.path("b")) } == Platform.fileExists)
        #expect(number { try files.link(fixture.path("x"), to: fixture.path("y")) } == Platform.noSuchFile)
        // POSIX: a rename onto another name of the same file does nothing.
        try files.rename(fixture.path("a"), to: fixture.path("b"))
        #expect(Set(try files.entries(of: fixture.directory)) == ["a", "b"])
        try files.remove(fixture.path("a"))
        #expect(try fixture.read("b") == [9, 2])
    }

    @Test("directories are made once, list their names and are told from files", arguments: Kind.allCases)
    func directories(_ kind: Kind) throws {
        let fixture = try FileSystemFixture(kind)
        let files = fixture.fileSystem
        try files.createDirectory(fixture.path("d"))
        #expect(number { try files.createDirectory(fixture.path("d")) } == Platform.fileExists)
        #expect(number { try files.createDirectory(fixture.path("x/y")) } == Platform.noSuchFile)
        try fixture.make("d/one", [])
        try fixture.make("d/two", [1, 2, 3])
        #expect(Set(try files.entries(of: fixture.path("d"))) == ["one", "two"])
        #expect(try files.attributes(of: fixture.path("d"))?.isDirectory == true)
        #expect(try files.attributes(of: fixture.path("d/two")) == FileAttributes(size: 3, isDirectory: false))
        #expect(number { _ = try files.entries(of: fixture.path("d/one")) } == Platform.notADirectory)
        #expect(number { _ = try files.entries(of: fixture.path("x")) } == Platform.noSuchFile)
        #expect(number { try files.remove(fixture.path("d")) } == Platform.isADirectory)
        try files.syncDirectory(fixture.path("d"))
        #expect(number { try files.syncDirectory(fixture.path("x")) } == Platform.noSuchFile)
        #expect(try fixture.fileSystem.entries(of: fixture.directory + "/d/../d/./").count == 2)
    }

    @Test("an exclusive lock keeps out all others and names its owner", arguments: Kind.allCases)
    func exclusiveLocks(_ kind: Kind) throws {
        let fixture = try FileSystemFixture(kind)
        let (files, path) = (fixture.fileSystem, fixture.path("LOCK"))
        let owner = "process \(ProcessInfo.processInfo.processIdentifier)"
        let lock = try files.lock(path, exclusive: true, note: owner)
        for exclusive in [true, false] {
            let error = #expect(throws: FileSystemError.self) {
                _ = try files.lock(path, exclusive: exclusive, note: "")
            }
            #expect(error?.isLocked == true)
            #expect(error?.detail == "held by \(owner)")
        }
        lock.release()
        lock.release()
        let next = try files.lock(path, exclusive: true, note: "p")
        #expect(try fixture.read("LOCK") == Array("p".utf8))
        next.release()
        // Who has gone holds nothing.
        let last = try files.lock(path, exclusive: true, note: owner)
        last.release()
        let shared = try files.lock(path, exclusive: false, note: "")
        let error = #expect(throws: FileSystemError.self) { _ = try files.lock(path, exclusive: true, note: "") }
        #expect(error?.detail?.contains(owner) == false)
        shared.release()
    }

    @Test("shared locks keep out exclusive ones only, and end with their last reference", arguments: Kind.allCases)
    func sharedLocks(_ kind: Kind) throws {
        let fixture = try FileSystemFixture(kind)
        let (files, path) = (fixture.fileSystem, fixture.path("LOCK"))
        #expect(number { _ = try files.lock(path, exclusive: false, note: "") } == Platform.noSuchFile)
        try fixture.make("LOCK", [])
        do {
            let one = try files.lock(path, exclusive: false, note: "")
            let two = try files.lock(path, exclusive: false, note: "")
            #expect(throws: FileSystemError.self) { _ = try files.lock(path, exclusive: true, note: "") }
            one.release()
            #expect(throws: FileSystemError.self) { _ = try files.lock(path, exclusive: true, note: "") }
            withExtendedLifetime(two) {}
        }
        try files.lock(path, exclusive: true, note: "").release()
    }

    @Test("contents are the same mapped and read, and outlive the file", arguments: Kind.allCases)
    func contents(_ kind: Kind) throws {
        let fixture = try FileSystemFixture(kind)
        let bytes = [UInt8](count: 100_000) { UInt8(truncatingIfNeeded: $0 &* 31) }
        try fixture.make("a", bytes)
        try fixture.make("empty", [])
        for mapped in [true, false] {
            let contents = try FileContents(try fixture.fileSystem.open(fixture.path("a"), .read), mapped: mapped)
            #expect(contents.bytes.elementsEqual(bytes))
            let empty = try FileContents(try fixture.fileSystem.open(fixture.path("empty"), .read), mapped: mapped)
            #expect(empty.bytes.isEmpty)
        }
    }
}

struct InMemoryFileSystemTests {
    @Test("a file that reaches its greatest size takes no more, and what it has stays")
    func fullFile() throws {
        let files = InMemoryFileSystem(greatestFileSize: 8192)
        let file = try files.open("/a", .createNew)
        try file.writeFully([UInt8](repeating: 1, count: 8000), at: 0)
        let error = #expect(throws: FileSystemError.self) {
            try file.writeFully([UInt8](repeating: 2, count: 400), at: 8000)
        }
        #expect(error?.isNoSpace == true)
        #expect(throws: FileSystemError.self) { try file.reserve(offset: 8000, length: 400) }
        #expect(try file.readAll().prefix(8000).allSatisfy { $0 == 1 })
    }

    @Test("two file systems are two worlds")
    func separate() throws {
        let (one, two) = (InMemoryFileSystem(), InMemoryFileSystem())
        _ = try one.open("/a", .createNew)
        #expect(try two.attributes(of: "/a") == nil)
    }

    @Test("threads that make and remove names at once leave what they should")
    func concurrency() async throws {
        let files = InMemoryFileSystem()
        try files.createDirectory("/d")
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    do {
                        for index in 0..<50 {
                            let path = "/d/\(worker)-\(index)"
                            try files.open(path, .createNew).writeFully([UInt8(index)], at: 0)
                            if index % 2 == 0 { try files.remove(path) }
                        }
                    } catch { Issue.record(error) }
                }
            }
        }
        #expect(try files.entries(of: "/d").count == 8 * 25)
    }
}
