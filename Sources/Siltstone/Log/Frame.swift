/// One frame of a log or a manifest whose checksum is correct, as borrowed bytes.
struct Frame {
    /// Start of the frame, as an offset in the file in bytes.
    var offset: Int
    var kind: FrameKind
    /// Sequence number of the payload's first change; 0 if it has no changes.
    var firstSequence: SequenceNumber
    /// Number of sequence numbers that the payload uses.
    var count: Int
    /// Valid as long as the file's contents.
    var payload: Bytes
    /// The synced mark, in bytes: everything before this offset of the file was on stable storage when the frame was
    /// written.
    var syncedMark: Int
    /// The frame's own checksum, which the next frame refers to.
    var checksum: UInt32
    /// The checksum of the frame before this one, as this frame has it.
    var previous: UInt32

    /// Start of the next frame, as an offset in bytes.
    var end: Int { offset + FrameHeader.frameSize(payload: payload.count) }
}

/// The reason why there is no valid frame at an offset.
enum FrameFault: Error, Hashable, CustomStringConvertible {
    /// The header is all zeros: nothing was written there, or it was lost.
    case zeros
    /// The file ends inside the frame's header.
    case cutOff
    /// The frame's length exceeds the rest of the file.
    case tooLong
    /// The checksum does not match.
    case checksum
    /// The frame is intact, but does not follow the frame before it: it is left from an earlier use of the file's
    /// space, or the frame before it has changed.
    case notChained
    /// The frame is intact, but its synced mark covers bytes after its own start.
    case markAhead
    /// The frame is intact, but has a kind that this release does not know.
    case unknownKind(UInt32)
    /// The frame is intact, but the owner of the reader rejects its contents (``FrameReader/rejectLast(_:)``).
    case rejected(String)

    var description: String {
        switch self {
        case .zeros: "the bytes are zero"
        case .cutOff: "the file ends inside a frame's header"
        case .tooLong: "the frame runs past the end of the file"
        case .checksum: "the frame fails its checksum"
        case .notChained: "the frame does not follow the one before it"
        case .markAhead: "the frame's synced mark is ahead of the frame"
        case .unknownKind(let kind): "the frame is of the unknown kind \(kind)"
        case .rejected(let reason): reason
        }
    }
}

extension Frame {
    /// Reads and checks the frame at `offset`. Does not check its link to the frame before it.
    /// - Parameters:
    ///   - bytes: the complete file.
    ///   - offset: start of the frame, in bytes.
    ///   - fileChecksum: that of the file's header.
    /// - Complexity: O(*n*) in the bytes of the payload.
    init(_ bytes: Bytes, at offset: Int, fileChecksum: UInt32) throws(FrameFault) {
        guard let (checksum, header) = FrameHeader.read(bytes, at: offset) else { throw .cutOff }
        let length = Int(header.length)
        let padded = FrameHeader.frameSize(payload: length) - FrameHeader.size
        guard let body = bytes.slice(offset + FrameHeader.size, padded) else { throw .tooLong }
        guard checksum == header.checksum(fileChecksum: fileChecksum, offset: offset, body: body) else {
            throw .checksum
        }
        guard let kind = FrameKind(rawValue: header.kind) else { throw .unknownKind(header.kind) }
        // The mark counts in units of eight bytes.
        guard Int(header.mark) * 8 <= offset else { throw .markAhead }
        self.init(
            offset: offset, kind: kind, firstSequence: header.firstSequence, count: Int(header.count),
            payload: Bytes(rebasing: body[..<length]), syncedMark: Int(header.mark) * 8, checksum: checksum,
            previous: header.previous)
    }
}
