/// What a frame holds; the raw values are on disk.
enum FrameKind: UInt32, Sendable {
    /// Changes that take effect together.
    case batch = 1
    /// The first frame of a log: which log came before (``LogLink``).
    case link = 2
    /// The file was closed in good order here.
    case close = 3
    /// A change of a manifest.
    case edit = 4
}

/// The 32 bytes before the payload of a frame (`Docs/Format.md`, "Frames").
///
/// The checksum covers the file's own header checksum and the frame's offset, so that a frame counts only in its
/// file and at its place; the link to the frame before keeps out what an earlier life of the file left behind, as
/// the chained checksums of SQLite's write-ahead log do.
struct FrameHeader {
    /// Bytes of the header.
    static let size = 32
    /// Bytes of the greatest payload.
    static let greatestPayload = Int(UInt32.max)
    /// The greatest offset that a synced mark can tell, which limits the length of the file.
    static let greatestOffset = Int(UInt32.max) * 8

    /// Bytes of the payload.
    var length: UInt32
    /// Of the first change of the payload; 0 where it has none.
    var firstSequence: SequenceNumber
    /// How many sequence numbers the payload uses.
    var count: UInt32
    /// The checksum of the frame before; for the first one that of the file header.
    var previous: UInt32
    /// Everything before this offset, in units of 8 bytes, was on stable storage when the frame was written.
    var mark: UInt32
    /// The raw value of a ``FrameKind``.
    var kind: UInt32

    /// Bytes that a frame takes, padding included.
    @inline(__always)
    static func frameSize(payload: Int) -> Int { size &+ ((payload &+ 7) & ~7) }

    /// The checksum of the frame.
    /// - Parameters:
    ///   - file: the checksum of the file's header.
    ///   - offset: where the frame begins in the file.
    ///   - body: the payload and its padding. With none, the checksum is one that theirs continues.
    @inline(__always)
    func checksum(file: UInt32, offset: Int, body: Bytes = .emptyBytes) -> UInt32 {
        let offset = UInt64(truncatingIfNeeded: offset)
        return CRC32.checksum(
            UInt64(file) | offset &<< 32,
            offset &>> 32 | UInt64(length) &<< 32,
            firstSequence,
            UInt64(count) | UInt64(previous) &<< 32,
            UInt64(mark) | UInt64(kind) &<< 32,
            then: body)
    }

    /// Writes the header, with the frame's checksum in front.
    @inline(__always)
    func write(checksum: UInt32, to bytes: MutableBytes) {
        bytes.uncheckedStore(UInt64(checksum) | UInt64(length) &<< 32, at: 0)
        bytes.uncheckedStore(firstSequence, at: 8)
        bytes.uncheckedStore(UInt64(count) | UInt64(previous) &<< 32, at: 16)
        bytes.uncheckedStore(UInt64(mark) | UInt64(kind) &<< 32, at: 24)
    }
}

extension FrameHeader {
    /// Reads the fields at `offset`, unchecked but for the bounds, and the frame's checksum.
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
