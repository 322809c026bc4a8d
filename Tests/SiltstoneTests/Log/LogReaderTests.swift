import Testing

@testable import Siltstone

/// Reading logs.
struct LogReaderTests {
    /// A log of eight frames, with a sync after the fourth, sealed.
    private func sample(_ writing: LogWriting = .mapped, syncs: Bool = true) throws -> (LogFixture, [UInt8]) {
        let fixture = LogFixture()
        let writer = try fixture.create(LogFixture.options(writing))
        for index in 1...7 {
            try writer.put("key \(index)", [UInt8](repeating: UInt8(index), count: index * 9), UInt64(index))
            if syncs, index == 4 { try writer.sync() }
        }
        try writer.seal()
        return (fixture, try fixture.bytes())
    }

    @Test("frames come back as they were written", arguments: LogWriting.allCases, [true, false])
    func roundTrip(_ writing: LogWriting, mapped: Bool) throws {
        let fixture = LogFixture()
        let writer = try fixture.create(LogFixture.options(writing))
        var batch = WriteBatch()
        batch.put("a".utf8, "1".utf8)
        batch.delete("b".utf8)
        try writer.write(batch, first: 5)
        try writer.append(frame: .edit, payload: .emptyBytes)
        try writer.put("c", [], 7)
        try writer.close()
        let reading = try LogReading(try fixture.reader(mapped: mapped))
        #expect(reading.frames.map(\.kind) == [.link, .batch, .edit, .batch, .close])
        #expect(reading.frames.map(\.firstSequence) == [0, 5, 0, 7, 0])
        #expect(reading.frames.map(\.count) == [0, 2, 0, 1, 0])
        #expect(reading.frames[1].payload == batch.payload)
        #expect(reading.tail == .clean)
        #expect(reading.end == writer.end)
    }

    @Test("a log is byte for byte what the format says")
    func golden() throws {
        let fixture = LogFixture()
        let writer = try fixture.create()
        try writer.put("k", [9], 3)
        try writer.seal()
        let bytes = try fixture.bytes()
        #expect(bytes.count == 64 + 64 + 40)
        let frame = Array(bytes[128...])
        #expect(frame[4..<8] == [5, 0, 0, 0])
        #expect(frame[8..<16] == [3, 0, 0, 0, 0, 0, 0, 0])
        #expect(frame[16..<20] == [1, 0, 0, 0])
        #expect(frame[20..<24] == bytes[64..<68])
        #expect(frame[24..<28] == [8, 0, 0, 0])
        #expect(frame[28..<32] == [1, 0, 0, 0])
        #expect(frame[32...] == [1, 1, 1, 0x6b, 9, 0, 0, 0])
        let covered = Array(bytes[60..<64]) + [128, 0, 0, 0, 0, 0, 0, 0] + Array(frame[4...])
        let checksum = covered.withBytes { CRC32.checksum($0) }
        #expect(frame.withBytes { $0.integer(at: 0, as: UInt32.self) } == checksum)
    }

    @Test("a frame of nothing but a header, at the very end of the file, proves as much as any other")
    func proofAtTheEnd() throws {
        let fixture = LogFixture()
        let writer = try fixture.create()
        try writer.put("a", [UInt8](repeating: 1, count: 100), 1)
        try writer.sync()
        let place = LogLink.end
        try writer.close()
        var bytes = try fixture.bytes()
        #expect(try fixture.read(bytes).frames.last?.end == bytes.count)
        bytes[place + FrameHeader.size + 5] ^= 1
        let reading = try fixture.read(bytes)
        #expect(reading.end == place)
        guard case .damaged(.checksum, .mark(_, let frame)) = reading.tail else {
            Issue.record("\(reading.tail)")
            return
        }
        #expect(frame == bytes.count - FrameHeader.size)
    }

    @Test("a flipped byte ends the log before its frame: as damage where a mark proves it, else as a torn tail")
    func everyByteFlipped() throws {
        let (fixture, bytes) = try sample()
        let whole = try fixture.read(bytes)
        let synced = whole.frames[4].end
        for position in FileHeader.size..<bytes.count {
            var changed = bytes
            changed[position] ^= 0x10
            let reading = try fixture.read(changed)
            let good = whole.frames.prefix { $0.end <= position }
            #expect(reading.frames == Array(good), "byte \(position)")
            #expect(reading.end == good.last?.end ?? FileHeader.size)
            #expect(reading.isDamaged == (position < synced), "byte \(position)")
            #expect(reading.isTorn == (position >= synced), "byte \(position)")
        }
    }

    @Test("a changed header refuses the file")
    func headerFlipped() throws {
        let (fixture, bytes) = try sample()
        for position in 0..<FileHeader.size {
            var changed = bytes
            changed[position] ^= 0x10
            #expect(throws: StoreError.self, "byte \(position)") { _ = try fixture.read(changed) }
        }
    }

    @Test(
        "a log that is cut anywhere gives the frames before, and is torn inside a frame", arguments: [0, 1, 50, 4096])
    func everyTruncation(_ zeros: Int) throws {
        let (fixture, bytes) = try sample()
        let whole = try fixture.read(bytes)
        for length in FileHeader.size..<bytes.count {
            let reading = try fixture.read(Array(bytes.prefix(length)) + [UInt8](repeating: 0, count: zeros))
            var good = whole.frames.prefix { $0.end <= length }
            // What was cut off may have been zeros, which are there again.
            if good.count < whole.frames.count, reading.frames.count > good.count {
                good = whole.frames.prefix(good.count + 1)
                let end = good[good.endIndex - 1].end
                #expect(bytes[length..<end].allSatisfy { $0 == 0 })
            }
            #expect(reading.frames == Array(good), "length \(length)")
            let rest = bytes[min(reading.end, length)..<length]
            #expect(reading.tail == .clean || !rest.allSatisfy { $0 == 0 }, "length \(length)")
            #expect((reading.tail == .clean) == rest.allSatisfy { $0 == 0 }, "length \(length)")
            #expect(!reading.isDamaged)
        }
    }

    @Test("a page lost before the crash hides whole frames behind it, which do not count")
    func reordered() throws {
        let (fixture, bytes) = try sample(syncs: false)
        let whole = try fixture.read(bytes)
        var changed = bytes
        let lost = whole.frames[3]
        for position in lost.offset..<lost.end { changed[position] = 0 }
        let reading = try fixture.read(changed)
        #expect(reading.frames == Array(whole.frames.prefix(3)))
        #expect(reading.tail == .torn(.zeros, laterFrames: true))
        let (_, synced) = try sample()
        changed = synced
        for position in lost.offset..<lost.end { changed[position] = 0 }
        let proof = DamageProof.mark(whole.frames[4].end, frame: whole.frames[5].offset)
        #expect(try fixture.read(changed).tail == .damaged(.zeros, proof: proof))
    }

    @Test("bytes behind the last frame are a torn tail, zeros are none")
    func garbageBehind() throws {
        let (fixture, bytes) = try sample()
        var generator = SeededGenerator(1)
        for count in [1, 8, 31, 32, 33, 1000] {
            let reading = try fixture.read(bytes + generator.bytes(count))
            #expect(reading.end == bytes.count)
            #expect(reading.isTorn)
            #expect(try fixture.read(bytes + [UInt8](repeating: 0, count: count)).tail == .clean)
        }
    }

    @Test("frames of the life before a cut are not taken for a continuation")
    func staleFrames() throws {
        let fixture = LogFixture()
        let first = try fixture.create(LogFixture.options(.written, firstStep: 0))
        for index in 1...5 { try first.put("old", [UInt8(index)], UInt64(index)) }
        try first.seal()
        let old = try fixture.bytes()
        let whole = try fixture.read(old)
        // The third is lost and the log goes on in its place, with a frame of the same size; the fourth is still there.
        let kept = whole.frames[2]
        let second = try LogWriter.resume(
            fixture.fileSystem, path: fixture.path, header: fixture.header, end: kept.end, syncedEnd: 0,
            previous: try fixture.read(Array(old.prefix(kept.end))).checksum,
            options: LogFixture.options(.written, firstStep: 0))
        try second.put("new", [1], 3)
        try second.seal()
        let new = try fixture.bytes()
        #expect(new.count == whole.frames[3].end)
        let reading = try fixture.read(new + old[new.count...])
        #expect(reading.frames.count == 4)
        #expect(reading.frames.last?.payload.suffix(4) == Array("new".utf8) + [1])
        #expect(reading.end == new.count)
        #expect(reading.tail == .torn(.notChained, laterFrames: true))
    }

    @Test("a frame counts in its own file only, and at its own place")
    func boundToPlace() throws {
        let (fixture, bytes) = try sample()
        let other = FileHeader(kind: .log, store: fixture.header.store, number: 8)
        #expect(try LogReading(other.encoded() + bytes[64...], other).frames.isEmpty)
        let moved = Array(bytes[..<64]) + [UInt8](repeating: 0, count: 8) + bytes[64...]
        #expect(try fixture.read(moved).frames.isEmpty)
    }

    @Test("a frame that its owner cannot accept ends the log before it")
    func rejection() throws {
        let (fixture, _) = try sample(syncs: false)
        var reader = try fixture.reader()
        for _ in 0..<3 { _ = try reader.next() }
        let end = reader.end
        _ = try reader.next()
        reader.rejectLast("its value is missing")
        #expect(reader.end == end)
        #expect(try reader.next() == nil)
        #expect(reader.tail() == .torn(.rejected("its value is missing"), laterFrames: true))
    }

    /// A whole frame with no payload.
    private func frame(ofKind kind: UInt32, after previous: UInt32, at offset: Int, in fixture: LogFixture) -> [UInt8] {
        var frame = [UInt8](repeating: 0, count: FrameHeader.size)
        let header = FrameHeader(
            length: 0, firstSequence: 0, count: 0, previous: previous, mark: 0, kind: kind)
        frame.withMutableBytes {
            header.write(checksum: header.checksum(fileChecksum: fixture.header.checksum, offset: offset), to: $0)
        }
        return frame
    }

    @Test("a whole frame of an unknown kind refuses the log instead of ending it")
    func unknownKind() throws {
        let (fixture, bytes) = try sample()
        let end = try fixture.read(bytes)
        let frame = frame(ofKind: 99, after: end.checksum, at: end.end, in: fixture)
        let error = #expect(throws: StoreError.self) { _ = try fixture.read(bytes + frame) }
        #expect(error?.code == .unsupportedFormat)
        #expect(error?.offset == end.end)
    }

    @Test("a whole frame of an unknown kind that does not follow the one before refuses nothing")
    func unchainedUnknownKind() throws {
        let (fixture, bytes) = try sample()
        let end = try fixture.read(bytes)
        let reading = try fixture.read(bytes + frame(ofKind: 99, after: end.checksum ^ 1, at: end.end, in: fixture))
        #expect(reading.end == end.end)
        #expect(reading.tail == .torn(.unknownKind(99), laterFrames: false))
    }

    @Test("a whole frame that vouches for bytes behind its own beginning is none")
    func markAhead() throws {
        let (fixture, bytes) = try sample()
        let end = try fixture.read(bytes)
        for mark in [end.end, end.end + 8] {
            var frame = [UInt8](repeating: 0, count: 32)
            let header = FrameHeader(
                length: 0, firstSequence: 0, count: 0, previous: end.checksum, mark: UInt32(mark / 8),
                kind: FrameKind.close.rawValue)
            frame.withMutableBytes {
                header.write(checksum: header.checksum(fileChecksum: fixture.header.checksum, offset: end.end), to: $0)
            }
            let isRight = mark == end.end
            let reading = try fixture.read(bytes + frame)
            #expect(reading.end == (isRight ? end.end + 32 : end.end))
            #expect(reading.tail == (isRight ? .clean : .torn(.markAhead, laterFrames: false)))
        }
    }

    @Test("marks that cover the link prove that earlier logs were synced")
    func earlierLogs() throws {
        for syncs in [false, true] {
            let (fixture, _) = try sample(syncs: syncs)
            var reader = try fixture.reader()
            while try reader.next() != nil {}
            #expect(reader.provesEarlierLogsSynced() == syncs)
        }
    }

    @Test("a link says where the log before ended")
    func links() throws {
        let (fixture, _) = try sample()
        let writer = try LogFixture(path: "/x").create()
        try writer.put("a", [1], 42)
        try writer.sync()
        let synced = writer.end
        try writer.put("b", [1], 43)
        let link = writer.link(lastSequence: 43)
        #expect(link.log == 7 && link.end == UInt64(writer.end) && link.lastSequence == 43)
        #expect(link.synced == UInt64(synced))
        var bytes = link.encoded()
        #expect(bytes.count == LogLink.size)
        #expect(bytes.withBytes { LogLink($0) } == link)
        #expect(bytes.dropLast().withBytes { LogLink($0) } == nil)
        // As earlier releases have written it.
        bytes.replaceSubrange(20..<24, with: [0, 0, 0, 0])
        #expect(bytes.withBytes { LogLink($0) }?.synced == 0)
        // More cannot have been synced than there was.
        bytes.replaceSubrange(20..<24, with: [0xff, 0, 0, 0])
        #expect(bytes.withBytes { LogLink($0) } == nil)
        #expect(try fixture.read().frames[0].end == LogLink.end)
    }

    @Test("values that were made to look like frames cannot keep the reader busy, and nothing is cut off for them")
    func adversarialTail() throws {
        let fixture = LogFixture()
        let writer = try fixture.create(LogFixture.options(capacity: 4 << 20))
        // Each second word could begin a frame of 512 KiB. The value begins 6 bytes behind a multiple of 16.
        let pattern: [UInt8] = [0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 1, 0, 0, 0]
        let value = (0..<(1 << 20)).map { pattern[($0 + 6) & 15] }
        try writer.put("a", value, 1)
        try writer.seal()
        var bytes = try fixture.bytes()
        bytes[LogLink.end] ^= 1
        #expect(try fixture.read(bytes).tail == .damaged(.checksum, proof: .undecided))
    }
}

/// Salvaging logs.
struct LogSalvageTests {
    @Test("all whole frames come back in order, with what lies between and whether it matters")
    func pieces() throws {
        let fixture = LogFixture()
        let writer = try fixture.create()
        for index in 1...6 { try writer.put("key \(index)", [UInt8(index)], UInt64(index)) }
        writer.prepare(ahead: 10_000)
        let frames = try fixture.read().frames
        var bytes = try fixture.bytes()
        bytes[3] ^= 1
        bytes[frames[2].offset + 9] ^= 1
        bytes[frames[5].offset + 33] ^= 1
        bytes[frames[6].end + 100] = 1
        let pieces = bytes.withBytes { buffer in
            var salvage = LogSalvage(buffer, header: fixture.header)
            var pieces: [String] = []
            while let piece = salvage.next() {
                switch piece {
                case .frame(let frame, let isChained): pieces.append("\(frame.firstSequence) \(isChained)")
                case .lost(let range): pieces.append("\(range)")
                }
            }
            return pieces
        }
        #expect(
            pieces == [
                "0 true", "1 true", "\(frames[2].offset..<frames[2].end)", "3 false", "4 true",
                "\(frames[5].offset..<frames[5].end)", "6 false", "\(frames[6].end..<bytes.count)",
            ])
    }
}
