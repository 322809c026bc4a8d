/// All that can still be read of a damaged log or manifest, in the order of the file.
struct LogSalvage {
    /// A stretch of the file.
    enum Piece {
        /// A whole frame.
        ///
        /// `isChained` tells whether it follows the whole frame (or the header) that was found before it, so that
        /// nothing between the two is missing.
        case frame(Frame, isChained: Bool)
        /// Bytes that belong to no whole frame, and are not all zero.
        case lost(Range<Int>)
    }

    private let bytes: Bytes
    private var scanner: FrameScanner
    private var lastChecksum: UInt32
    private var lastEnd = FileHeader.size
    private var waiting: Piece?

    /// - Parameters:
    ///   - bytes: the whole file, which must outlive the frames.
    ///   - header: the header that the file has, or, where that is damaged, must have had: it follows from the store
    ///     and the file's number.
    init(_ bytes: Bytes, header: FileHeader) {
        self.bytes = bytes
        lastChecksum = header.checksum
        // No limit worth the name: what is lost here is lost for good.
        scanner = FrameScanner(bytes, file: header.checksum, from: FileHeader.size, effort: 1 << 20)
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

    private mutating func lost(upTo end: Int) -> Piece? {
        guard lastEnd < end else { return nil }
        defer { lastEnd = end }
        return bytes.isZero(lastEnd..<end) ? nil : .lost(lastEnd..<end)
    }
}
