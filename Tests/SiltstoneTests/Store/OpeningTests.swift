import SiltstoneTesting
import Testing

@testable import Siltstone

struct OpeningTests {
    /// A closed store with a segment, a value file and a log that holds something.
    private func closedStore(_ fixture: StoreFixture = StoreFixture()) throws -> StoreFixture {
        let store = try fixture.open()
        for number in 0..<500 { try store.put(key(number), [UInt8](repeating: 1, count: 100)) }
        try store.put("large".utf8, [UInt8](repeating: 2, count: 20_000))
        try store.flush()
        try store.put("in the log".utf8, [3])
        try store.close()
        return fixture
    }

    @Test("each missing file is noticed: the error names it, and nothing is changed")
    func missingFiles() throws {
        let fixture = try closedStore()
        for name in try fixture.names() where name != "LOCK" {
            let copy = try fixture.copy()
            try copy.fileSystem.remove(copy.file(name))
            let before = try copy.contents()
            do {
                _ = try copy.open()
                Issue.record("\(name) is missing, and the store opened")
            } catch {
                #expect(error.code == .corrupt, "\(name)")
                #expect(error.file == copy.file(name))
            }
            #expect(try copy.contents() == before)
        }
    }

    @Test("a CURRENT that is damaged in any bit is refused")
    func damagedCurrent() throws {
        let fixture = try closedStore()
        let bytes = try fixture.read("CURRENT")
        for offset in bytes.indices {
            for bit in 0..<8 {
                var damaged = bytes
                damaged[offset] ^= 1 << UInt8(bit)
                try fixture.write(damaged, to: "CURRENT")
                let code = StoreError.Code.of { try fixture.open() }
                #expect(code == .corrupt || code == .unsupportedFormat, "offset \(offset), bit \(bit)")
            }
        }
        for length in bytes.indices {
            try fixture.write(Array(bytes.prefix(length)), to: "CURRENT")
            #expect(StoreError.Code.of { try fixture.open() } == .corrupt)
        }
    }

    @Test("a format of the future is refused as such, by CURRENT and by the header of each kind of file")
    func unknownVersion() throws {
        let fixture = try closedStore()
        let current = try fixture.copy()
        let line = Array("siltstone 2 000001.manifest ".utf8)
        let digits = String(line.withBytes { CRC32.checksum($0) }, radix: 16)
        try current.write(line + Array("\(digits)\n".utf8), to: "CURRENT")
        #expect(StoreError.Code.of { try current.open() } == .unsupportedFormat)
        for name in try fixture.names() where name.contains(".") {
            let copy = try fixture.copy()
            var bytes = try copy.read(name)
            bytes[8] = 2
            let checksum = Array(bytes.prefix(60)).withBytes { CRC32.checksum($0) }
            withUnsafeBytes(of: checksum.littleEndian) { bytes.replaceSubrange(60..<64, with: $0) }
            try copy.write(bytes, to: name)
            #expect(StoreError.Code.of { try copy.open() } == .unsupportedFormat, "\(name)")
        }
    }

    @Test("a damaged header of any file is refused")
    func damagedHeaders() throws {
        let fixture = try closedStore()
        for name in try fixture.names() where name.contains(".") {
            for offset in stride(from: 0, to: 64, by: 5) {
                let copy = try fixture.copy()
                try copy.flip(name, at: offset)
                let code = StoreError.Code.of { try copy.open() }
                #expect(code == .corrupt || code == .unsupportedFormat, "\(name), offset \(offset)")
            }
        }
    }

    @Test("foreign files are left alone, orphan files of a crash are removed, and no number is used twice")
    func leftovers() throws {
        let fixture = try closedStore()
        let foreign = ["notes.txt", "1.log", "000009.log.bak", "CURRENT~", "99999999999999999999.log", "x.segment"]
        for name in foreign { try fixture.write([1, 2, 3], to: name) }
        let orphans = ["000500.segment", "000501.values", "000502.manifest", "000503.log"]
        // Of a file in the making, nothing had reached the disk, or zeros.
        for (index, name) in orphans.enumerated() {
            try fixture.write([UInt8](repeating: 0, count: index * 40), to: name)
        }
        let store = try fixture.open()
        let names = try fixture.names()
        for name in foreign { #expect(names.contains(name)) }
        for name in orphans { #expect(!names.contains(name)) }
        for number in 0..<200 { try store.put(key(number), [UInt8](repeating: 1, count: 1000)) }
        try store.flush()
        let numbers = try fixture.names().compactMap { StoreFile(name: $0) }.compactMap { file -> UInt64? in
            if case .segment(let number) = file { number } else { nil }
        }
        #expect(try #require(numbers.max()) > 503)
        try store.close()
    }

    @Test("the number of a file that is gone is given to no other file, nor after opening again")
    func numbersOfRemovedFiles() throws {
        let disk = FaultInjectingFileSystem()
        let fixture = StoreFixture(disk)
        var configuration = StoreFixture.small()
        configuration.largeValueBytes = 2000
        for _ in 0..<4 {
            let store = try fixture.open(configuration)
            for number in 0..<300 { try store.put(key(number), [UInt8](repeating: 1, count: 500)) }
            try store.put(key(500), [UInt8](repeating: 1, count: 5000))
            // So that what has the greatest numbers goes.
            try store.deleteRange(from: [], to: [0xff])
            try store.compact()
            try store.close()
        }
        let created = disk.log.filter { $0.operation == .create }.compactMap { call in
            call.path.split(separator: "/").last.flatMap { StoreFile(name: String($0))?.number }
        }
        // How many depends on how flushes and compactions meet; each round makes a log, segments and a value file.
        #expect(created.count >= 12)
        #expect(Set(created).count == created.count, "\(created)")
    }

    @Test("a log with changes that the manifest does not name is refused")
    func unnamedLog() throws {
        let fixture = try closedStore()
        let manifest = try #require(try fixture.names(ending: ".manifest").first)
        // The manifest loses the edit that names the newest log.
        let store = try fixture.open()
        let before = try fixture.read(manifest)
        var number = 0
        let first = store.engine.writes.state.active.log?.number
        while store.engine.writes.lock.withLock({ store.engine.writes.state.active.log?.number == first }) {
            try store.put(key(number), [UInt8](repeating: 1, count: 200))
            number += 1
        }
        try store.put("in the new log".utf8, [1])
        let copy = try fixture.copy()
        try copy.write(before, to: manifest)
        #expect(StoreError.Code.of { try copy.open() } == .corrupt)
        try store.close()
    }

    @Test(
        "a log with changes that the manifest does not name is refused, not removed, if its header is torn, too",
        arguments: [64, 20, 5, 0])
    func unnamedLogWithoutHeader(_ kept: Int) throws {
        let fixture = StoreFixture()
        let store = try fixture.open()
        try store.put(key(1), [1])
        let manifest = try #require(try fixture.names(ending: ".manifest").first)
        let before = try fixture.read(manifest)
        try store.engine.beginNextLog()
        try store.put(key(2), [2])
        let log = StoreFile.log(try #require(store.engine.writes.state.active.log?.number)).name
        let copy = try fixture.copy()
        try copy.write(before, to: manifest)
        let whole = try copy.read(log)
        let header = Array(whole.prefix(kept)) + [UInt8](repeating: 0, count: FileHeader.size - kept)
        try copy.write(header + Array(whole.dropFirst(FileHeader.size)), to: log)
        let files = try copy.contents()
        do {
            _ = try copy.open()
            Issue.record("opened")
        } catch {
            #expect(error.code == .corrupt && error.file == copy.file(manifest), "\(error)")
            #expect(error.message.contains("lost its end") && error.message.contains("silt repair"))
        }
        #expect(try copy.contents() == files)
        // Without bytes behind the header, it is a log in the making.
        if kept == FileHeader.size { return }
        try copy.write(header + [UInt8](repeating: 0, count: 300 << 10), to: log)
        let again = try copy.open()
        #expect(try again.allEntries() == [Entry(key: key(1), value: [1])])
        #expect(try !copy.names().contains(log))
        try again.close()
    }

    @Test(
        "a log that has lost its header is not taken for one in the making: without CURRENT it shows that a store was here",
        arguments: [0, 5, 20])
    func lostHeader(_ kept: Int) throws {
        let fixture = StoreFixture()
        let store = try fixture.open()
        try store.put(key(1), [1])
        try store.close()
        try fixture.fileSystem.remove(fixture.file("CURRENT"))
        let log = try #require(try fixture.names(ending: ".log").first)
        let whole = try fixture.read(log)
        let header = Array(whole.prefix(kept)) + [UInt8](repeating: 0, count: FileHeader.size - kept)
        try fixture.write(header + Array(whole.dropFirst(FileHeader.size)), to: log)
        var configuration = StoreFixture.small()
        for readOnly in [true, false] {
            let before = try fixture.contents()
            configuration.readOnly = readOnly
            do {
                _ = try fixture.open(configuration)
                Issue.record("opened")
            } catch {
                #expect(error.code == .corrupt && error.file == fixture.file("CURRENT"), "\(error)")
                #expect(error.message.contains("silt repair"))
            }
            #expect(try fixture.contents() == before)
        }
        // Without bytes behind the header, however long it is, it is a log in the making.
        for zeros in [0, 1, 300 << 10] {
            let copy = try fixture.copy()
            try copy.write(header + [UInt8](repeating: 0, count: zeros), to: log)
            let new = try copy.open()
            #expect(try new.allEntries().isEmpty)
            try new.close()
        }
        configuration.fileSystem = fixture.fileSystem
        let report = try KeyValueStore.repair(at: fixture.path, configuration: configuration)
        #expect(!report.wasClean)
        let repaired = try fixture.open()
        #expect(try repaired.get(key(1)) == [1])
        try repaired.close()
    }

    @Test("a second open is refused, and names the owner", arguments: [false, true])
    func locked(_ readOnly: Bool) throws {
        for fixture in [StoreFixture(), try StoreFixture(onDisk: ())] {
            let store = try fixture.open()
            var configuration = StoreFixture.small()
            configuration.readOnly = readOnly
            do {
                _ = try fixture.open(configuration)
                Issue.record("opened twice")
            } catch {
                #expect(error.code == .locked)
                if fixture.fileSystem is POSIXFileSystem {
                    #expect(error.message.contains("process \(Platform.processIdentifier)"))
                }
            }
            try store.close()
            try fixture.open(configuration).close()
        }
    }

    @Test(
        "opening for reading changes nothing on disk, even where logs are torn, and may be done twice",
        arguments: [false, true])
    func readOnly(_ torn: Bool) throws {
        let fixture = StoreFixture()
        let store = try fixture.open()
        for number in 0..<1000 { try store.put(key(number), [UInt8](repeating: 1, count: 100)) }
        try store.flush()
        try store.put(key(1000), [1])
        try store.put(key(1001), [1])
        let copy = try fixture.copy()
        try store.close()
        try copy.write([], to: "LOCK")
        try copy.write([1], to: "000900.segment")
        if torn {
            let log = try #require(store.engine.writes.state.active.log)
            try copy.flip(StoreFile.log(log.number).name, at: log.end - 40)
        }
        let before = try copy.contents()
        var configuration = StoreFixture.small()
        configuration.readOnly = true
        let one = try copy.open(configuration)
        let two = try copy.open(configuration)
        for reader in [one, two] {
            #expect(try reader.allEntries().count >= 1001)
            #expect(StoreError.Code.of { try reader.put("a".utf8, "b".utf8) } == .readOnly)
            #expect(StoreError.Code.of { try reader.flush() } == .readOnly)
            #expect(StoreError.Code.of { try reader.compact() } == .readOnly)
            _ = try reader.verify()
            _ = reader.statistics
        }
        #expect(StoreError.Code.of { try copy.open() } == .locked)
        try one.close()
        try two.close()
        #expect(try copy.contents() == before)
        #expect(try copy.names().contains("000900.segment"))
    }

    @Test("paths that hold no store are told apart: none, a file, something else")
    func noStore() throws {
        let fixture = StoreFixture()
        var configuration = StoreFixture.small()
        configuration.createIfMissing = false
        #expect(StoreError.Code.of { try fixture.open(configuration) } == .notFound)
        configuration.createIfMissing = true
        configuration.readOnly = true
        #expect(StoreError.Code.of { try fixture.open(configuration) } == .notFound)
        try fixture.fileSystem.createDirectory(fixture.path)
        #expect(StoreError.Code.of { try fixture.open(configuration) } == .notFound)
        try fixture.write([1], to: "photo.jpg")
        #expect(StoreError.Code.of { try fixture.open() } == .notAStore)
        #expect(try fixture.names() == ["photo.jpg"])
        configuration = StoreFixture.small()
        configuration.fileSystem = fixture.fileSystem
        let file = fixture.file("photo.jpg")
        #expect(StoreError.Code.of { try KeyValueStore.open(at: file, configuration: configuration) } == .notAStore)
        let deep = fixture.path + "/a/b"
        #expect(StoreError.Code.of { try KeyValueStore.open(at: deep, configuration: configuration) } == .notFound)
        #expect(StoreError.Code.of { try KeyValueStore.open(at: "", configuration: configuration) } == .invalidArgument)
    }

    @Test("a store that another process is just making is not taken for something else")
    func inTheMaking() throws {
        let fixture = try closedStore()
        let (new, current) = (fixture.file(StoreFile.temporaryCurrent.name), fixture.file(StoreFile.current.name))
        let files = fixture.fileSystem
        try files.rename(current, to: new)
        let disk = FaultInjectingFileSystem(files)
        // The other one renames the file between the listing of the directory and the look into it.
        disk.setRule { call in
            if call.operation == .open, call.path == new { try? files.rename(new, to: current) }
            return nil
        }
        let store = try StoreFixture(disk, path: fixture.path).open()
        #expect(try store.allEntries().count == 502)
        try store.close()
    }

    @Test("a crash at any point of making a store leaves what the next opening makes whole")
    func creation() throws {
        let whole = StoreFixture()
        try whole.open().close()
        // Each set of files that may be there before CURRENT is.
        let files = try whole.contents().filter { $0.key != "CURRENT" }
        for missing in files.keys.sorted() + [""] {
            let copy = try StoreFixture(contents: files.filter { $0.key != missing })
            let store = try copy.open()
            try store.put("a".utf8, "b".utf8)
            try store.close()
            #expect(try copy.open().get("a".utf8) == Array("b".utf8))
        }
    }

    @Test("opening and closing again and again neither grows the store nor changes what it holds")
    func again() throws {
        let fixture = try closedStore()
        var sizes: [Int] = []
        for _ in 0..<12 {
            let store = try fixture.open()
            #expect(try store.allEntries().count == 502)
            try store.close()
            sizes.append(try fixture.totalBytes())
        }
        #expect(try #require(sizes.last) - sizes[0] < 4096)
        #expect(try fixture.names(ending: ".log").count <= 2)
    }
}
