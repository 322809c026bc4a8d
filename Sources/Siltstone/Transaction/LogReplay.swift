/// Reads commits of the past from the logs that are alive: for a feed that begins before now.
struct LogReplay: Sendable {
    private var logs: [(reader: FrameReader, end: Int)]

    /// Opens logs, as far as they are still there.
    /// - Parameter extents: oldest first, each up to where its frames ended when the subscription began.
    init(_ extents: [LogExtent], in directory: StoreDirectory) throws(StoreError) {
        logs = []
        for extent in extents {
            do throws(StoreError) {
                let reader = try FrameReader(
                    directory.fileSystem, path: extent.path, kind: .log, store: directory.identity,
                    number: extent.number,
                    mapped: directory.configuration.logWriting == .mapped)
                logs.append((reader, extent.end))
            } catch {
                // A flush has made the log obsolete meanwhile. What it held, and the logs before it, is lost to the feed.
                guard error.errorNumber == Platform.noSuchFile else { throw error }
                logs = []
            }
        }
    }

    /// The next commits, a mebibyte or so at a time; none at the end.
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
