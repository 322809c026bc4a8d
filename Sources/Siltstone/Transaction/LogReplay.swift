/// Reads past commits from the logs that still exist, for a subscription that starts in the past.
///
/// A removed log, or a log whose rest is invalid, is not an error here. Other errors are thrown. ``FeedCursor`` notices
/// the gap in the sequence numbers and reports it to the subscriber.
struct LogReplay: Sendable {
    /// The logs that were not read to their ends, oldest first.
    private var logs: [(reader: FrameReader, end: Int)]

    /// Opens the logs that still exist.
    /// - Parameter extents: oldest first. The end of each one is fixed at the start of the subscription, because the
    ///   writer may append meanwhile. The feed has the later commits.
    init(_ extents: [LogExtent], in directory: StoreDirectory) throws(StoreError) {
        // Each of the two other settings asks for I/O errors that are thrown, and do not end the process.
        let configuration = directory.configuration
        let isMapped = configuration.access == .mapped && configuration.logWriting == .mapped
        logs = []
        for extent in extents {
            do throws(StoreError) {
                let reader = try FrameReader(
                    directory.fileSystem, path: extent.path, kind: .log, store: directory.identity,
                    number: extent.number, mapped: isMapped)
                logs.append((reader, extent.end))
            } catch {
                // A flush has made the log obsolete since, and the earlier logs too. The subscriber misses the changes
                // of all of them.
                guard error.errorNumber == Platform.noSuchFile else { throw error }
                logs = []
            }
        }
    }

    /// Returns the next commits, about one MiB. Returns none at the end.
    mutating func next() throws(StoreError) -> [CommitRecord] {
        var (records, bytes) = ([CommitRecord](), 0)
        while !logs.isEmpty, bytes < 1 << 20 {
            guard logs[0].reader.end < logs[0].end, let frame = try logs[0].reader.next() else {
                logs.removeFirst()
                continue
            }
            guard frame.kind == .batch else { continue }
            let record = CommitRecord(
                first: frame.firstSequence, last: frame.firstSequence + UInt64(frame.count) - 1,
                payload: [UInt8](frame.payload))
            records.append(record)
            bytes += record.byteCount
        }
        return records
    }
}
