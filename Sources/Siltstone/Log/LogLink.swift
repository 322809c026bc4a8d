/// The payload of a log's first frame: which log came before it, and where that one ended.
///
/// A log that was lost, or lost its end, shows in the one behind it. ``synced`` tells a loss that a crash may bring about
/// from damage: no frame of the log before may be left to tell how far that one was synced.
struct LogLink: Hashable, Sendable {
    /// Bytes of the encoding.
    static let size = 32
    /// Where the frames behind a log's link begin. A synced mark above this proves that the logs before were synced.
    static let end = FileHeader.size + FrameHeader.size + size

    /// Number of the log before; 0 where there is none.
    var log: UInt64 = 0
    /// Where that log's frames end, in bytes.
    var end: UInt64 = 0
    /// The checksum of its last frame.
    var checksum: UInt32 = 0
    /// Everything before this offset of that log, in bytes, was on stable storage when the link was made. A multiple of 8,
    /// at most ``end``; 0 where nothing is known, as in logs of earlier releases.
    var synced: UInt64 = 0
    /// The last sequence number used before this log.
    var lastSequence: SequenceNumber = 0

    init(
        log: UInt64 = 0, end: UInt64 = 0, checksum: UInt32 = 0, synced: UInt64 = 0, lastSequence: SequenceNumber = 0
    ) {
        self.log = log
        self.end = end
        self.checksum = checksum
        self.synced = synced
        self.lastSequence = lastSequence
    }

    /// The encoding.
    func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(integer: log)
        bytes.append(integer: end)
        bytes.append(integer: checksum)
        bytes.append(integer: UInt32(truncatingIfNeeded: synced >> 3))  // a log ends within what 32 bits can tell
        bytes.append(integer: lastSequence)
        return bytes
    }

    /// Reads an encoding; nil where `bytes` is not one.
    init?(_ bytes: Bytes) {
        guard bytes.count == Self.size, let log: UInt64 = bytes.integer(at: 0), let end: UInt64 = bytes.integer(at: 8),
            let checksum: UInt32 = bytes.integer(at: 16), let synced: UInt32 = bytes.integer(at: 20),
            let lastSequence: UInt64 = bytes.integer(at: 24), UInt64(synced) * 8 <= end
        else { return nil }
        self.init(log: log, end: end, checksum: checksum, synced: UInt64(synced) * 8, lastSequence: lastSequence)
    }
}
