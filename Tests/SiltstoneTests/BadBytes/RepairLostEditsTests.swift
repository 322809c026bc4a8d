import SiltstoneTesting
import Testing

@testable import Siltstone

/// Repair with a manifest that has lost its last edits: it names inputs of compactions instead of their outputs.
struct RepairLostEditsTests {
    private let identity = StoreIdentity(high: 3, low: 4)

    /// - Parameters:
    ///   - isNumbered: false if the compaction has left its old records without sequence numbers.
    ///   - isInputLeft: true if the input that the manifest knows is still there.
    @Test(
        "the output of a compaction stays older than what was newer than its inputs", arguments: [true, false],
        [true, false])
    func outputBelowNewer(isNumbered: Bool, isInputLeft: Bool) throws {
        let fixture = StoreFixture()
        try fixture.fileSystem.createDirectory(fixture.path)
        // In level 1, above the input in level 2, and no part of the compaction.
        let upper = try fixture.makeSegment(
            3, of: identity, [("a", 150, "new"), ("b", 160, nil)],
            ranges: [RangeTombstone(start: Array("p".utf8), end: Array("r".utf8), sequence: 170)])
        let input = try fixture.makeSegment(
            4, of: identity, [("a", 50, "old"), ("b", 40, "removed"), ("q", 45, "removed with its range")])
        if !isInputLeft { try fixture.fileSystem.remove(fixture.file(StoreFile.segment(4).name)) }
        // The manifest knows neither segment 6, which held the newest record, nor its compaction with segment 4.
        func number(_ sequence: SequenceNumber) -> SequenceNumber { isNumbered ? sequence : 0 }
        try fixture.makeSegment(
            7, of: identity,
            [
                ("a", number(50), "old"), ("b", number(40), "removed"), ("n", 250, "newest"),
                ("q", number(45), "removed with its range"),
            ])
        // The log was removed after the flush of segment 6.
        let state = ManifestState(
            nextFileNumber: 6, logs: [5],
            segments: [3: .init(info: upper, level: 1, run: 3), 4: .init(info: input, level: 2, run: 4)],
            lastSequence: 200)
        _ = try Manifest.create(
            number: 2, state: state, identity: identity, in: fixture.path, fixture.fileSystem)
        try repair(fixture)
        let store = try fixture.open()
        for _ in 0..<2 {
            let entries = try store.allEntries().map { [$0.key, $0.value].map { String(decoding: $0, as: UTF8.self) } }
            #expect(entries == [["a", "new"], ["n", "newest"]])
            for removed in ["b", "q"] { #expect(try store.get(removed.utf8) == nil) }
            #expect(try store.get("a".utf8) == Array("new".utf8))
            #expect(try store.verify().problems == [])
            try store.compact()
        }
        try store.close()
    }

    /// Makes a store whose manifest names segments 3 and 4, of which neither is newer for every key, and no segment 7,
    /// which has these records. It does not open, because a log was removed that the manifest names.
    private func makeLeftover(
        _ records: [(key: String, sequence: SequenceNumber, value: String?)]
    ) throws -> StoreFixture {
        let fixture = StoreFixture()
        try fixture.fileSystem.createDirectory(fixture.path)
        let upper = try fixture.makeSegment(3, of: identity, [("a", 150, "new"), ("b", 30, nil)])
        let lower = try fixture.makeSegment(
            4, of: identity, [("a", 50, "old"), ("b", 20, "removed"), ("c", 40, "in one segment")])
        try fixture.makeSegment(7, of: identity, records)
        let state = ManifestState(
            nextFileNumber: 6, logs: [5],
            segments: [3: .init(info: upper, level: 1, run: 3), 4: .init(info: lower, level: 2, run: 4)],
            lastSequence: 200)
        _ = try Manifest.create(number: 2, state: state, identity: identity, in: fixture.path, fixture.fileSystem)
        return fixture
    }

    private func segments(_ numbers: [UInt64]) -> [String] { numbers.map { StoreFile.segment($0).name } }

    private func entries(of fixture: StoreFixture) throws -> [[String]] {
        let store = try fixture.open(configuration)
        #expect(try store.verify().problems == [])
        let entries = try store.allEntries().map { [$0.key, $0.value].map { String(decoding: $0, as: UTF8.self) } }
        try store.close()
        return entries
    }

    private static let numbered: [(key: String, sequence: SequenceNumber, value: String?)] = [
        ("a", 150, "new"), ("b", 30, nil), ("c", 40, "in one segment"),
    ]

    @Test("an output is left out if its records have their numbers and the manifest's segments are intact")
    func nothingNew() throws {
        let fixture = try makeLeftover(Self.numbered)
        let report = try repair(fixture)
        #expect(try fixture.names(ending: ".segment") == segments([3, 4]))
        #expect(report.damagedFiles.contains { $0.hasSuffix(StoreFile.segment(7).name) })
        #expect(try entries(of: fixture) == [["a", "new"], ["c", "in one segment"]])
    }

    @Test("an output is kept if a segment that the manifest names is damaged")
    func damagedInput() throws {
        let fixture = try makeLeftover(Self.numbered)
        // In its only block.
        try fixture.flip(StoreFile.segment(4).name, at: FileHeader.size + 8)
        try repair(fixture)
        #expect(try entries(of: fixture) == [["a", "new"], ["c", "in one segment"]])
    }

    @Test("segments stay as they are if those that the manifest does not name have other keys")
    func otherKeys() throws {
        let fixture = try makeLeftover([("x", 0, "moved"), ("y", 60, "as well")])
        try repair(fixture)
        #expect(try fixture.names(ending: ".segment") == segments([3, 4, 7]))
        #expect(
            try entries(of: fixture) == [
                ["a", "new"], ["c", "in one segment"], ["x", "moved"], ["y", "as well"],
            ])
    }

    @Test("a torn segment without a record, and that of another store, leave all others as they are")
    func useless() throws {
        let fixture = try makeLeftover(Self.numbered)
        let name = StoreFile.segment(7).name
        try fixture.write(Array(try fixture.read(name).prefix(FileHeader.size + 20)), to: name)
        try fixture.makeSegment(8, of: StoreIdentity(high: 5, low: 6), [("a", 0, "foreign")])
        let report = try repair(fixture)
        #expect(try fixture.names(ending: ".segment") == segments([3, 4]))
        for number in [7, 8] as [UInt64] {
            #expect(report.losses.contains { $0.file.hasSuffix(StoreFile.segment(number).name) })
        }
        #expect(try entries(of: fixture) == [["a", "new"], ["c", "in one segment"]])
    }

    @Test("the output of a compaction is kept if the manifest knows none of its inputs")
    func unknownInputs() throws {
        let fixture = StoreFixture()
        let before = try fixture.open(configuration)
        for number in 0..<100 { try before.put(key(number), [1]) }
        try before.compact()
        let known = try fixture.contents()
        for round in 2..<4 {
            for number in 1000..<1100 { try before.put(key(number), [UInt8(round)]) }
            try before.flush()
        }
        // Merges the two flushed segments alone. Nothing is below them, so the records lose their sequence numbers.
        try before.compact(from: key(1000), to: nil)
        try before.close()
        let copy = try fixture.copy()
        try restoreManifest(of: known, in: copy)
        try repair(copy)
        let store = try copy.open(configuration)
        for number in 0..<100 { #expect(try store.get(key(number)) == [1]) }
        for number in 1000..<1100 { #expect(try store.get(key(number)) == [3]) }
        #expect(try store.verify().problems == [])
        try store.close()
    }

    @Test("wherever the removal of a compaction's inputs stops, the newest versions count")
    func inputsPartlyRemoved() throws {
        let files = RemovalRecord(InMemoryFileSystem())
        let fixture = StoreFixture(files)
        let before = try fixture.open(configuration)
        var model: [Int: [UInt8]] = [:]
        func put(_ numbers: Range<Int>, _ value: [UInt8]) throws {
            for number in numbers {
                try before.put(key(number), value)
                model[number] = value
            }
        }
        func delete(_ numbers: Range<Int>) throws {
            for number in numbers {
                try before.delete(key(number))
                model[number] = nil
            }
        }
        // The oldest input has no sequence numbers, and its value file is mostly garbage.
        try put(0..<200, [1])
        try put(150..<170, large(1))
        try before.flush()
        try put(160..<170, [1])
        try before.compact()
        try put(50..<150, [2])
        try put(152..<158, large(2))
        try delete(20..<30)
        try before.flush()
        try put(80..<120, [3])
        try put(25..<28, [3])
        try put(154..<156, [3])
        try delete(140..<145)
        try before.deleteRange(from: key(60), to: key(65))
        for number in 60..<65 { model[number] = nil }
        try before.flush()
        let inputs = try fixture.contents()
        try before.compact()
        try before.close()
        // Value files, too: the compaction moves what is left in the first one.
        let removed = files.names.filter { !$0.hasSuffix(".log") && inputs[$0] != nil }
        #expect(removed.filter { $0.hasSuffix(".segment") }.count == 3)
        for count in 0...removed.count {
            let copy = try fixture.copy()
            for name in removed.dropFirst(count) { try copy.write(try #require(inputs[name]), to: name) }
            try restoreManifest(of: inputs, in: copy)
            try repair(copy)
            let store = try copy.open(configuration)
            for number in 0..<200 {
                #expect(try store.get(key(number)) == model[number], "\(number), removed: \(removed.prefix(count))")
            }
            #expect(try store.verify().problems == [])
            try store.close()
        }
    }

    @Test("wherever an opening stops that removes a compaction's inputs, the newest versions count")
    func inputsRemovedByOpening() throws {
        let base = InMemoryFileSystem()
        let fixture = StoreFixture(base)
        try base.createDirectory(fixture.path)
        // Files of a store whose process died right after the edit that replaces 3, 4 and 1 by 7.
        let upper = try fixture.makeSegment(3, of: identity, [("a", 150, "new"), ("b", 160, nil)])
        let lower = try fixture.makeSegment(4, of: identity, [("a", 50, "old"), ("b", 40, "removed")])
        let merged = try fixture.makeSegment(7, of: identity, [("a", 0, "new")])
        try fixture.write(FileHeader(kind: .values, store: identity, number: 1).encoded(), to: StoreFile.values(1).name)
        let log = try LogWriter.create(
            base, path: fixture.file(StoreFile.log(5).name),
            header: FileHeader(kind: .log, store: identity, number: 5))
        try log.append(link: LogLink(lastSequence: 200))
        try log.seal()
        let state = ManifestState(
            nextFileNumber: 6, logs: [5],
            segments: [3: .init(info: upper, level: 1, run: 3), 4: .init(info: lower, level: 2, run: 4)],
            valueFiles: [1], lastSequence: 200)
        let manifest = try Manifest.create(number: 2, state: state, identity: identity, in: fixture.path, base)
        let lastEdit = manifest.end
        let edit = VersionEdit(
            nextFileNumber: 8, addedSegments: [.init(info: merged, level: 2, run: 4)], removedSegments: [3, 4],
            removedValueFiles: [1])
        try edit.encoded().withBytes { try manifest.append(frame: .edit, payload: $0) }
        try manifest.close()

        let disk = FaultInjectingFileSystem(base)
        let images = Locked<[[String: [UInt8]]]>([])
        disk.setRule { call in
            guard call.operation == .remove else { return nil }
            do {
                let image = try fixture.contents()
                images.withLock { $0.append(image) }
            } catch { Issue.record("\(error)") }
            return nil
        }
        let store = try StoreFixture(disk).open(configuration)
        let removed = disk.log.filter { $0.operation == .remove }.map(\.path)
        let expected: [StoreFile] = [.segment(4), .segment(3), .values(1)]
        #expect(removed == expected.map { fixture.file($0.name) })
        #expect(try store.allEntries().map(\.value) == [Array("new".utf8)])
        try store.close()
        let last = try fixture.contents()
        for (count, image) in (images.withLock { $0 } + [last]).enumerated() {
            let copy = try StoreFixture(contents: image)
            try copy.flip(StoreFile.manifest(2).name, at: lastEdit + FrameHeader.size)
            try repair(copy)
            #expect(try entries(of: copy) == [["a", "new"]], "removed: \(removed.prefix(count))")
        }
    }

    /// Three values of one key in a segment each, none of which a compaction has seen.
    private func makeThreeRuns(_ fixture: StoreFixture) throws -> KeyValueStore {
        let store = try fixture.open(configuration)
        for value in 1...3 {
            try store.put(key(0), [UInt8(value)])
            try store.flush()
        }
        // Removes the logs, too.
        store.settle()
        return store
    }

    @Test("an input of a compaction that cannot be removed keeps the newer ones, until it can")
    func inputNotRemoved() throws {
        let disk = FaultInjectingFileSystem()
        let fixture = StoreFixture(disk)
        let store = try makeThreeRuns(fixture)
        let inputs = try fixture.contents()
        let segments = inputs.keys.filter { $0.hasSuffix(".segment") }.sorted()
        try #require(segments.count == 3)
        let stuck = fixture.file(segments[1])
        disk.setRule(.from(0, where: { $0.operation == .remove && $0.path == stuck }) { _ in .inputOutput })
        try store.compact()
        #expect(disk.faults.count == 1)
        #expect(try fixture.names().filter { segments.contains($0) } == Array(segments[1...]))
        let copy = try fixture.copy()
        try restoreManifest(of: inputs, in: copy)
        try repair(copy)
        let repaired = try copy.open(configuration)
        #expect(try repaired.get(key(0)) == [3])
        try repaired.close()
        try store.put(key(1), [1])
        try store.compact()
        #expect(try fixture.names(ending: ".segment").count == 1)
        try store.close()
    }

    @Test("a flush into a store that a compaction has emptied stays newer than inputs that could not be removed")
    func flushBesideInputs() throws {
        let disk = FaultInjectingFileSystem()
        let fixture = StoreFixture(disk)
        let store = try fixture.open(configuration)
        try store.put(key(0), [1])
        try store.flush()
        try store.delete(key(0))
        try store.flush()
        store.settle()
        let inputs = try fixture.contents()
        let segments = inputs.keys.filter { $0.hasSuffix(".segment") }.sorted()
        try #require(segments.count == 2)
        let stuck = fixture.file(segments[0])
        disk.setRule { $0.operation == .remove && $0.path == stuck ? .inputOutput : nil }
        try store.compact()
        #expect(store.statistics.segmentRecords == 0)
        try store.put(key(0), [2])
        try store.flush()
        store.settle()
        let copy = try fixture.copy()
        try restoreManifest(of: inputs, in: copy)
        try repair(copy)
        let repaired = try copy.open(configuration)
        #expect(try repaired.get(key(0)) == [2])
        try repaired.close()
        disk.setRule(.none)
        try store.close()
    }

    @Test("inputs that an opening cannot remove keep newer ones, until it can")
    func inputNotRemovedByOpening() throws {
        let disk = FaultInjectingFileSystem()
        let fixture = StoreFixture(disk)
        let store = try makeThreeRuns(fixture)
        let segments = try fixture.names(ending: ".segment").sorted()
        try #require(segments.count == 3)
        let stuck = fixture.file(segments[1])
        disk.setRule { $0.operation == .remove && $0.path == stuck ? .inputOutput : nil }
        try store.compact()
        let output = try fixture.names(ending: ".segment").filter { !segments.contains($0) }
        try store.close()
        let again = try fixture.open(configuration)
        try again.put(key(1), [1])
        try again.compact()
        let left = try fixture.names(ending: ".segment")
        #expect((segments[1...] + output).allSatisfy(left.contains), "\(left)")
        disk.setRule(.none)
        try again.put(key(2), [1])
        try again.compact()
        #expect(try fixture.names(ending: ".segment").count == 1)
        try again.close()
    }

    @Test("a compaction whose output is there succeeds, though a sync between its removals is refused")
    func refusedSync() throws {
        let disk = FaultInjectingFileSystem()
        let fixture = StoreFixture(disk)
        let store = try makeThreeRuns(fixture)
        let segments = try fixture.names(ending: ".segment")
        let first = fixture.file(segments.sorted()[0])
        let isRemoving = Locked(false)
        disk.setRule { call in
            if call.operation == .remove, call.path == first { isRemoving.withLock { $0 = true } }
            return call.operation == .syncDirectory && isRemoving.withLock({ $0 }) ? .tooManyFiles : nil
        }
        try store.compact()
        #expect(try fixture.names().filter { segments.contains($0) }.count == 2)
        disk.setRule(.none)
        try store.put(key(1), [1])
        try store.compact()
        #expect(try fixture.names(ending: ".segment").count == 1)
        #expect(try store.get(key(0)) == [3])
        try store.close()
    }

    @Test("whichever removals of a compaction's inputs a loss of power takes back, the newest versions count")
    func removalsTakenBack() throws {
        let (path, greatestFileSize) = ("/data/store", 16 << 20)
        let disk = SimulatedFileSystem(greatestFileSize: greatestFileSize)
        try disk.createDirectory("/data")
        try disk.syncDirectory("/")
        let fixture = StoreFixture(disk, path: path)
        let store = try makeThreeRuns(fixture)
        let inputs = try fixture.contents()
        let images = Locked<[DiskImage]>([])
        disk.observe { [weak disk] call in
            guard let disk, call.operation == .remove || call.operation == .syncDirectory else { return }
            for seed in 0..<8 {
                let image = disk.powerLoss(seed: UInt64(call.number * 8 + seed), survival: 0.5)
                images.withLock { $0.append(image) }
            }
        }
        try store.compact()
        disk.observe(nil)
        for seed in 0..<16 {
            let image = disk.powerLoss(seed: UInt64(seed), survival: 0.5)
            images.withLock { $0.append(image) }
        }
        try store.close()
        for image in images.withLock({ $0 }) {
            let copy = StoreFixture(try SimulatedFileSystem(image, greatestFileSize: greatestFileSize), path: path)
            try restoreManifest(of: inputs, in: copy)
            try repair(copy)
            let repaired = try copy.open(configuration)
            #expect(try repaired.get(key(0)) == [3], "\(image.files.keys.sorted())")
            try repaired.close()
        }
    }

    private func large(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 2000) }

    /// Puts the manifest of an earlier moment in the place of the present one.
    private func restoreManifest(of contents: [String: [UInt8]], in fixture: StoreFixture) throws {
        let name = try #require(contents.keys.first { $0.hasSuffix(".manifest") })
        try fixture.write(try #require(contents[name]), to: name)
    }

    @discardableResult
    private func repair(_ fixture: StoreFixture) throws -> RepairReport {
        var configuration = configuration
        configuration.fileSystem = fixture.fileSystem
        return try KeyValueStore.repair(at: fixture.path, configuration: configuration)
    }

    private var configuration: Configuration {
        var configuration = StoreFixture.small()
        configuration.automaticCompaction = false
        configuration.largeValueBytes = 1000
        return configuration
    }
}

/// Notes the names of removed files, in their order.
private final class RemovalRecord: ForwardingFileSystem {
    let base: InMemoryFileSystem
    private let removed = Locked<[String]>([])

    init(_ base: InMemoryFileSystem) { self.base = base }

    var names: [String] { removed.withLock { $0 } }

    func remove(_ path: String) throws(FileSystemError) {
        try base.remove(path)
        removed.withLock { $0.append(String(path.split(separator: "/").last ?? "")) }
    }
}
