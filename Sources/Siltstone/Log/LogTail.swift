/// The part of a log after its last valid frame.
enum LogTail: Hashable {
    /// Nothing: the file ends there, or has only zeros.
    case clean
    /// Bytes that are no valid frame, without proof in the file that they were synced. A crash leaves such bytes, and
    /// they may be cut off.
    ///
    /// With `laterFrames`, intact frames follow, because the disk had reordered the writes before the crash. These
    /// frames do not count.
    case torn(FrameFault, laterFrames: Bool)
    /// Bytes that are no valid frame, at an offset where a frame had reached stable storage, or may have
    /// (``DamageProof/undecided``). Cutting them off could drop acknowledged changes.
    case damaged(FrameFault, proof: DamageProof)
}

/// The reason why unreadable bytes of a log are not cut off.
enum DamageProof: Hashable, CustomStringConvertible {
    /// The intact frame at offset `frame` says that everything before `mark` was synced.
    case mark(Int, frame: Int)
    /// The search for a proof was stopped, because too many of the following bytes look like frames and are none.
    /// Nothing is proven, and without a proof of the contrary nothing is cut off.
    case undecided

    var description: String {
        switch self {
        case .mark(let mark, let frame):
            "the frame at offset \(frame) says that everything before offset \(mark) was on stable storage"
        case .undecided: "the bytes behind it look too much like frames to tell whether it is the end"
        }
    }
}

extension FrameReader {
    /// Classifies the bytes after the last frame read, once ``next()`` has returned nil.
    ///
    /// This uses only the proofs in the file itself. The manifest and later logs may know that more of the file was
    /// synced (``provesLoss(ofLog:endingAt:)``).
    /// - Complexity: O(*n*) in the bytes after ``end``.
    func tail() -> LogTail {
        assert(fault != nil)
        if fault == .zeros || fault == .cutOff, isZero(from: end) { return .clean }
        var scanner = FrameScanner(contents.bytes, fileChecksum: fileChecksum, from: end)
        // The frame at this offset has been rejected already.
        scanner.skipCandidate()
        var hasLaterFrames = false
        while let frame = scanner.next() {
            if frame.syncedMark > end {
                return .damaged(fault ?? .zeros, proof: .mark(frame.syncedMark, frame: frame.offset))
            }
            hasLaterFrames = true
        }
        if scanner.hasGivenUp { return .damaged(fault ?? .zeros, proof: .undecided) }
        return .torn(fault ?? .zeros, laterFrames: hasLaterFrames)
    }

    /// Returns true if the frames of the file prove that all earlier logs were synced.
    ///
    /// A log is synced only after the earlier ones. A mark that covers the log's link proves that the log was synced,
    /// even if the link was all that it held then. Intact frames after the last valid one count too, because they were
    /// written, whatever has happened to the frames before them.
    func provesEarlierLogsSynced() -> Bool {
        if syncedMark >= LogLink.end { return true }
        guard fault != nil, !isZero(from: end) else { return false }
        let frames = FrameScanner(contents.bytes, fileChecksum: fileChecksum, from: end)
        return frames.contains { $0.syncedMark >= LogLink.end }
    }

    /// The first frame's link to the earlier log; nil if no frame was read, or the first one is not a link.
    var link: LogLink? {
        guard end > FileHeader.size else { return nil }
        do throws(FrameFault) {
            let frame = try Frame(contents.bytes, at: FileHeader.size, fileChecksum: fileChecksum)
            return frame.kind == .link ? LogLink(frame.payload) : nil
        } catch { return nil }
    }

    /// Returns true if the file proves that an earlier log had more bytes on stable storage than remain.
    /// - Parameters:
    ///   - number: the earlier log.
    ///   - end: end of that log's remaining frames, in bytes.
    func provesLoss(ofLog number: UInt64, endingAt end: Int) -> Bool {
        if provesEarlierLogsSynced() { return true }
        guard let link else { return false }
        // If a log in between was synced at least up to its link, it was synced after the earlier log.
        return link.synced > UInt64(link.log == number ? end : LogLink.end - 1)
    }

    /// Returns the error for a damaged tail.
    func corruption(_ fault: FrameFault, _ proof: DamageProof) -> StoreError {
        .corrupt("the log cannot be read from here on: \(fault), and \(proof)", file: path, offset: end)
    }
}
