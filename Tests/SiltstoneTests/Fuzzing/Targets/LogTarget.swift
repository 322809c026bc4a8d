@testable import Siltstone

/// The input is the one log of a store.
enum LogTarget {
    static func run(_ bytes: [UInt8]) throws {
        let name = FuzzFiles.name(FuzzFiles.logHeader)
        do { try read(ExactFileSystem(files: [name: bytes]), name) } catch is StoreError {}
        try salvage(bytes)
        var files = FuzzFiles.store
        files[name] = bytes
        try StoreAttack.run(files, isHonest: true)
    }

    private static func read(_ fileSystem: ExactFileSystem, _ name: String) throws {
        var reader = try FrameReader(
            fileSystem, path: ExactFileSystem.directory + "/" + name, kind: .log, store: nil,
            number: FuzzFiles.logHeader.number)
        var end = FileHeader.size
        var checksum = reader.fileChecksum
        while let frame = try reader.next() {
            try FuzzFailure.unless(frame.offset == end && frame.end > end, "frames do not follow one another")
            try FuzzFailure.unless(frame.previous == checksum, "a frame is taken that follows another one")
            (end, checksum) = (frame.end, frame.checksum)
            if frame.kind == .batch { try readChanges(frame) }
            if frame.kind == .link { _ = LogLink(frame.payload) }
        }
        if case .damaged(_, .mark(let mark, frame: let frame)) = reader.tail() {
            try FuzzFailure.unless(mark > reader.end && frame > reader.end, "the proof of damage proves nothing")
        }
    }

    private static func readChanges(_ frame: Frame) throws {
        var changes = ChangeReader(frame.payload, firstSequence: frame.firstSequence)
        var bytes = 0
        do {
            while let change = try changes.next() { bytes += change.key.count + change.value.count }
        } catch {}  // that a change is malformed is an answer
        try FuzzFailure.unless(bytes <= frame.payload.count, "changes hold more than their batch")
    }

    /// Salvage hands out each byte once, as a frame or as lost, or leaves it out because it is zero.
    private static func salvage(_ bytes: [UInt8]) throws {
        guard bytes.count >= FileHeader.size else { return }
        try bytes.withBytes { whole in
            var salvage = LogSalvage(whole, header: FuzzFiles.logHeader)
            var end = FileHeader.size
            while let piece = salvage.next() {
                let range =
                    switch piece {
                    case .frame(let frame, _): frame.offset..<frame.end
                    case .lost(let range): range
                    }
                try FuzzFailure.unless(
                    range.lowerBound >= end && range.upperBound <= bytes.count, "salvage hands out bytes twice")
                end = range.upperBound
            }
        }
    }
}
