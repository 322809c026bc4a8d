/// Reads the intact parts of a damaged log, in the order of the file.
struct LogSalvage {
    /// A part of the file.
    enum Piece {
        /// An intact frame.
        ///
        /// `isChained` is true if it continues the previous intact frame (or the header), so that nothing between the
        /// two is missing.
        case frame(Frame, isChained: Bool)
        /// Bytes that belong to no intact frame and are not all zero.
        case lost(Range<Int>)
    }

    private let bytes: Bytes
    private var scanner: FrameScanner
    /// The checksum of the last intact frame, or of the header.
    private var lastChecksum: UInt32
    /// Offset of the end of the last piece.
    private var lastEnd = FileHeader.size
    /// The frame after the lost bytes that were returned last.
    private var waiting: Piece?

    /// - Parameters:
    ///   - bytes: the complete file. It must outlive the frames.
    ///   - header: the file's header. If that is damaged, the header that the file must have had, which follows from
    ///     the store and the file's number.
    init(_ bytes: Bytes, header: FileHeader) {
        self.bytes = bytes
        lastChecksum = header.checksum
        // The default effort limit protects against values that look like frames. Salvage uses a limit that is
        // practically never reached, because anything it skips is lost for good.
        scanner = FrameScanner(bytes, fileChecksum: header.checksum, from: FileHeader.size, effort: 1 << 20)
    }

    /// The next piece; nil at the end of the file.
    mutating func next() -> Piece? {
        if let piece = waiting {
            waiting = nil
            return piece
        }
        guard let frame = scanner.next() else { return lost(upTo: bytes.count) }
        let piece = Piece.frame(frame, isChained: frame.previous == lastChecksum)
        let gap = lost(upTo: frame.offset)
        lastChecksum = frame.checksum
        lastEnd = frame.end
        guard let gap else { return piece }
        waiting = piece
        return gap
    }

    /// The bytes between the last piece and `end`; nil if there are none or all are zero.
    private mutating func lost(upTo end: Int) -> Piece? {
        guard lastEnd < end else { return nil }
        defer { lastEnd = end }
        return bytes.isZero(lastEnd..<end) ? nil : .lost(lastEnd..<end)
    }
}
