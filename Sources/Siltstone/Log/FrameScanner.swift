/// Finds intact frames anywhere in a file, whatever lies between them.
///
/// Frames start at multiples of 8, and the checksum of a frame covers its offset. So each multiple of 8 can be tried by
/// itself.
struct FrameScanner: Sequence, IteratorProtocol {
    private let bytes: Bytes
    /// The checksum of the file's header.
    private let fileChecksum: UInt32
    /// The next offset to try, in bytes.
    private(set) var offset: Int
    /// Bytes that may still be spent on checksums of false candidates: bytes that look like a frame but are none.
    private var budget: Int
    /// True if the search ended because the budget was spent.
    private(set) var hasGivenUp = false

    /// Creates a scanner.
    /// - Parameters:
    ///   - bytes: the complete file.
    ///   - fileChecksum: that of its header.
    ///   - offset: start of the search, in bytes.
    ///   - effort: the budget for false candidates, as a multiple of the file's length. Without it, values that were
    ///     made to look like frames could keep the search busy for a time that is quadratic in the length of the file.
    ///     A copy of a log that was stored as a value needs less than twice the length.
    init(_ bytes: Bytes, fileChecksum: UInt32, from offset: Int, effort: Int = 16) {
        self.bytes = bytes
        self.fileChecksum = fileChecksum
        self.offset = (offset + 7) & ~7
        budget = (bytes.count + 4096) * effort
    }

    /// Skips the current offset.
    mutating func skipCandidate() { offset += 8 }

    /// Returns the next intact frame; nil if there is none before the end of the file, or if the budget is spent. The
    /// search continues after the frame.
    mutating func next() -> Frame? {
        while offset + FrameHeader.size <= bytes.count {
            // One load reads the two fields with the fewest valid values, mark and kind. Nearly all other bytes fail
            // here, at a nanosecond for each offset.
            let word: UInt64 = bytes.integer(at: offset + 24) ?? 0
            let kind = UInt32(truncatingIfNeeded: word >> 32)
            let mark = UInt32(truncatingIfNeeded: word)
            guard FrameKind(rawValue: kind) != nil, Int(mark) * 8 <= offset else {
                offset += 8
                if word == 0 { skipZeros() }
                continue
            }
            if let frame = candidate() {
                offset = frame.end
                return frame
            }
            if hasGivenUp { return nil }
            offset += 8
        }
        return nil
    }

    /// Skips pages of zeros at once, because most bytes after the end of a log are reserved space. A header may begin
    /// with zeros, so the last bytes of each page are tried again.
    private mutating func skipZeros() {
        let page = 4096
        while offset + page <= bytes.count, bytes.isZero(offset..<offset + page) { offset += page - FrameHeader.size }
    }

    /// Returns the frame at the current offset; nil if there is none. Charges the bytes of a failed checksum to the
    /// budget.
    private mutating func candidate() -> Frame? {
        do {
            return try Frame(bytes, at: offset, fileChecksum: fileChecksum)
        } catch {
            guard case .checksum = error, let length: UInt32 = bytes.integer(at: offset + 4) else { return nil }
            budget -= Int(length)
            hasGivenUp = budget < 0
            return nil
        }
    }
}
