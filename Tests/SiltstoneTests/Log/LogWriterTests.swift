import Foundation
import SiltstoneTesting
import Testing

@testable import Siltstone

/// Writing logs.
struct LogWriterTests {
    /// Frames of many sizes, from a seed.
    private func fill(_ writer: LogWriter, seed: UInt64 = 1, frames: Int = 60, syncEvery: Int = 7) throws {
        var generator = SeededGenerator(seed)
        var sequence: SequenceNumber = 1
        for index in 0..<frames {
            let size = [0, 1, 7, 8, 100, 4000, 70_000][Int.random(in: 0..<7, using: &generator)]
            if index % 3 == 0 {
                var batch = WriteBatch()
                for part in 0..<5 { batch.put("\(index) \(part)".utf8, generator.bytes(size / 5)) }
                try writer.write(batch, first: sequence)
                sequence += 5
            } else {
                try writer.put("key \(index)", generator.bytes(size), sequence)
                sequence += 1
            }
            if index % syncEvery == 0 { try writer.sync() }
        }
    }

    @Test(
        "mapped and written logs are the same bytes, on every file system", arguments: FileSystemFixture.Kind.allCases)
    func sameBytes(_ kind: FileSystemFixture.Kind) throws {
        let fixture = try FileSystemFixture(kind)
        var logs: [[UInt8]] = []
        for (name, options) in [
            ("mapped", LogFixture.options(.mapped, capacity: 8 << 20)),
            // Much smaller than what comes: the mapping has to grow on the way.
            ("grown", LogFixture.options(.mapped, capacity: 10_000)),
            ("written", LogFixture.options(.written)),
            ("growing", LogFixture.options(.written, firstStep: 0)),
        ] {
            let log = LogFixture(fixture.fileSystem, path: fixture.path(name))
            let writer = try log.create(options)
            #expect((writer.tail.value.mapped != nil) == (options.writing == .mapped))
            try fill(writer)
            try writer.close()
            logs.append(try log.bytes())
            #expect(logs.last?.count == writer.end)
            let reading = try log.read()
            #expect(reading.frames.count == 62 && reading.tail == .clean)
        }
        #expect(logs.allSatisfy { $0 == logs[0] })
    }

    @Test("what is appended can be read at once, behind it only zeros")
    func readableAtOnce() throws {
        let fixture = LogFixture()
        let writer = try fixture.create()
        for index in 1...50 {
            try writer.put("key", [UInt8(index)], UInt64(index))
            let reading = try fixture.read()
            #expect(reading.frames.count == index + 1)
            #expect(reading.end == writer.end)
            #expect(reading.tail == .clean)
        }
    }

    @Test("space is taken in steps, and no byte behind it is ever touched")
    func steps() throws {
        let files = FaultInjectingFileSystem()
        let fixture = LogFixture(files)
        let writer = try fixture.create(LogFixture.options(capacity: 200_000))
        for index in 0..<100 { try writer.put("key", [UInt8](repeating: 1, count: 2500), UInt64(index)) }
        let reserved = files.log.filter { $0.operation == .reserve }
        #expect(reserved.map(\.length).prefix(5) == [8128, 8192, 16384, 32768, 65536])
        for (one, next) in zip(reserved, reserved.dropFirst()) { #expect(one.offset + one.length == next.offset) }
        #expect(try fixture.bytes().count >= writer.end)
        #expect(files.log.filter { $0.operation == .map }.count <= 2)
        #expect(files.log.allSatisfy { $0.operation != .truncate })
    }

    @Test(
        "where space cannot be reserved, or the file not mapped, the log is written",
        arguments: [FileSystemCall.Operation.reserve, .map])
    func fallback(_ operation: FileSystemCall.Operation) throws {
        let files = FaultInjectingFileSystem()
        files.setRule { $0.operation == operation ? .error(EOPNOTSUPP) : nil }
        let fixture = LogFixture(files)
        let writer = try fixture.create()
        #expect(writer.tail.value.mapped == nil)
        try fill(writer)
        writer.prepare(ahead: 1 << 20)
        try writer.close()
        #expect(try fixture.read().frames.count == 62)
    }

    @Test("a full disk refuses the append, changes nothing, and heals", arguments: LogWriting.allCases, [0, 4096])
    func fullDisk(_ writing: LogWriting, firstStep: Int) throws {
        let files = FaultInjectingFileSystem()
        let fixture = LogFixture(files)
        let writer = try fixture.create(LogFixture.options(writing, firstStep: firstStep))
        try writer.put("a", [UInt8](repeating: 1, count: 3000), 1)
        let end = writer.end
        let limit = end + 2000
        // The disk has room for some of the frame.
        files.setRule { call in
            switch call.operation {
            case .reserve: call.offset + call.length > limit ? .noSpace : nil
            case .write:
                call.offset >= limit
                    ? .noSpace
                    : call.offset + call.length > limit ? .short(limit - call.offset) : nil
            default: nil
            }
        }
        for size in [5000, 100_000] {
            let error = #expect(throws: StoreError.self) {
                try writer.put("b", [UInt8](repeating: 2, count: size), 2)
            }
            #expect(error?.code == .noSpace)
            #expect(writer.end == end)
            let reading = try fixture.read()
            #expect(reading.end == end && reading.tail == .clean)
        }
        try writer.sync()
        files.setRule(.none)
        try writer.put("c", [UInt8](repeating: 3, count: 5000), 2)
        try writer.close()
        let reading = try fixture.read()
        #expect(reading.frames.map(\.firstSequence) == [0, 1, 2, 0] && reading.tail == .clean)
    }

    @Test("where a step does not fit the disk, what the frame needs is taken")
    func lastSpace() throws {
        let files = FaultInjectingFileSystem()
        let fixture = LogFixture(files)
        let writer = try fixture.create()
        files.setRule { $0.operation == .reserve && $0.length > 4096 ? .noSpace : nil }
        for index in 1...20 { try writer.put("a", [UInt8](repeating: 1, count: 1000), UInt64(index)) }
        #expect(try fixture.read().frames.count == 21)
    }

    @Test(
        "space that was given back is taken again, and nothing that was written goes with it",
        arguments: [0, 4096, 1 << 20])
    func givesBack(firstStep: Int) throws {
        let files = FaultInjectingFileSystem()
        let fixture = LogFixture(files)
        let writer = try fixture.create(LogFixture.options(.mapped, firstStep: firstStep))
        for index in 1...40 {
            try writer.put("a", [UInt8](repeating: UInt8(index), count: 1000), UInt64(index))
            guard index % 10 == 0 else { continue }
            let before = try fixture.bytes().count
            #expect(writer.releaseReserve() == before - (firstStep == 0 ? before : (writer.end + 4095) / 4096 * 4096))
            #expect(writer.releaseReserve() == 0)
        }
        try writer.sync()
        let reading = try fixture.read()
        #expect(reading.frames.map(\.firstSequence) == Array(0...40) && reading.tail == .clean)
    }

    @Test("a full disk does not keep a log from being closed in good order", arguments: LogWriting.allCases)
    func closeOnFullDisk(_ writing: LogWriting) throws {
        let files = FaultInjectingFileSystem()
        let fixture = LogFixture(files)
        let writer = try fixture.create(LogFixture.options(writing, firstStep: writing == .mapped ? 4096 : 0))
        while writer.end < 4096 - 40 { try writer.put("a", [], 1) }
        files.setRule { [.reserve, .write].contains($0.operation) ? .noSpace : nil }
        try writer.close()
        #expect(try fixture.read().tail == .clean)
        #expect(try fixture.bytes().count == writer.end)
    }

    @Test("interrupted and short writes are finished")
    func partialWrites() throws {
        let files = FaultInjectingFileSystem()
        let fixture = LogFixture(files)
        let writer = try fixture.create(LogFixture.options(.written, firstStep: 0))
        let calls = Counter()
        files.setRule { call in
            switch calls.next() % 3 {
            case 0: .interrupted
            case 1: call.operation == .write ? .short(max(1, call.length / 2)) : nil
            default: nil
            }
        }
        try fill(writer, frames: 20)
        try writer.seal()
        files.setRule(.none)
        #expect(try fixture.read().frames.count == 21)
    }

    @Test("a failed write ends the writing, and the cause is told ever after")
    func failedWrite() throws {
        let files = FaultInjectingFileSystem()
        let fixture = LogFixture(files)
        let writer = try fixture.create(LogFixture.options(.written))
        try writer.put("a", [1], 1)
        let end = writer.end
        files.setRule { $0.operation == .write ? .inputOutput : nil }
        let first = #expect(throws: StoreError.self) { try writer.put("b", [1], 2) }
        #expect(first?.code == .inputOutput)
        files.setRule(.none)
        for call in [{ try writer.put("c", [1], 2) }, { try writer.sync() }, { try writer.close() }] {
            let error = #expect(throws: StoreError.self) { try call() }
            #expect(error?.code == .refusesWrites)
            #expect(error?.errorNumber == Platform.inputOutputError)
        }
        #expect(writer.end == end)
        #expect(try fixture.read().end == end)
    }

    @Test("a tail that cannot be cut off after a failed write ends the writing")
    func failedCleanUp() throws {
        let files = FaultInjectingFileSystem()
        let fixture = LogFixture(files)
        let writer = try fixture.create(LogFixture.options(.written, firstStep: 0))
        files.setRule {
            switch $0.operation {
            case .write: .noSpace
            case .truncate: .inputOutput
            default: nil
            }
        }
        #expect(throws: StoreError.self) { try writer.put("a", [1], 1) }
        files.setRule(.none)
        let error = #expect(throws: StoreError.self) { try writer.put("a", [1], 1) }
        #expect(error?.code == .refusesWrites)
    }

    @Test("a failed sync ends the writing, also where the next one would succeed", arguments: LogWriting.allCases)
    func failedSync(_ writing: LogWriting) throws {
        let files = FaultInjectingFileSystem()
        let fixture = LogFixture(files)
        let writer = try fixture.create(LogFixture.options(writing))
        try writer.put("a", [1], 1)
        let synced = writer.syncedEnd
        files.setRule { $0.operation == .sync ? .inputOutput : nil }
        let first = #expect(throws: StoreError.self) { try writer.sync() }
        #expect(first?.code == .inputOutput)
        files.setRule(.none)
        writer.prepare(ahead: 1 << 16)
        for call in [{ try writer.put("b", [1], 2) }, { try writer.sync() }, { try writer.seal() }] {
            let error = #expect(throws: StoreError.self) { try call() }
            #expect(error?.code == .refusesWrites)
        }
        #expect(writer.syncedEnd == synced)
        #expect(try fixture.read().frames.count == 2)
    }

    @Test(
        "a preparation that fails ends the writing at once, not only where the space ends that was had before",
        arguments: [FileSystemCall.Operation.reserve, .write])
    func failedPreparation(_ operation: FileSystemCall.Operation) throws {
        let files = FaultInjectingFileSystem()
        let fixture = LogFixture(files)
        let writer = try fixture.create()
        try writer.put("a", [1], 1)
        #expect(writer.tail.value.mapped != nil)
        files.setRule { $0.operation == operation ? .inputOutput : nil }
        writer.prepare(ahead: 1 << 20)
        files.setRule(.none)
        let error = #expect(throws: StoreError.self) { try writer.put("b", [1], 2) }
        #expect(error?.code == .refusesWrites)
        #expect(try fixture.read().frames.count == 2)
    }

    @Test(
        "a preparation that finds the disk full changes nothing", arguments: [FileSystemCall.Operation.reserve, .write])
    func preparationOnFullDisk(_ operation: FileSystemCall.Operation) throws {
        let files = FaultInjectingFileSystem()
        let fixture = LogFixture(files)
        let writer = try fixture.create()
        try writer.put("a", [1], 1)
        files.setRule { $0.operation == operation ? .noSpace : nil }
        writer.prepare(ahead: 1 << 20)
        files.setRule(.none)
        for index in 2...100 { try writer.put("b", [UInt8](repeating: 1, count: 5000), UInt64(index)) }
        try writer.close()
        #expect(try fixture.read().frames.count == 102)
    }

    @Test("space is prepared beside appends, and no frame is written over")
    func preparationBesideAppends() throws {
        let path = FileManager.default.temporaryDirectory.path + "/siltstone-log-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        let fixture = LogFixture(POSIXFileSystem(), path: path)
        let writer = try fixture.create(LogFixture.options(capacity: 16 << 20))
        let isDone = Counter()
        let group = DispatchGroup()
        Thread.detachNewThread(in: group) {
            while isDone.value == 0 { writer.prepare(ahead: 1 << 20) }
        }
        var next: UInt64 = 1
        while writer.end < 12 << 20 {
            try writer.put("key", [UInt8](repeating: UInt8(truncatingIfNeeded: next), count: Int(next % 700)), next)
            next += 1
        }
        _ = isDone.next()
        group.wait()
        let end = writer.end
        try writer.seal()
        let reading = try fixture.read()
        #expect(reading.end == end && reading.tail == .clean)
        #expect(reading.frames.dropFirst().map(\.firstSequence) == Array(1..<next))
    }

    @Test("prepared space is given back where all is synced, and only there")
    func releasedPreparation() throws {
        let files = FaultInjectingFileSystem()
        let fixture = LogFixture(files)
        let writer = try fixture.create(LogFixture.options(capacity: 8 << 20))
        try writer.put("a", [1], 1)
        writer.prepare(ahead: 2 << 20)
        let size = try fixture.bytes().count
        #expect(size >= 2 << 20)
        writer.releasePrepared()
        #expect(try fixture.bytes().count == size)
        try writer.sync()
        writer.releasePrepared()
        #expect(try fixture.bytes().count == 4096)
        let truncations = files.log.count { $0.operation == .truncate }
        writer.releasePrepared()
        for index in 2...1000 { try writer.put("b", [UInt8](repeating: 1, count: 500), UInt64(index)) }
        try writer.sync()
        writer.releasePrepared()
        #expect(files.log.count { $0.operation == .truncate } == truncations)
        try writer.close()
        #expect(try fixture.read().frames.count == 1002)
    }

    @Test("a sync is made only where something came since the last one")
    func idleSync() throws {
        let files = FaultInjectingFileSystem()
        let fixture = LogFixture(files)
        let writer = try fixture.create()
        func syncs() -> Int { files.log.count { $0.operation == .sync } }
        let before = syncs()
        try writer.sync()
        try writer.sync()
        #expect(syncs() == before + 1)
        #expect(writer.syncedEnd == writer.end)
        try writer.put("a", [1], 1)
        #expect(writer.syncedEnd < writer.end)
        try writer.seal()
        try writer.sync()
        #expect(syncs() == before + 2)
    }

    @Test("a sealed log has its used length and takes no more", arguments: LogWriting.allCases)
    func seal(_ writing: LogWriting) throws {
        let fixture = LogFixture()
        let writer = try fixture.create(LogFixture.options(writing))
        try writer.put("a", [1], 1)
        #expect(try fixture.bytes().count > writer.end)
        try writer.seal()
        try writer.seal()
        writer.prepare(ahead: 1 << 20)
        #expect(try fixture.bytes().count == writer.end)
        let error = #expect(throws: StoreError.self) { try writer.put("b", [1], 2) }
        #expect(error?.code == .closed)
        try writer.close()
        #expect(try fixture.read().frames.count == 2)
    }

    @Test("a log goes on behind its last good frame, and what stood there is gone", arguments: LogWriting.allCases)
    func resume(_ writing: LogWriting) throws {
        let fixture = LogFixture()
        try fill(try fixture.create())
        var bytes = try fixture.bytes()
        let whole = try fixture.read(bytes)
        for index in [10, 30, 59] {
            let frame = whole.frames[index]
            bytes = try fixture.bytes()
            try fixture.fileSystem.open(fixture.path, .readWrite).writeFully(
                [bytes[frame.offset] ^ 1], at: frame.offset)
            let torn = try LogReading(try fixture.reader())
            #expect(torn.frames == Array(whole.frames.prefix(index)))
            let writer = try LogWriter.resume(
                fixture.fileSystem, path: fixture.path, header: fixture.header, end: torn.end, syncedEnd: 0,
                previous: torn.checksum,
                options: LogFixture.options(writing))
            #expect(writer.syncedEnd == torn.end)
            #expect(try fixture.bytes().count == torn.end)
            // The same frames again, so that the next turn can cut further back or ahead.
            for old in whole.frames[index...] {
                try old.payload.withBytes {
                    try writer.append(batch: $0, firstSequence: old.firstSequence, count: old.count)
                }
            }
            let reading = try LogReading(try fixture.reader())
            #expect(reading.frames == whole.frames && reading.tail == .clean)
        }
    }

    @Test("a log that is shorter than what was read of it is not gone on with")
    func resumeShort() throws {
        let fixture = LogFixture()
        let writer = try fixture.create()
        try writer.seal()
        let error = #expect(throws: StoreError.self) {
            _ = try LogWriter.resume(
                fixture.fileSystem, path: fixture.path, header: fixture.header, end: writer.end + 8, syncedEnd: 0,
                previous: 0)
        }
        #expect(error?.code == .corrupt)
    }

    @Test("a log that cannot be made leaves no file", arguments: [FileSystemCall.Operation.write, .reserve, .sync])
    func failedCreate(_ operation: FileSystemCall.Operation) throws {
        let files = FaultInjectingFileSystem()
        files.setRule { $0.operation == operation ? .noSpace : nil }
        let fixture = LogFixture(files)
        let error = #expect(throws: StoreError.self) { _ = try fixture.create() }
        #expect(error?.code == .noSpace)
        #expect(try files.entries(of: "/").isEmpty)
    }

    @Test("a payload over the limit is refused, and the log goes on")
    func tooLarge() throws {
        let fixture = LogFixture()
        let writer = try fixture.create()
        // Only its length is looked at.
        let huge = Bytes(start: UnsafeRawPointer(bitPattern: 8), count: FrameHeader.greatestPayload + 1)
        let error = #expect(throws: StoreError.self) {
            try writer.append(batch: huge, firstSequence: 1, count: 1)
        }
        #expect(error?.code == .tooLarge)
        try writer.put("a", [1], 1)
        #expect(try fixture.read().frames.count == 2)
    }

    @Test("appends, syncs and preparation run beside each other", arguments: FileSystemFixture.Kind.allCases)
    func concurrency(_ kind: FileSystemFixture.Kind) throws {
        let directory = try FileSystemFixture(kind)
        let fixture = LogFixture(directory.fileSystem, path: directory.path("log"))
        let writer = try fixture.create(LogFixture.options(capacity: 4 << 20))
        let done = Counter()
        let helpers = DispatchGroup()
        for helper in 0..<2 {
            Thread.detachNewThread(in: helpers) {
                do {
                    while done.value == 0 {
                        if helper == 0 { try writer.sync() } else { writer.prepare(ahead: 100_000) }
                    }
                } catch { Issue.record(error) }
            }
        }
        for index in 1...5000 {
            try writer.put("key \(index)", [UInt8](repeating: 7, count: index % 300), UInt64(index))
        }
        _ = done.next()
        helpers.wait()
        try writer.close()
        let reading = try fixture.read()
        #expect(reading.frames.count == 5002)
        #expect(reading.tail == .clean)
    }
}
