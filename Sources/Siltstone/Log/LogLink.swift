/// The payload of a log's first frame: the number of the log before it, and the end of that log.
///
/// The link of the next log reveals that a log, or the end of a log, was lost. ``synced`` distinguishes damage from a
/// loss that a crash may cause, because the earlier log may have no frame left that says how much of it was synced.
struct LogLink: Hashable, Sendable {
    /// Bytes of the encoding.
    static let size = 32
    /// End of a log's first frame, the link, as an offset in bytes. A synced mark that is at least this large proves
    /// that the log was synced, and so the earlier logs, which are always synced first.
    static let end = FileHeader.size + FrameHeader.size + size

    /// Number of the log before; 0 if there is none.
    var log: UInt64 = 0
    /// End of that log's frames, as an offset in bytes.
    var end: UInt64 = 0
    /// The checksum of that log's last frame.
    var checksum: UInt32 = 0
    /// Everything before this offset of that log, in bytes, was on stable storage when the link was made. A multiple of
    /// 8, at most ``end``; 0 if nothing is known, as in logs of earlier releases.
    var synced: UInt64 = 0
    /// The last sequence number used before this log.
    var lastSequence: SequenceNumber = 0
}

extension LogLink {
    /// Returns the encoding.
    func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(integer: log)
        bytes.append(integer: end)
        bytes.append(integer: checksum)
        bytes.append(integer: UInt32(truncatingIfNeeded: synced >> 3))  // units of 8 fit 32 bits
        bytes.append(integer: lastSequence)
        return bytes
    }

    /// Reads an encoding; nil if `bytes` is not a valid one.
    init?(_ bytes: Bytes) {
        guard bytes.count == Self.size, let log: UInt64 = bytes.integer(at: 0), let end: UInt64 = bytes.integer(at: 8),
            let checksum: UInt32 = bytes.integer(at: 16), let synced: UInt32 = bytes.integer(at: 20),
            let lastSequence: UInt64 = bytes.integer(at: 24), UInt64(synced) * 8 <= end
        else { return nil }
        self.init(log: log, end: end, checksum: checksum, synced: UInt64(synced) * 8, lastSequence: lastSequence)
    }
}
