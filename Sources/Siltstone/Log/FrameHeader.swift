/// The kind of a frame; the raw values are on disk.
enum FrameKind: UInt32, Sendable {
    /// Changes that take effect atomically.
    case batch = 1
    /// The first frame of a log. It names the log before it, with that log's end and last checksum (``LogLink``).
    case link = 2
    /// The file was closed cleanly here.
    case close = 3
    /// An edit of a manifest.
    case edit = 4
}

/// The 32 bytes before the payload of a frame (`Docs/Format.md`, "Frames").
///
/// The checksum covers the checksum of the file's header and the frame's offset, so a frame is valid only in its file
/// and at its offset. ``previous`` chains each frame to the one before it. The chain excludes frames that are left from
/// an earlier use of the file's space, like the cumulative checksums of SQLite's write-ahead log. All checksums are the
/// CRC-32 of zlib, not CRC-32C. All fields are little-endian.
struct FrameHeader {
    /// Bytes of the header.
    static let size = 32
    /// Bytes of the largest payload.
    static let greatestPayload = Int(UInt32.max)
    /// The largest offset that a synced mark (``mark``) can express, in bytes. It limits the length of the file.
    static let greatestOffset = Int(UInt32.max) * 8

    /// Bytes of the payload.
    var length: UInt32
    /// Sequence number of the payload's first change; 0 if it has no changes.
    var firstSequence: SequenceNumber
    /// Number of changes in the payload. Each uses one sequence number.
    var count: UInt32
    /// The checksum of the frame before this one; in the first frame, the checksum of the file header.
    var previous: UInt32
    /// The synced mark, in units of 8 bytes: everything before this offset of the file was synced when the frame was
    /// written. By the mark, recovery tells a torn tail, which it accepts, from damage to a synced frame, which it
    /// reports as corruption.
    var mark: UInt32
    /// The raw value of a ``FrameKind``. Raw, so that a frame of an unknown kind can be read and reported.
    var kind: UInt32

    /// Returns the size of a frame in bytes, padding included. Frames are padded to 8 bytes, so that ``mark`` can count
    /// in units of 8 and reach 32 GiB.
    @inline(__always)
    static func frameSize(payload: Int) -> Int { size &+ ((payload &+ 7) & ~7) }

    /// Returns the checksum of the frame.
    /// - Parameters:
    ///   - fileChecksum: that of the file's header.
    ///   - offset: start of the frame in the file, in bytes.
    ///   - body: the payload and its padding. Leave it empty to checksum them in parts, by
    ///     `CRC32.checksum(_:continuing:)` from the returned value on.
    @inline(__always)
    func checksum(fileChecksum: UInt32, offset: Int, body: Bytes = .emptyBytes) -> UInt32 {
        let offset = UInt64(truncatingIfNeeded: offset)
        // In bytes: file 4, offset 8, length 4, firstSequence 8, count 4, previous 4, mark 4, kind 4.
        return CRC32.checksum(
            UInt64(fileChecksum) | offset &<< 32,
            offset &>> 32 | UInt64(length) &<< 32,
            firstSequence,
            UInt64(count) | UInt64(previous) &<< 32,
            UInt64(mark) | UInt64(kind) &<< 32,
            then: body)
    }

    /// Writes the frame's checksum, followed by the other fields of the header.
    @inline(__always)
    func write(checksum: UInt32, to bytes: MutableBytes) {
        bytes.uncheckedStore(UInt64(checksum) | UInt64(length) &<< 32, at: 0)
        bytes.uncheckedStore(firstSequence, at: 8)
        bytes.uncheckedStore(UInt64(count) | UInt64(previous) &<< 32, at: 16)
        bytes.uncheckedStore(UInt64(mark) | UInt64(kind) &<< 32, at: 24)
    }
}

extension FrameHeader {
    /// Reads the fields at `offset` and the frame's checksum. Checks only the bounds; returns nil outside of them.
    static func read(_ bytes: Bytes, at offset: Int) -> (checksum: UInt32, header: FrameHeader)? {
        guard let bytes = bytes.slice(offset, size), let checksum: UInt32 = bytes.integer(at: 0),
            let length: UInt32 = bytes.integer(at: 4), let sequence: UInt64 = bytes.integer(at: 8),
            let count: UInt32 = bytes.integer(at: 16), let previous: UInt32 = bytes.integer(at: 20),
            let mark: UInt32 = bytes.integer(at: 24), let kind: UInt32 = bytes.integer(at: 28)
        else { return nil }
        let header = FrameHeader(
            length: length, firstSequence: sequence, count: count, previous: previous, mark: mark, kind: kind)
        return (checksum, header)
    }
}
