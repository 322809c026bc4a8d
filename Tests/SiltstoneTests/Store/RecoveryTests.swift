import SiltstoneTesting
import Testing

@testable import Siltstone

/// What is found again after the process has died at some instant. A copy of the files stands for what it leaves.
struct RecoveryTests {
    private static func quiet() -> Configuration {
        var configuration = StoreFixture.small()
        configuration.automaticCompaction = false
        return configuration
    }

    @Test(
        "after the death of the process at any point of a history, every acknowledged write is there",
        arguments: LogWriting.allCases, [64, 8 << 10])
    func abandoned(_ writing: LogWriting, _ largeValueBytes: Int) throws {
        var configuration = Self.quiet()
        configuration.logWriting = writing
        configuration.largeValueBytes = largeValueBytes
        let fixture = StoreFixture()
        let store = try fixture.open(configuration)
        var random = SeededGenerator(5)
        var model = StoreModel()
        for step in 0..<SuiteScale.count(600, thorough: 3_000) {
            let name = key(random.index(300))
            if random.chance(0.2) {
                try store.delete(name)
                model[name] = nil
            } else {
                let value = random.bytes(random.index(200))
                try store.put(name, value)
                model[name] = value
            }
            guard step % 150 == 0 else { continue }
            // Nothing runs in the background after this, so that the copy is of one moment.
            try store.flush()
            for number in 0..<(step % 7) {
                try store.put(key(1000 + number), random.bytes(100))
                model[key(1000 + number)] = try store.get(key(1000 + number))
            }
            let copy = try fixture.copy()
            for _ in 0..<2 {
                // The second opening finds what the first has left, without a close.
                let again = try copy.openWhenFree(configuration)
                #expect(try again.allEntries() == model.scan(), "step \(step)")
                #expect(try again.verify().problems.isEmpty)
            }
        }
        try store.close()
    }

    @Test("values that died with the kernel are on the disk before a log that is gone on with vouches for them")
    func valuesAreSynced() throws {
        var configuration = Self.quiet()
        configuration.largeValueBytes = 1000
        let fixture = StoreFixture()
        let store = try fixture.open(configuration)
        try store.put(key(1), [UInt8](repeating: 1, count: 5000))
        let disk = FaultInjectingFileSystem(try fixture.copy().fileSystem)
        let again = try StoreFixture(disk).open(configuration)
        let synced = disk.log.filter { $0.operation == .sync }.map(\.path)
        let values = try #require(synced.firstIndex { $0.hasSuffix(".values") })
        #expect(values < (try #require(synced.firstIndex { $0.hasSuffix(".log") })))
        try again.close()
        try store.close()
    }

    @Test("the space ahead of values is given back after a crash that leaves the log as an earlier close left it")
    func spaceOfLostValues() throws {
        var configuration = Self.quiet()
        configuration.largeValueBytes = 1000
        configuration.valueFileBytes = 1 << 20
        let fixture = StoreFixture()
        let first = try fixture.open(configuration)
        try first.put(key(1), [1])
        try first.close()
        let logs = try fixture.names(ending: ".log")
        let log = try #require(logs.first)
        let closed = try fixture.read(log)
        let store = try fixture.open(configuration)
        try store.put(key(2), [UInt8](repeating: 2, count: 5000))
        let copy = try fixture.copy()
        #expect(try copy.names(ending: ".log") == logs && copy.names(ending: ".values").count == 1)
        #expect(try copy.read(log).starts(with: closed))
        // The new frame had not reached the disk.
        try copy.write(closed, to: log)
        // The second time, a clean close has given the space back.
        for isClosed in [false, true] {
            let disk = FaultInjectingFileSystem(copy.fileSystem)
            let again = try StoreFixture(disk).open(configuration)
            #expect(try again.allEntries() == [Entry(key: key(1), value: [1])])
            let releases = disk.log.filter { $0.operation == .truncate && $0.path.hasSuffix(".values") }
            #expect(releases.count == (isClosed ? 0 : 1))
            try again.close()
            #expect(try copy.names(ending: ".values").isEmpty)
        }
        try store.close()
    }

    @Test("orphan files are removed once the names that are in force are durable, and not before")
    func namesBeforeRemovals() throws {
        let fixture = StoreFixture()
        let store = try fixture.open()
        try store.put(key(1), [1])
        try store.close()
        try fixture.write([], to: "000099.segment")
        let disk = FaultInjectingFileSystem(fixture.fileSystem)
        let again = try StoreFixture(disk).open()
        let operations = disk.log.map(\.operation)
        let removal = try #require(operations.firstIndex(of: .remove))
        #expect(operations[..<removal].contains(.syncDirectory))
        try again.close()
    }

    /// A store whose one log holds twenty writes of varying length; and the ends of their frames.
    private func smallLog(synced: Bool) throws -> (StoreFixture, log: String, ends: [Int]) {
        let fixture = StoreFixture()
        let store = try fixture.open()
        var ends: [Int] = []
        for number in 0..<20 {
            try store.put(key(number), [UInt8](repeating: UInt8(number), count: number * 3))
            ends.append(store.engine.writes.state.active.log?.end ?? 0)
        }
        if synced {
            try store.sync()
            try store.put("last".utf8, [1])
        }
        return (try fixture.copy(), try #require(try fixture.names(ending: ".log").last), ends)
    }

    @Test("a log cut at any length gives a prefix of the history, and what is written next is found again")
    func tornAtEveryLength() throws {
        let (fixture, log, ends) = try smallLog(synced: false)
        let files = try fixture.contents()
        let bytes = try #require(files[log])
        // Around the end of each frame every length, in its midst some.
        let step = SuiteScale.count(7, thorough: 1)
        for length in LogLink.end...(ends.last ?? 0) + 9
        where length % step == 0 || ends.contains(where: { abs($0 - length) < 2 }) {
            var cut = files
            cut[log] = Array(bytes.prefix(length))
            let copy = try StoreFixture(contents: cut)
            let expected = ends.filter { $0 <= length }.count
            let store = try copy.open()
            #expect(try store.allEntries().map(\.key) == (0..<expected).map { key($0) }, "length \(length)")
            try store.put("next".utf8, "value".utf8)
            let again = try copy.copy().open()
            #expect(try again.allEntries().count == expected + 1)
            #expect(try again.get("next".utf8) == Array("value".utf8))
        }
    }

    @Test("a log whose last frame is damaged anywhere loses that frame alone")
    func tornFrame() throws {
        let (fixture, log, ends) = try smallLog(synced: false)
        for offset in stride(from: ends[18], to: ends[19], by: 3) {
            let copy = try fixture.copy()
            try copy.flip(log, at: offset)
            let store = try copy.open()
            #expect(try store.allEntries().count == 19, "offset \(offset)")
        }
    }

    @Test("damage in a log before what was synced is refused, with file and offset, and nothing is changed")
    func damagedMiddle() throws {
        let (fixture, log, ends) = try smallLog(synced: true)
        for (frame, end) in ends.dropLast().enumerated() {
            let copy = try fixture.copy()
            try copy.flip(log, at: end + 9)
            let before = try copy.contents()
            do {
                _ = try copy.open()
                Issue.record("frame \(frame) is damaged, and the store opened")
            } catch {
                #expect(error.code == .corrupt)
                #expect(error.file == copy.file(log))
                #expect(error.offset == end)
            }
            #expect(try copy.contents() == before)
        }
    }

    @Test(
        "a whole link frame in the midst of a log is refused: the numbers behind it would not be those of the changes")
    func misplacedLink() throws {
        let (fixture, log, _) = try smallLog(synced: false)
        let number = try #require(StoreFile(name: log)?.number)
        var reader = try FrameReader(
            fixture.fileSystem, path: fixture.file(log), kind: .log, store: nil, number: number)
        while try reader.next() != nil {}
        let writer = try LogWriter.resume(
            fixture.fileSystem, path: fixture.file(log), header: reader.header, end: reader.end, syncedEnd: reader.end,
            previous: reader.lastChecksum)
        let payload = LogLink(lastSequence: 100).encoded()
        try withContiguousBytes(payload) { bytes throws(StoreError) in try writer.append(frame: .link, payload: bytes) }
        try writer.seal()
        do {
            _ = try fixture.open()
            Issue.record("opened")
        } catch {
            #expect(error.code == .corrupt && error.offset == reader.end)
        }
    }

    @Test("an empty or inverted range in a log uses its sequence number and removes nothing")
    func emptyRanges() throws {
        let fixture = StoreFixture()
        let store = try fixture.open(Self.quiet())
        for number in 0..<4 { try store.put(key(number), [1]) }
        // A batch of the engine's own leaves such a range out.
        for (start, end) in [(1, 1), (3, 0)] {
            var batch = WriteBatch()
            try withContiguousBytes(key(start)) { start throws(StoreError) in
                try withContiguousBytes(key(end)) { end throws(StoreError) in
                    batch.append(.rangeTombstone, key: start, value: end)
                }
            }
            try store.write(batch)
        }
        try store.put(key(4), [1])
        for again in [try fixture.copy().open(Self.quiet()), store] {
            for _ in 0..<2 {
                #expect(try again.allEntries().map(\.key) == (0..<5).map { key($0) })
                #expect(again.statistics.lastSequence == 7)
                #expect(try again.verify().problems == [])
                try again.flush()
            }
        }
    }

    @Test("a log that lost its end after a clean close is refused")
    func shortenedAfterClose() throws {
        let fixture = StoreFixture()
        let store = try fixture.open()
        for number in 0..<10 { try store.put(key(number), [1]) }
        try store.close()
        let log = try #require(try fixture.names(ending: ".log").first)
        let bytes = try fixture.read(log)
        try fixture.write(Array(bytes.dropLast(40)), to: log)
        #expect(StoreError.Code.of { try fixture.open() } == .corrupt)
    }

    /// A store with several live logs: flushes fail, so the logs stay.
    private func severalLogs() throws -> (StoreFixture, logs: [String], count: Int) {
        let disk = FaultInjectingFileSystem()
        disk.setRule { $0.path.hasSuffix(".segment") ? .noSpace : nil }
        let fixture = StoreFixture(disk)
        let store = try fixture.open(Self.quiet())
        var count = 0
        while StoreError.Code.of({ try store.put(key(count), [UInt8](repeating: 1, count: 500)) }) == nil { count += 1 }
        // Files that are copied one by one while others come are of no one moment.
        store.settle()
        let copy = try fixture.copy()
        let logs = try copy.names(ending: ".log")
        return (copy, logs, count)
    }

    @Test("several live logs are read in their order, and emptied by the flushes to come")
    func manyLogs() throws {
        let (fixture, logs, count) = try severalLogs()
        #expect(logs.count >= 3)
        let store = try fixture.open(Self.quiet())
        #expect(try store.allEntries().map(\.key) == (0..<count).map { key($0) })
        try store.flush()
        try store.close()
        #expect(try fixture.names(ending: ".log").count <= 2)
        let again = try fixture.open(Self.quiet())
        #expect(try again.allEntries().count == count)
        try again.close()
    }

    @Test("where a log but the last has lost its end, later logs do not count, unless they prove that it was synced")
    func tornFirstLog() throws {
        let (fixture, logs, count) = try severalLogs()
        // The first log loses its last frame; nothing was synced.
        let bytes = try fixture.read(logs[0])
        var end = bytes.count
        while bytes[end - 1] == 0 { end -= 1 }
        try fixture.write(Array(bytes.prefix(end - 8)), to: logs[0])
        let store = try fixture.open(Self.quiet())
        let found = try store.allEntries().map(\.key)
        #expect(!found.isEmpty && found.count < count)
        #expect(found == (0..<found.count).map { key($0) })
        try store.put("next".utf8, [1])
        // Files that are copied one by one while others come are of no one moment.
        store.settle()
        let copy = try fixture.copy().open(Self.quiet())
        #expect(try copy.allEntries().count == found.count + 1)
        try store.flush()
        #expect(try store.verify().problems.isEmpty)
        try store.close()
        #expect(try fixture.open().allEntries().count == found.count + 1)
    }

    @Test(
        "a log that has lost its end, where a later one proves that it was synced, is refused by name",
        arguments: [false, true])
    func tornBeforeProof(_ newestIsEmpty: Bool) throws {
        let disk = FaultInjectingFileSystem()
        disk.setRule { $0.path.hasSuffix(".segment") ? .noSpace : nil }
        let fixture = StoreFixture(disk)
        let store = try fixture.open(Self.quiet())
        var number = 0
        func sealedCount() -> Int { store.engine.writes.lock.withLock { store.engine.writes.state.sealed.count } }
        while sealedCount() < (newestIsEmpty ? 1 : 2) {
            // Refused while the next log is not there yet.
            if StoreError.Code.of({ try store.put(key(number), [UInt8](repeating: 1, count: 500)) }) == nil {
                number += 1
            }
        }
        // Begins a log that the sync finds with nothing but its link; may fail before that, too.
        while sealedCount() < 2 { #expect(StoreError.Code.of { try store.flush() } == .noSpace) }
        let (sealed, active) = store.engine.writes.lock.withLock {
            (store.engine.writes.state.sealed.compactMap(\.log), store.engine.writes.state.active.log)
        }
        let before = disk.log.count
        try store.sync()
        let logs = (sealed + [active].compactMap { $0 }).map(\.path)
        // What is appended meanwhile to a newer one may already vouch for the older ones.
        #expect(disk.log[before...].filter { $0.operation == .sync && logs.contains($0.path) }.map(\.path) == logs)
        try store.put("behind the sync".utf8, [1])
        for log in sealed {
            let copy = try fixture.copy()
            let name = String(try #require(log.path.split(separator: "/").last))
            try copy.write(Array(try copy.read(name).prefix(log.end - 8)), to: name)
            let before = try copy.contents()
            do {
                _ = try copy.open(Self.quiet())
                Issue.record("\(name) has lost its end, and the store opened")
            } catch {
                #expect(error.code == .corrupt && error.file == copy.file(name), "\(error)")
            }
            #expect(try copy.contents() == before)
        }
        #expect(sealed.count == 2)
    }

    @Test("a log that ends where the next one says, but with another frame than that one follows, is refused")
    func otherEnd() throws {
        let (fixture, logs, _) = try severalLogs()
        let number = try #require(StoreFile(name: logs[0])?.number)
        var reader = try FrameReader(
            fixture.fileSystem, path: fixture.file(logs[0]), kind: .log, store: nil, number: number)
        var last: Frame?
        while let frame = try reader.next() { last = frame }
        let frame = try #require(last)
        // Another value, and a checksum that fits it.
        var bytes = try fixture.read(logs[0])
        bytes[frame.end - 9] ^= 1
        let checksum = try bytes.withBytes { bytes in
            let header = try #require(FrameHeader.read(bytes, at: frame.offset)).header
            let body = Bytes(rebasing: bytes[(frame.offset + FrameHeader.size)..<frame.end])
            return CRC32.checksum(
                body, continuing: header.checksum(fileChecksum: reader.fileChecksum, offset: frame.offset))
        }
        withUnsafeBytes(of: checksum.littleEndian) { bytes.replaceSubrange(frame.offset..<frame.offset + 4, with: $0) }
        try fixture.write(bytes, to: logs[0])
        #expect(StoreError.Code.of { try fixture.open(Self.quiet()) } == .corrupt)
    }

    @Test("a missing log in the middle, or the last of them, is refused")
    func missingLog() throws {
        let (fixture, logs, _) = try severalLogs()
        // One that was just being made has no name in the manifest yet, and nothing in it.
        for log in logs where try fixture.read(log).dropFirst(FileHeader.size).contains(where: { $0 != 0 }) {
            let copy = try fixture.copy()
            try copy.fileSystem.remove(copy.file(log))
            #expect(StoreError.Code.of { try copy.open() } == .corrupt, "\(log)")
        }
    }

    @Test("a log sealed while a sync runs is synced again before what it holds counts as durable")
    func rotationDuringSync() throws {
        let disk = FaultInjectingFileSystem()
        let fixture = StoreFixture(disk)
        let store = try fixture.open(Self.quiet())
        try store.put("first".utf8, [1])
        let log = try #require(store.engine.writes.state.active.log)
        let isDone = Locked(false)
        disk.setRule { call in
            if call.path.hasSuffix(".segment") { return .noSpace }
            if call.operation == .sync, call.path == log.path,
                isDone.withLock({ done in
                    defer { done = true }
                    return !done
                })
            {
                // What is appended here may or may not be covered by this sync; then the log is sealed.
                var number = 0
                while store.engine.writes.lock.withLock({ store.engine.writes.state.active.log === log }) {
                    do { try store.put(key(number), [UInt8](repeating: 1, count: 1000)) } catch { break }
                    number += 1
                }
            }
            return nil
        }
        try store.sync()
        #expect(store.engine.writes.lock.withLock { store.engine.writes.state.sealed.first?.log === log })
        try store.sync()
        #expect(log.syncedEnd == log.end)
        disk.setRule(.none)
        try store.close()
    }
}
