import SiltstoneTesting
import Testing

@testable import Siltstone

/// What `verify` and `repair` make of damaged stores.
struct DamageTests {
    /// A closed store with files of each kind: two levels, value files, and changes in the log.
    private func store(_ configuration: Configuration = DamageTests.configuration()) throws -> StoreFixture {
        let fixture = StoreFixture()
        let store = try fixture.open(configuration)
        for number in 0..<2000 { try store.put(key(number), [UInt8](repeating: 1, count: 100)) }
        for number in 0..<5 { try store.put(key(5000 + number), [UInt8](repeating: 2, count: 3000)) }
        try store.compact()
        for number in 0..<100 { try store.put(key(number * 20), [UInt8](repeating: 3, count: 100)) }
        try store.delete(key(1))
        try store.flush()
        for number in 0..<20 { try store.put(key(9000 + number), [UInt8](repeating: 4, count: 10)) }
        try store.close()
        return fixture
    }

    private static func configuration() -> Configuration {
        var configuration = StoreFixture.small()
        configuration.automaticCompaction = false
        configuration.largeValueBytes = 2000
        configuration.access = .read
        configuration.cacheBytes = 0
        return configuration
    }

    private func repaired(_ fixture: StoreFixture) throws -> RepairReport {
        var configuration = Self.configuration()
        configuration.fileSystem = fixture.fileSystem
        return try KeyValueStore.repair(at: fixture.path, configuration: configuration)
    }

    @Test("verify finds nothing in a well store, and reads all of it")
    func well() throws {
        let fixture = try store()
        let store = try fixture.open(Self.configuration())
        var last = 0
        let report = try store.verify { progress in
            #expect(progress.bytesChecked >= last)
            last = progress.bytesChecked
        }
        #expect(report.problems == [])
        #expect(report.isClean)
        #expect(report.recordsChecked >= 2125)
        #expect(report.bytesChecked > 200_000)
        #expect(report.filesChecked >= 6)
        try store.close()
    }

    @Test(
        "a read that the disk refuses is an error of verify and of repair, also where files are mapped",
        arguments: [".log", ".manifest"])
    func refusedRead(_ suffix: String) throws {
        let fixture = try store()
        let disk = FaultInjectingFileSystem(fixture.fileSystem)
        var configuration = Self.configuration()
        configuration.access = .mapped
        configuration.fileSystem = disk
        let refusal = FaultRule { $0.operation == .read && $0.path.hasSuffix(suffix) ? .inputOutput : nil }
        let store = try StoreFixture(disk, path: fixture.path).open(configuration)
        disk.setRule(refusal)
        #expect(StoreError.Code.of { try store.verify() } == .inputOutput)
        disk.setRule(.none)
        #expect(try store.verify().problems == [])
        try store.close()
        let files = try fixture.contents()
        disk.setRule(refusal)
        let repair = { try KeyValueStore.repair(at: fixture.path, configuration: configuration) }
        #expect(StoreError.Code.of(repair) == .inputOutput)
        disk.setRule(.none)
        #expect(try fixture.contents() == files)
        #expect(try repair().wasClean)
    }

    @Test("a log with more records than a segment holds becomes several segments", arguments: [false, true])
    func largeLog(_ isManifestLost: Bool) throws {
        let fixture = StoreFixture()
        var configuration = Self.configuration()
        configuration.memTableBytes = 1 << 20
        let store = try fixture.open(configuration)
        for number in 0..<500 { try store.put(key(number), [UInt8](repeating: 1, count: 100)) }
        try store.flush()
        for number in 0..<1000 { try store.put(key(number), [UInt8](repeating: 2, count: 100)) }
        try store.deleteRange(from: key(400), to: key(600))
        let expected = try store.allEntries()
        let copy = try fixture.copy()
        try store.close()
        let damaged = isManifestLost ? StoreFile.current.name : try #require(try copy.names(ending: ".segment").first)
        try copy.flip(damaged, at: 100 % (try copy.read(damaged).count))
        configuration.fileSystem = copy.fileSystem
        var repair = StoreRepair(directory: copy.path, configuration: configuration, progress: nil)
        repair.logSegmentBytes = 16 << 10
        let report = try repair.run()
        #expect(!report.wasClean)
        #expect(try copy.names(ending: ".segment").count > 5)
        let again = try copy.open(configuration)
        #expect(try again.allEntries() == expected)
        #expect(try again.verify().problems == [])
        try again.close()
    }

    /// Puts another manifest in force: a state as its first edit, then `frames`.
    private func replaceManifest(
        of fixture: StoreFixture, by change: (inout ManifestState) -> Void, frames: [FrameKind] = []
    ) throws -> String {
        var configuration = Self.configuration()
        configuration.fileSystem = fixture.fileSystem
        let opener = StoreOpener(directory: fixture.path, configuration: configuration)
        let found = try opener.readManifest(try #require(try CurrentFile.read(in: fixture.path, fixture.fileSystem)))
        var state = found.state
        let number = state.nextFileNumber + 100
        state.nextFileNumber = number + 1
        change(&state)
        let writer = try Manifest.create(
            number: number, state: state, identity: found.header.store, in: fixture.path, fixture.fileSystem)
        for kind in frames { try writer.append(frame: kind) }
        try writer.close()
        return fixture.file(StoreFile.manifest(number).name)
    }

    @Test("changes behind the manifest's last sequence number, which readers would not see, are told, and repaired")
    func hiddenChanges() throws {
        // Without a log that shows it: as a checkpoint, or after a repair.
        let fixture = try store()
        let well = try fixture.open(Self.configuration())
        try well.checkpoint(to: "/checkpoint")
        let expected = try well.allEntries()
        let checkpoint = StoreFixture(fixture.fileSystem, path: "/checkpoint")
        let manifest = try replaceManifest(of: checkpoint) { $0.lastSequence -= 1 }
        // Opening tells, whoever opens; and so does verifying, should it happen to a store that is open.
        for isReader in [true, false] {
            var configuration = Self.configuration()
            configuration.readOnly = isReader
            do {
                _ = try checkpoint.open(configuration)
                Issue.record("opened")
            } catch {
                #expect(error.code == .corrupt && error.file == manifest && error.offset == FileHeader.size)
            }
        }
        let open = try replaceManifest(of: fixture) { $0.lastSequence = 7 }
        #expect(try well.verify().problems.map(\.file) == [open])
        let report = try repaired(checkpoint)
        #expect(!report.wasClean && report.losses == [])
        let again = try checkpoint.open(Self.configuration())
        #expect(try again.allEntries() == expected)
        #expect(try again.verify().problems == [])
        try again.close()
    }

    @Test("a batch with fewer changes than its frame says is a problem of the log, as it is for an opening")
    func miscountedBatch() throws {
        var configuration = Self.configuration()
        configuration.tidiesWhenIdle = false
        let fixture = StoreFixture()
        let store = try fixture.open(configuration)
        try store.put(key(1), [1])
        let log = try #require(store.engine.writes.contents.tables.last?.log)
        let offset = log.end
        var batch = WriteBatch()
        batch.put(key(2), [2])
        try batch.payload.withBytes { try log.append(batch: $0, firstSequence: 2, count: 2) }
        let problems = try store.verify().problems
        #expect(problems.map(\.file) == [log.path])
        #expect(problems.map(\.offset) == [offset])
        try store.close()
        do {
            _ = try fixture.open(configuration)
            Issue.record("opened")
        } catch {
            #expect(error.code == .corrupt && error.file == log.path && error.offset == offset)
        }
    }

    @Test("frames may follow the close of a manifest; a frame of a log in it is damage")
    func foreignFrames() throws {
        let fixture = try store()
        _ = try replaceManifest(of: fixture, by: { _ in }, frames: [.close])
        try fixture.open(Self.configuration()).close()
        for kind in [FrameKind.batch, .link] {
            let copy = try fixture.copy()
            let manifest = try replaceManifest(of: copy, by: { _ in }, frames: [.close, kind])
            do {
                _ = try copy.open(Self.configuration())
                Issue.record("opened")
            } catch { #expect(error.code == .corrupt && error.file == manifest) }
        }
    }

    @Test("verify names file and offset of a flipped bit, in each kind of file, of an open store")
    func flips() throws {
        let fixture = try store()
        for name in try fixture.names() where name.contains(".") {
            let size = try fixture.read(name).count
            let offsets = name.hasSuffix(".values") ? [10, 64 + 30, 64 + 2000] : [10, 70, size / 3, size / 2]
            for offset in offsets where offset < size {
                let copy = try fixture.copy()
                let store = try copy.open(Self.configuration())
                let file = try copy.fileSystem.open(copy.file(name), .readWrite)
                var byte = try file.readAll()[offset]
                byte ^= 4
                try file.writeFully([byte], at: offset)
                let report = try store.verify()
                let problem = report.problems.first
                #expect(problem?.file == copy.file(name), "\(name), offset \(offset): \(report.problems)")
                if let found = problem?.offset {
                    #expect(abs(found - offset) <= 16 << 10, "\(name), offset \(offset): \(report.problems)")
                }
                // Reads meet the damage as an error, never as wrong bytes or an end.
                if name.hasSuffix(".segment"), offset > 64 {
                    let code = StoreError.Code.of { try store.allEntries() }
                    #expect(code == .corrupt || code == nil)
                }
            }
        }
    }

    @Test("verify of an open store notices a manifest that has lost its last edit, though what is left of it is whole")
    func shortenedManifest() throws {
        let fixture = try store()
        let store = try fixture.open(Self.configuration())
        let manifest = try #require(try fixture.names(ending: ".manifest").first)
        let before = try fixture.read(manifest).count
        try store.put(key(1), [1])
        try store.flush()
        #expect(try store.verify().isClean)
        try fixture.fileSystem.open(fixture.file(manifest), .readWrite).truncate(to: before)
        #expect(try store.verify().problems.map(\.file) == [fixture.file(manifest)])
        try store.close()
    }

    @Test("repair changes nothing in a store that is well")
    func nothingToRepair() throws {
        let fixture = try store()
        let before = try fixture.contents()
        let report = try repaired(fixture)
        #expect(report.wasClean)
        #expect(try fixture.contents() == before)
    }

    @Test("repair of a flipped bit, anywhere in any file, brings back all that is proved, and loses a block at most")
    func repairFlips() throws {
        let fixture = try store()
        let whole = try fixture.open(Self.configuration())
        let entries = try whole.allEntries()
        let values = Dictionary(uniqueKeysWithValues: entries.map { ($0.key, $0.value) })
        try whole.close()
        for name in try fixture.names() where name != "LOCK" {
            let size = try fixture.read(name).count
            for part in 0..<4 {
                let copy = try fixture.copy()
                try copy.flip(name, at: (part * 2 + 1) * (size - 1) / 8)
                let report = try repaired(copy)
                let store = try copy.open(Self.configuration())
                #expect(try store.verify().problems.isEmpty)
                let found = try store.allEntries()
                #expect(found.count >= entries.count - 60, "\(name), part \(part): \(report)")
                // What came back is what was: only a lost newer version may show an older one, and a lost removal a key.
                let strangers = found.filter { values[$0.key] != $0.value }
                #expect(strangers.count <= 40, "\(name), part \(part): \(strangers.count)")
                if found != entries { #expect(!report.losses.isEmpty, "\(name), part \(part)") }
                try store.put("new".utf8, "value".utf8)
                try store.flush()
                try store.close()
            }
        }
    }

    @Test(
        "repair brings back what is left where a file is missing",
        arguments: [".segment", ".log", ".values", ".manifest", "CURRENT"])
    func repairMissing(_ suffix: String) throws {
        let fixture = try store()
        for name in try fixture.names() where name.hasSuffix(suffix) {
            let copy = try fixture.copy()
            try copy.fileSystem.remove(copy.file(name))
            let report = try repaired(copy)
            #expect(!report.wasClean)
            let store = try copy.open(Self.configuration())
            let found = try store.allEntries().count
            if suffix == "CURRENT" || suffix == ".manifest" { #expect(found >= 2024, "\(name): \(report)") }
            if suffix == ".segment" || suffix == ".log" || suffix == ".values" {
                #expect(!report.losses.isEmpty, "\(name)")
            }
            #expect(try store.verify().problems.isEmpty)
            try store.close()
        }
    }

    @Test("repair of a store whose manifest lost its last edits finds what these named, in the right order")
    func lostEdits() throws {
        let fixture = StoreFixture()
        let store = try fixture.open(Self.configuration())
        func fill(_ range: Range<Int>, _ byte: UInt8) throws {
            for number in range { try store.put(key(number), [UInt8](repeating: byte, count: 100)) }
            try store.flush()
        }
        try fill(0..<1000, 1)
        try fill(0..<800, 2)
        let manifest = try #require(try fixture.names(ending: ".manifest").first)
        let old = try fixture.read(manifest)
        try store.compact()
        try fill(0..<500, 3)
        try fill(0..<300, 4)
        try store.delete(key(0))
        try store.flush()
        try store.put(key(1), [5])
        let expected = try store.allEntries()
        try store.sync()
        let copy = try fixture.copy()
        try copy.write(old, to: manifest)
        #expect(StoreError.Code.of { try copy.open(Self.configuration()) } == .corrupt)
        let report = try repaired(copy)
        let again = try copy.open(Self.configuration())
        #expect(try again.allEntries() == expected, "\(report)")
        #expect(try again.verify().problems == [])
        try again.compact()
        #expect(try again.allEntries() == expected)
        try again.close()
        try store.close()
    }

    @Test("a value that was read when it was well, and has rotted since, is found by a verification")
    func rottenValue() throws {
        let fixture = StoreFixture()
        var configuration = StoreFixture.small()
        configuration.largeValueBytes = 1000
        let store = try fixture.open(configuration)
        let value = [UInt8](repeating: 7, count: 3000)
        try store.put(key(1), value)
        try store.flush()
        #expect(try store.get(key(1)) == value && store.verify().isClean)
        let name = try #require(try fixture.names(ending: ".values").first)
        let file = try fixture.fileSystem.open(fixture.file(name), .readWrite)
        let bytes = try fixture.read(name)
        let place = try #require(bytes.indices.first { bytes[$0...].starts(with: value.prefix(100)) })
        try file.writeFully([8], at: place + 50)
        try file.close()
        let problems = try store.verify().problems
        #expect(problems.count == 1 && problems.first?.message.contains("checksum") == true, "\(problems)")
        try store.close()
    }

    @Test("repair refuses a store that is in use, and a directory that is none, without touching it")
    func refused() throws {
        let fixture = try store()
        let store = try fixture.open(Self.configuration())
        #expect(StoreError.Code.of { try repaired(fixture) } == .locked)
        try store.close()
        let foreign = StoreFixture()
        #expect(StoreError.Code.of { try repaired(foreign) } == .notFound)
        try foreign.fileSystem.createDirectory(foreign.path)
        try foreign.write([1], to: "photo.jpg")
        #expect(StoreError.Code.of { try repaired(foreign) } == .notAStore)
        #expect(try foreign.names() == ["photo.jpg"])
    }

    @Test(
        "the database of LevelDB or RocksDB, whose files have the same names, is refused and not touched",
        arguments: [[], [0, 0, 0, 0], Array("\u{b}\u{1}\u{2}\u{3}\u{20}\u{0}\u{1}a batch of LevelDB".utf8)])
    func otherDatabase(_ log: [UInt8]) throws {
        let foreign = StoreFixture()
        try foreign.fileSystem.createDirectory(foreign.path)
        try foreign.write(Array("MANIFEST-000004\n".utf8), to: "CURRENT")
        try foreign.write(Array("leveldb.BytewiseComparator".utf8), to: "MANIFEST-000004")
        try foreign.write([], to: "LOCK")
        try foreign.write(log, to: "000003.log")
        try foreign.write([1, 2, 3], to: "000005.ldb")
        let before = try foreign.contents()
        #expect(StoreError.Code.of { try repaired(foreign) } == .notAStore)
        #expect(try foreign.contents() == before)
        for readOnly in [true, false] {
            var configuration = Self.configuration()
            configuration.readOnly = readOnly
            #expect(StoreError.Code.of { try foreign.open(configuration) } == .notAStore)
            #expect(try foreign.contents() == before)
        }
    }

    @Test("files that cannot all be linked are moved, and no old name is left", arguments: 0..<3)
    func unlinkable(_ linked: Int) throws {
        let disk = FaultInjectingFileSystem()
        let fixture = StoreFixture(disk)
        let store = try fixture.open(Self.configuration())
        try store.put("key".utf8, "value".utf8)
        try store.flush()
        try store.close()
        // Without its manifest, the store is not well.
        for name in try fixture.names(ending: ".manifest") { try disk.remove(fixture.path + "/" + name) }
        let damaged = ["000900.segment", "000901.segment", "000902.segment"]
        for name in damaged { try fixture.write([1, 2, 3], to: name) }
        disk.setRule(
            .from(linked, times: .max, where: { $0.operation == .link }) { _ in .error(Platform.notPermitted) })
        let report = try repaired(fixture)
        disk.setRule(.none)
        #expect(report.damagedFiles.count >= damaged.count)
        for path in report.damagedFiles { #expect(try disk.attributes(of: path) != nil, "\(path)") }
        #expect(Set(try fixture.names()).isDisjoint(with: damaged))
        let again = try fixture.open(Self.configuration())
        #expect(try again.get("key".utf8) == Array("value".utf8))
        try again.close()
    }
}
