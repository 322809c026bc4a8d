/// One frame of a log or a manifest whose checksum is right, as borrowed bytes.
struct Frame {
    /// Where it begins in the file.
    var offset: Int
    var kind: FrameKind
    /// Of the first change of the payload; 0 where it has none.
    var firstSequence: SequenceNumber
    /// How many sequence numbers it uses.
    var count: Int
    /// Valid as long as the file's contents are.
    var payload: Bytes
    /// Everything before this offset of the file, in bytes, was on stable storage when the frame was written.
    var syncedMark: Int
    /// The frame's own checksum, which the next one refers to.
    var checksum: UInt32
    /// The checksum of the frame before.
    var previous: UInt32

    /// Where the frame behind it begins.
    var end: Int { offset + FrameHeader.frameSize(payload: payload.count) }
}

/// Why there is no valid frame at some offset.
enum FrameFault: Error, Hashable, CustomStringConvertible {
    /// Nothing but zeros: nothing was written there, or it was lost.
    case zeros
    /// The file ends inside the frame's header.
    case cutOff
    /// The frame claims more bytes than the file has.
    case tooLong
    /// The checksum does not match.
    case checksum
    /// The frame is whole, and does not follow the one before it: it is of an earlier life of the file, or the frame
    /// before was changed.
    case notChained
    /// The frame is whole, and claims that bytes behind it were synced before it was written.
    case markAhead
    /// The frame is whole, of a kind that this release does not know.
    case unknownKind(UInt32)
    /// The reader's owner cannot accept the frame, for the reason given.
    case rejected(String)

    var description: String {
        switch self {
        case .zeros: "the bytes are zero"
        case .cutOff: "the file ends inside a frame's header"
        case .tooLong: "the frame is longer than the file"
        case .checksum: "the frame fails its checksum"
        case .notChained: "the frame does not follow the one before it"
        case .markAhead: "the frame's synced mark is ahead of the frame"
        case .unknownKind(let kind): "the frame is of the unknown kind \(kind)"
        case .rejected(let reason): reason
        }
    }
}

extension Frame {
    /// Reads and checks the frame at `offset`, but for its link to the frame before.
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - file: the checksum of the file's header.
    /// - Complexity: O(*n*) in the bytes of the payload.
    init(_ bytes: Bytes, at offset: Int, file: UInt32) throws(FrameFault) {
        guard let (checksum, header) = FrameHeader.read(bytes, at: offset) else { throw .cutOff }
        let length = Int(header.length)
        let padded = FrameHeader.frameSize(payload: length) - FrameHeader.size
        guard let body = bytes.slice(offset + FrameHeader.size, padded) else { throw .tooLong }
        guard checksum == header.checksum(file: file, offset: offset, body: body) else {
            throw .checksum
        }
        guard let kind = FrameKind(rawValue: header.kind) else { throw .unknownKind(header.kind) }
        guard Int(header.mark) * 8 <= offset else { throw .markAhead }
        self.init(
            offset: offset, kind: kind, firstSequence: header.firstSequence, count: Int(header.count),
            payload: Bytes(rebasing: body[..<length]), syncedMark: Int(header.mark) * 8, checksum: checksum,
            previous: header.previous)
    }
}
