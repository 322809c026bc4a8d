@testable import Siltstone

/// Bytes of a file.
struct Extent: Hashable {
    var file: String
    var range: Range<Int>
}

/// One version of a key, or the removal of a range, and the bytes that prove it: as long as these are where they were,
/// each under its checksum, the version can be read, whatever else is damaged.
struct ProvedVersion: Hashable {
    var key: [UInt8]
    /// For the removal of a range, the first key behind it.
    var end: [UInt8]?
    /// Nil for a removal.
    var value: [UInt8]?
    var sequence: SequenceNumber
    var proof: [Extent]

    func covers(_ other: [UInt8]) -> Bool {
        guard let end else { return false }
        return !other.precedes(key) && other.precedes(end)
    }
}

extension [ProvedVersion] {
    /// What a store holds that has these versions: of each key the newest one, if no newer removal covers it.
    ///
    /// Sequence numbers tell the order; 0 is older than all others.
    func model() -> RecordedHistory.Model {
        var newest: [[UInt8]: ProvedVersion] = [:]
        let ranges = filter { $0.end != nil }
        for version in self where version.end == nil {
            if let other = newest[version.key], other.sequence > version.sequence { continue }
            newest[version.key] = version
        }
        var model: RecordedHistory.Model = [:]
        for (key, version) in newest where !ranges.contains(where: { $0.covers(key) && $0.sequence > version.sequence })
        {
            model[key] = version.value
        }
        return model
    }
}

/// A frame of a log, as it was before anything was damaged.
struct LogFrame {
    /// The bytes of the frame, and of the values that it points to.
    var proof: [Extent]
    var offset: Int
    var end: Int
    /// Everything before this offset was on stable storage when the frame was written.
    var mark: Int
    /// The last change up to and with this frame.
    var lastSequence: SequenceNumber
}

/// A log that was used: its file, and its frames in order.
struct LogOutline {
    var file: String
    var frames: [LogFrame]
    /// What the first of them says of the log before.
    var link = LogLink()
}
