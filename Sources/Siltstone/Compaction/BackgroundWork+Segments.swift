extension BackgroundWork {
    /// Merges sources into new segment files, synced and opened, whose names are durable.
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
