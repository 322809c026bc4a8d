extension BackgroundWork {
    /// Merges sources into new segment files. When it returns, the files are synced and opened, and their directory
    /// entries are durable. Removes the files if it fails.
    /// - Parameters:
    ///   - sources: the records, newest source first.
    ///   - tombstones: the range tombstones of all sources.
    ///   - isBottom: true if no older data exists below the sources, so that tombstones can be dropped.
    ///   - expectedRecords: approximate number of records, for sizing buffers; 0 if it is unknown.
    ///   - segmentBytes: size at which a new segment starts.
    ///   - pieces: bytes of each write call, chosen by how long the segments will last.
    ///   - relocate: returns the new pointer of a value that it moved; nil if the value stays.
    ///   - shouldStop: gets the bytes read since its last call, with ``SegmentMerge/recordOverhead`` for each record. It
    ///     returns true to cancel the merge.
    /// - Returns: the new segments in key order, and a reader for each by file number.
    /// - Throws: ``StoreError``; ``StoreError/Code/closed`` if `shouldStop` has cancelled the merge.
    func makeSegments(
        sources: [RecordSource], tombstones: [RangeTombstone], isBottom: Bool, expectedRecords: Int = 0,
        segmentBytes: Int, pieces: OutputPieces,
        relocate: @escaping (Record) throws(StoreError) -> ValuePointer? = { _ in nil },
        shouldStop: @escaping (_ bytes: Int) -> Bool = { _ in false }
    ) throws(StoreError) -> ([SegmentInfo], [UInt64: SegmentReader]) {
        var made: [UInt64] = []
        let options = SegmentOptions(
            blockBytes: configuration.blockBytes, compression: configuration.compression,
            expectedRecords: expectedRecords, pieces: pieces)
        let environment = SegmentMerge.Environment(
            newSegment: { () throws(StoreError) in
                let number = self.versions.takeFileNumber()
                made.append(number)
                return try SegmentWriter(
                    file: self.directory.create(.segment(number)), number: number, store: self.directory.identity,
                    options: options)
            }, relocate: relocate, shouldStop: shouldStop)
        do {
            let merge = SegmentMerge(
                sources: sources, tombstones: tombstones, snapshots: reads.snapshots.live(), isBottom: isBottom,
                segmentBytes: segmentBytes, environment: environment)
            let infos = try merge.run()
            if !infos.isEmpty { try directory.sync() }
            var readers: [UInt64: SegmentReader] = [:]
            for info in infos { readers[info.number] = try directory.openSegment(info) }
            return (infos, readers)
        } catch {
            obsolete.remove(made.map { .segment($0) })
            throw error
        }
    }
}
