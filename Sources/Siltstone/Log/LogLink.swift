/// The payload of a log's first frame: which log came before it, and where that one ended.
///
/// A log that was lost, or lost its end, shows in the one behind it.
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
    /// The last sequence number used before this log.
    var lastSequence: SequenceNumber = 0

    init(log: UInt64 = 0, end: UInt64 = 0, checksum: UInt32 = 0, lastSequence: SequenceNumber = 0) {
        self.log = log
        self.end = end
        self.checksum = checksum
        self.lastSequence = lastSequence
    }

    /// The encoding.
    func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(integer: log)
        bytes.append(integer: end)
        bytes.append(integer: checksum)
        bytes.append(integer: UInt32(0))
        bytes.append(integer: lastSequence)
        return bytes
    }

    /// Reads an encoding; nil where `bytes` is not one.
    init?(_ bytes: Bytes) {
        guard bytes.count == Self.size, let log: UInt64 = bytes.integer(at: 0), let end: UInt64 = bytes.integer(at: 8),
            let checksum: UInt32 = bytes.integer(at: 16), let lastSequence: UInt64 = bytes.integer(at: 24)
        else { return nil }
        self.init(log: log, end: end, checksum: checksum, lastSequence: lastSequence)
    }
}
