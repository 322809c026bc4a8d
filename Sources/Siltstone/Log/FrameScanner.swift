/// Finds whole frames anywhere in a file, whatever stands between them.
///
/// Frames begin at multiples of 8 and their checksum covers their place, so each such place can be tried on its own.
struct FrameScanner {
    private let bytes: Bytes
    private let file: UInt32
    /// Where the search goes on.
    private(set) var offset: Int
    /// Bytes that may still be spent on checksums of what looked like a frame and was none.
    private var budget: Int
    /// Whether the search ended because of the budget.
    private(set) var hasGivenUp = false

    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - file: the checksum of its header.
    ///   - offset: where to begin.
    ///   - effort: how many times over the file may be read in vain. Values that were made to look like frames could
    ///     else keep the search busy for a time that is quadratic in the length of the file; a copy of a log that was
    ///     stored as a value needs less than two.
    init(_ bytes: Bytes, file: UInt32, from offset: Int, effort: Int = 16) {
        self.bytes = bytes
        self.file = file
        self.offset = (offset + 7) & ~7
        budget = (bytes.count + 4096) * effort
    }

    /// Passes over the place where the search stands.
    mutating func skipCandidate() { offset += 8 }

    /// The next whole frame; nil where there is none up to the end of the file. The search goes on behind it.
    mutating func next() -> Frame? {
        while offset + FrameHeader.size <= bytes.count {
            // The two fields with the least freedom, in one load: mark and kind. Nearly all that is not a frame
            // fails here, at a nanosecond a place.
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

    /// Passes over a page of zeros at once: most of what stands behind the end of a log is space that was reserved.
    private mutating func skipZeros() {
        let page = 4096
        while offset + page <= bytes.count, bytes.isZero(offset..<offset + page) { offset += page - FrameHeader.size }
    }

    private mutating func candidate() -> Frame? {
        do {
            return try Frame(bytes, at: offset, file: file)
        } catch {
            guard case .checksum = error, let length: UInt32 = bytes.integer(at: offset + 4) else { return nil }
            budget -= Int(length)
            hasGivenUp = budget < 0
            return nil
        }
    }
}
