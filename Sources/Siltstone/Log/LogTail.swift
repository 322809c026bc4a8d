/// What follows the last valid frame of a log.
enum LogTail: Hashable {
    /// Nothing: the file ends there, or there are only zeros.
    case clean
    /// Something that is no valid frame, and that nothing in the file proves to have been synced. A crash leaves this
    /// behind, and it may be cut off.
    ///
    /// With `laterFrames`, there are whole frames behind it: the disk took the writes before the crash in another
    /// order. They do not count.
    case torn(FrameFault, laterFrames: Bool)
    /// Something that is no valid frame where there was one that had reached stable storage. To cut it off would drop
    /// acknowledged changes.
    case damaged(FrameFault, proof: DamageProof)
}

/// Why bytes of a log that cannot be read must have been on stable storage.
enum DamageProof: Hashable, CustomStringConvertible {
    /// The whole frame at offset `frame` says that everything before `mark` was synced.
    case mark(Int, frame: Int)
    /// So much behind the place looks like frames and is none that the search for a proof was given up. Nothing is
    /// proven, and for want of a proof of the contrary nothing is cut off.
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
    /// What follows the last frame that was read, once ``next()`` has given nil.
    ///
    /// This is what the file itself proves. The manifest, and later logs, may know that more of it was synced
    /// (``provesLoss(ofLog:endingAt:)``).
    /// - Complexity: O(*n*) in the bytes behind ``end``.
    func tail() -> LogTail {
        assert(fault != nil)
        if fault == .zeros || fault == .cutOff, isZero(from: end) { return .clean }
        var scanner = FrameScanner(contents.bytes, file: fileChecksum, from: end)
        // The frame in this very place has been refused.
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

    /// Whether the frames of the file prove that all logs before this one were synced: a log is synced only after those,
    /// and a mark that covers its link says that it was, be the link all that it held by then. Whole frames behind the
    /// place where the frames end count too: they were written, whatever has become of those before them.
    func provesEarlierLogs() -> Bool {
        if syncedMark >= LogLink.end { return true }
        guard fault != nil, !isZero(from: end) else { return false }
        var scanner = FrameScanner(contents.bytes, file: fileChecksum, from: end)
        while let frame = scanner.next() {
            if frame.syncedMark >= LogLink.end { return true }
        }
        return false
    }

    /// What the first frame says of the log before; nil where no frame was read.
    var link: LogLink? {
        guard end > FileHeader.size else { return nil }
        do throws(FrameFault) {
            let frame = try Frame(contents.bytes, at: FileHeader.size, file: fileChecksum)
            return frame.kind == .link ? LogLink(frame.payload) : nil
        } catch { return nil }
    }

    /// Whether the file proves that an earlier log had more on stable storage than is left of it.
    /// - Parameters:
    ///   - number: the earlier log.
    ///   - end: where the frames that are left of it end.
    func provesLoss(ofLog number: UInt64, endingAt end: Int) -> Bool {
        if provesEarlierLogs() { return true }
        guard let link else { return false }
        // A log in between that was synced up to its link, at least, was synced after the earlier one.
        return link.synced > UInt64(link.log == number ? end : LogLink.end - 1)
    }

    /// The error for a tail that is damaged.
    func corruption(_ fault: FrameFault, _ proof: DamageProof) -> StoreError {
        .corrupt("the log cannot be read from here on: \(fault), and \(proof)", file: path, offset: end)
    }
}
