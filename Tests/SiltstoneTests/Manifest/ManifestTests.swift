import SiltstoneTesting
import Testing

@testable import Siltstone

struct ManifestTests {
    private func edit(_ random: inout SeededGenerator) -> VersionEdit {
        var edit = VersionEdit()
        if random.chance(0.5) { edit.nextFileNumber = random.next() >> 8 }
        edit.addedLogs = (0..<random.index(3)).map { _ in random.next() }
        edit.removedLogs = (0..<random.index(3)).map { _ in random.next() }
        edit.removedSegments = (0..<random.index(3)).map { _ in random.next() }
        edit.addedValueFiles = (0..<random.index(3)).map { _ in random.next() }
        edit.removedValueFiles = (0..<random.index(3)).map { _ in random.next() }
        if random.chance(0.5) { edit.lastSequence = random.next() & .greatest }
        if random.chance(0.3) { edit.closing = .init(log: random.next(), end: random.next(), lastSequence: 7) }
        for _ in 0..<random.index(3) {
            var info = SegmentInfo(number: random.next())
            info.fileBytes = random.index(1 << 40)
            info.footerChecksum = UInt32(truncatingIfNeeded: random.next())
            info.recordCount = random.index(1000)
            info.firstKey = random.bytes(random.index(20))
            info.lastKey = random.bytes(random.index(200))
            info.valueFiles = [.init(file: random.next(), bytes: random.index(1 << 40))]
            edit.addedSegments.append(.init(info: info, level: random.index(7), run: random.next()))
        }
        return edit
    }

    @Test("an edit is read back as it was written; cut off anywhere, it is an error and no trap")
    func roundTrip() throws {
        var random = SeededGenerator(2)
        for _ in 0..<SuiteScale.count(40, thorough: 200) {
            let edit = edit(&random)
            let bytes = edit.encoded()
            #expect(try bytes.withBytes { try VersionEdit($0, path: "m", offset: 64) } == edit)
            for length in bytes.indices {
                // Where a field ends, what is left is a whole edit, and another one.
                let cut = try? Array(bytes.prefix(length)).withBytes { try VersionEdit($0, path: "m", offset: 64) }
                #expect(cut != edit || edit == VersionEdit())
            }
        }
    }

    @Test("random bytes for an edit are an error and no trap")
    func noise() {
        var random = SeededGenerator(3)
        for _ in 0..<SuiteScale.count(1_000, thorough: 5_000) {
            var bytes = random.bytes(random.index(40))
            if !bytes.isEmpty { bytes[0] = UInt8(random.index(12)) }
            do { _ = try bytes.withBytes { try VersionEdit($0, path: "m", offset: 64) } } catch {
                let code = (error as? StoreError)?.code
                #expect(code == .corrupt || code == .unsupportedFormat)
            }
        }
    }

    @Test("fields of the future are skipped or refused, as their tag says")
    func unknownFields() throws {
        let skipped: [UInt8] = [200, 2, 1, 1, 1, 1, 9]
        #expect(try skipped.withBytes { try VersionEdit($0, path: "m", offset: 0) }.nextFileNumber == 9)
        let refused: [UInt8] = [100, 2, 1, 1]
        #expect(
            StoreError.Code.of { try refused.withBytes { try VersionEdit($0, path: "m", offset: 0) } }
                == .unsupportedFormat)
    }

    @Test("CURRENT is one line with a checksum: with any other byte in it, or another length, it names nothing")
    func current() throws {
        let fixture = StoreFixture()
        try fixture.open().close()
        let line = try fixture.read("CURRENT")
        func read(_ bytes: [UInt8]) throws -> UInt64? {
            try fixture.write(bytes, to: "CURRENT")
            return try CurrentFile.read(in: fixture.path, fixture.fileSystem)
        }
        #expect(try read(line) == 1)
        for index in line.indices {
            for bit in 0..<8 {
                var changed = line
                changed[index] ^= 1 << bit
                #expect(StoreError.Code.of { try read(changed) } == .corrupt, "byte \(index), bit \(bit)")
            }
            #expect(StoreError.Code.of { try read(Array(line.prefix(index))) } == .corrupt, "cut to \(index) bytes")
        }
        #expect(StoreError.Code.of { try read(line + line) } == .corrupt)
    }

    @Test("a manifest with many edits is begun anew, with the same state, also across openings")
    func rollover() throws {
        let fixture = StoreFixture()
        var configuration = StoreFixture.small()
        configuration.automaticCompaction = false
        var manifests: Set<String> = []
        var count = 0
        // Each flush makes two edits: one for the segment, one for the next log.
        for _ in 0..<12 {
            let store = try fixture.open(configuration)
            for _ in 0..<60 {
                try store.put(key(count % 300), [UInt8(truncatingIfNeeded: count)])
                try store.flush()
                count += 1
            }
            manifests.formUnion(try fixture.names(ending: ".manifest"))
            #expect(try fixture.names(ending: ".manifest").count == 1)
            if count % 240 == 0 { try store.compact() }
            #expect(try store.verify().problems == [])
            try store.close()
        }
        #expect(manifests.count > 1)
        let store = try fixture.open(configuration)
        #expect(try store.allEntries().count == 300)
        for number in 420..<720 { #expect(try store.get(key(number % 300)) == [UInt8(truncatingIfNeeded: number)]) }
        try store.close()
    }

    @Test("the number of a manifest that could not be made is not given out again")
    func failedRollover() throws {
        let fixture = StoreFixture()
        let store = try fixture.open(StoreFixture.small())
        try store.engine.versions.withManifest { manifest throws(StoreError) in
            guard let manifest else { return }
            while manifest.edits < Manifest.editLimit { try manifest.append(VersionEdit()) }
            let (before, next) = (manifest.number, manifest.state.nextFileNumber)
            // A file that stands in the way of the next manifest.
            let path = StoreFile.manifest(next).path(in: store.path)
            _ = try storeErrors(fixture.fileSystem.open(path, .createNew))
            try manifest.append(VersionEdit())
            #expect(manifest.number == before)
            #expect(manifest.state.nextFileNumber == next + 1)
            for _ in 0...Manifest.editLimit / 10 { try manifest.append(VersionEdit()) }
            #expect(manifest.number == next + 1, "the next attempt has a number of its own")
        }
        try store.close()
        #expect(try fixture.open(StoreFixture.small()).verify().problems.isEmpty)
    }

    @Test("a sync of the directory that fails in a rollover is told, and one that was not made only puts it off")
    func failedDirectorySync() throws {
        let disk = FaultInjectingFileSystem()
        let store = try StoreFixture(disk).open(StoreFixture.small())
        try store.engine.versions.withManifest { manifest throws(StoreError) in
            guard let manifest else { return }
            while manifest.edits < Manifest.editLimit { try manifest.append(VersionEdit()) }
            let before = manifest.number
            disk.setRule { $0.operation == .syncDirectory ? .tooManyFiles : nil }
            try manifest.append(VersionEdit())
            #expect(manifest.number == before)
            disk.setRule { $0.operation == .syncDirectory ? .noSpace : nil }
            var code: StoreError.Code?
            for _ in 0...Manifest.editLimit / 10 where code == nil {
                code = StoreError.Code.of { try manifest.append(VersionEdit()) }
            }
            #expect(code == .inputOutput)
            disk.setRule(.none)
            try manifest.append(VersionEdit())
            #expect(manifest.number > before)
        }
        try store.close()
    }

    @Test("an edit is applied as a whole, removals first, in whichever order its fields stand")
    func removalsFirst() throws {
        let placed = VersionEdit.PlacedSegment(info: SegmentInfo(number: 3), level: 0, run: 3)
        var state = ManifestState()
        (state.logs, state.segments, state.valueFiles) = ([5], [3: placed], [4])
        var (additions, removals) = (VersionEdit(), VersionEdit())
        additions.addedSegments = [.init(info: placed.info, level: 1, run: 8)]
        (additions.addedLogs, additions.addedValueFiles) = ([5], [4])
        (removals.removedLogs, removals.removedSegments, removals.removedValueFiles) = ([5], [3], [4])
        let fields = additions.encoded() + removals.encoded()
        let edit = try fields.withBytes { try VersionEdit($0, path: "m", offset: 64) }
        try state.apply(edit, path: "m", offset: 64)
        #expect(state.logs == [5] && state.valueFiles == [4])
        #expect(state.segments[3]?.level == 1)
    }

    @Test("a manifest that contradicts itself is refused")
    func contradictions() {
        let changes: [(inout VersionEdit) -> Void] = [
            { $0.removedLogs = [5] }, { $0.addedLogs = [7, 6] }, { $0.removedSegments = [1] },
            {
                $0.addedSegments = [SegmentInfo(number: 3), SegmentInfo(number: 3)].map {
                    .init(info: $0, level: 0, run: 3)
                }
            },
            { $0.removedValueFiles = [1] }, { $0.addedValueFiles = [2, 2] }, { $0.nextFileNumber = .max },
            { $0.nextFileNumber = 0 },
        ]
        for (index, change) in changes.enumerated() {
            var state = ManifestState()
            var edit = VersionEdit()
            change(&edit)
            #expect(StoreError.Code.of { try state.apply(edit, path: "m", offset: 0) } == .corrupt, "change \(index)")
        }
    }
}
