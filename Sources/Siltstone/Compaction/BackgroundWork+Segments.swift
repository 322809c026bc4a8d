extension BackgroundWork {
    /// Merges sources into new segments. The files are durable when this returns, their names only with the edit that
    /// adds them. If it throws, it has passed the files to ``ObsoleteFiles``.
    /// - Parameters:
    ///   - sources: the records, newest source first.
    ///   - rangeTombstones: the range tombstones of all sources.
    ///   - isBottom: see ``CompactionPlan/isBottom``.
    ///   - expectedRecords: approximate number of records, for sizing buffers; 0 if it is unknown.
    ///   - segmentBytes: size at which a new segment starts.
    ///   - pieces: bytes of each write call. Segments that last longer are written in larger pieces.
    ///   - relocate: returns the new pointer of a value that it moved; nil if the value stays.
    ///   - onProgress: see ``SegmentMerge/Environment/onProgress``.
    /// - Returns: readers of the new segments, in key order.
    /// - Throws: ``StoreError``; ``StoreError/Code/closed`` if `onProgress` has cancelled the merge.
    func makeSegments(
        sources: [RecordSource], rangeTombstones: [RangeTombstone], isBottom: Bool, expectedRecords: Int = 0,
        segmentBytes: Int, pieces: OutputPieces,
        relocate: @escaping (Record) throws(StoreError) -> ValuePointer? = { _ in nil },
        onProgress: @escaping (_ bytes: Int) -> Bool = { _ in false }
    ) throws(StoreError) -> [SegmentReader] {
        var made: [UInt64] = []
        var held: [UInt64: HeldValues] = [:]
        let seen = reads.snapshots.live(andAt: reads.visible)
        let snapshots = reads.snapshots.live()
        let options = SegmentOptions(
            blockBytes: configuration.blockBytes, compression: configuration.compression,
            expectedRecords: expectedRecords, pieces: pieces)
        let environment = SegmentMerge.Environment(
            newSegment: { () throws(StoreError) in
                let number = try self.versions.takeFileNumber()
                made.append(number)
                return try SegmentWriter(
                    file: self.directory.create(.segment(number)), number: number, store: self.directory.identity,
                    options: options)
            }, relocate: relocate,
            onOlderValue: { bytes in
                guard let segment = made.last else { return }
                held[segment, default: HeldValues(snapshots: snapshots)].bytes += bytes
            }, onProgress: onProgress)
        do {
            let merge = SegmentMerge(segmentBytes: segmentBytes, environment)
            let infos = try merge.run(sources, rangeTombstones, snapshots: seen, isBottom: isBottom)
            note(held: held)
            return try infos.map { info throws(StoreError) in try directory.openSegment(info) }
        } catch {
            obsolete.remove(made.map { .segment($0) })
            throw error
        }
    }

    /// Installs the segments of ``makeSegments`` with the edit that adds them. Discards their files if this fails.
    /// - Parameters:
    ///   - preloads: whether the segments are preloaded first.
    ///   - log: has values that may not be durable yet, and to which the segments refer.
    ///   - wakes: whether waiting writers are woken.
    ///   - count: counts the work.
    ///   - body: makes further changes that become visible together with the segments.
    func install(
        _ readers: [SegmentReader], _ edit: VersionEdit, preloads: Bool, syncing log: ValueLog?, wakes: Bool = true,
        counting count: (inout Statistics) -> Void, alsoUnderWriteLock body: () -> Void = {}
    ) throws(StoreError) {
        do {
            let unpreloaded = try preloads ? preload(readers) : readers.map(\.info.number)
            // Values must be durable before a durable segment points to them.
            try log?.sync()
            try versions.logAndApply(edit, opened: readers, wakes: wakes) {
                body()
                note(unpreloaded: unpreloaded, removed: edit.removedSegments, count)
            }
        } catch {
            versions.discard(edit.addedSegments.map { .segment($0.info.number) })
            throw error
        }
    }
}
