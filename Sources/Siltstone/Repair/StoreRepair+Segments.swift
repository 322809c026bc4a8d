extension StoreRepair {
    /// The segments that the manifest names and that are present. Reports the others as lost.
    mutating func knownSegments(_ present: Set<StoreFile>) -> [VersionEdit.PlacedSegment] {
        let all = known.segments.values.sorted { $0.info.number < $1.info.number }
        for placed in all where !present.contains(.segment(placed.info.number)) {
            lose(.segment(placed.info.number), nil, "the file is missing, with \(placed.info.recordCount) records")
        }
        return all.filter { present.contains(.segment($0.info.number)) }
    }

    /// The segments that the manifest does not name and that may hold changes that no other file has; none if the
    /// manifest has not lost its end. A segment that cannot be opened is among them, for salvage. Called after the
    /// repair of the known segments.
    func unknownSegments(_ present: Set<StoreFile>) throws(StoreError) -> [VersionEdit.PlacedSegment] {
        var result: [VersionEdit.PlacedSegment] = []
        guard !trustsManifest else { return result }
        for number in present.numbers(of: .segment) where known.segments[number] == nil {
            let info = try StoreError.unlessDamaged(openSegment(number).info)
            if let info, isRedundant(info, present) { continue }
            result.append(.init(info: info ?? SegmentInfo(number: number), level: 0, run: number))
        }
        return result
    }

    /// True if the segments that the manifest names certainly hold all that matters of a segment that it does not name.
    ///
    /// - The manifest knows the largest sequence number in its segments. If the unknown segment has a larger one, that
    ///   change was flushed later.
    /// - Otherwise, if all records have their sequence numbers, each of them is also in a known segment, or a newer
    ///   change has replaced it there. That suffices if every known segment is intact.
    /// - A merge with all older data leaves records without their numbers. So small numbers alone do not prove that its
    ///   inputs are known. But if the number of its file was not free for the manifest, the segment is the output of a
    ///   compaction of known segments, or an input of one. That suffices if all known segments are present. Otherwise
    ///   some of the inputs may be missing, and nothing tells which.
    private func isRedundant(_ info: SegmentInfo, _ present: Set<StoreFile>) -> Bool {
        if known.segments.isEmpty || info.greatestSequence > known.lastSequence { return false }
        let numbers = known.segments.keys
        if info.smallestSequence > 0, numbers.allSatisfy({ next.segments[$0] != nil }) { return true }
        return info.number < known.nextFileNumber && numbers.allSatisfy { present.contains(.segment($0)) }
    }

    /// Puts a segment into the repaired store: as it is if it is intact, otherwise a new segment with its validated
    /// records.
    mutating func repairSegment(
        _ placed: VersionEdit.PlacedSegment, _ values: RepairedValues
    ) throws(StoreError) {
        let number = placed.info.number
        let file = StoreFile.segment(number)
        progress?("reading \(file.name)")
        if let info = try intactSegment(placed, values) {
            next.segments[number] = .init(info: info, level: placed.level, run: placed.run)
            report.recordsKept += info.recordCount
            return
        }
        // The checksums of blocks cover the segment's number but not the store. Salvage would therefore accept blocks
        // of another store's segment.
        if let fault = try headerFault(of: file), fault.isForeign {
            return lose(file, fault.error.offset, "\(fault.error.message); it had \(placed.info.recordCount) records")
        }
        let newNumber = takeNumber()
        guard let info = try salvage(placed, into: newNumber, values) else { return }
        next.segments[newNumber] = .init(info: info, level: placed.level, run: placed.run)
        salvagedFiles[newNumber] = number
        report.recordsKept += info.recordCount
    }

    /// Writes the validated records of a damaged segment into a new one.
    /// - Returns: the new segment; nil if nothing was validated.
    private mutating func salvage(
        _ placed: VersionEdit.PlacedSegment, into newNumber: UInt64, _ values: RepairedValues
    ) throws(StoreError) -> SegmentInfo? {
        let file = StoreFile.segment(placed.info.number)
        var writer: SegmentWriter?
        func open() throws(StoreError) -> SegmentWriter? {
            if writer == nil { writer = try newSegment(newNumber) }
            return writer
        }
        var (taken, bad) = (0, 0)
        let salvage = try SegmentSalvage.salvage(
            fileSystem: fileSystem, path: path(file), number: placed.info.number
        ) { record throws(StoreError) in
            guard let kept = try values.kept(record) else {
                bad += 1
                return
            }
            do throws(StoreError) { try open()?.append(kept) } catch {
                guard error.code == .invalidArgument else { throw error }
                bad += 1
                return
            }
            taken += 1
        }
        report.recordsSalvaged += taken
        for loss in salvage.lost { lose(file, loss.offset, loss.message) }
        if bad > 0 { lose(file, nil, "\(bad) records, whose values are gone or whose order is wrong") }
        if let tombstones = salvage.rangeTombstones {
            if !tombstones.isEmpty { try open()?.append(rangeTombstones: tombstones) }
        } else if placed.info.rangeTombstoneCount > 0 {
            lose(file, nil, "\(placed.info.rangeTombstoneCount) removals of ranges: what they removed may come back")
        }
        return try writer?.finish()
    }

    /// The segment's properties if it can stay as it is; otherwise nil. It can stay if every byte of it is intact, and
    /// every value to which it points is intact and stays in place.
    private func intactSegment(
        _ placed: VersionEdit.PlacedSegment, _ values: RepairedValues
    ) throws(StoreError) -> SegmentInfo? {
        let number = placed.info.number
        do throws(StoreError) {
            let reader = try openSegment(number, known.segments[number]?.info)
            guard try reader.verify().isEmpty else { return nil }
            if !reader.info.valueFiles.isEmpty {
                guard values.canStay(reader.info.valueFiles) else { return nil }
                let cursor = MergingCursor([RunSource(Run(number: 0, segments: [reader]))])
                try cursor.seek(nil)
                while let record = try cursor.next() {
                    if try values.kept(record) == nil { return nil }
                }
            }
            return reader.info
        } catch {
            guard error.code == .corrupt else { throw error }
            return nil
        }
    }

    /// Opens a segment of this store.
    /// - Parameter info: the properties that it must have; nil to take them from its footer.
    func openSegment(_ number: UInt64, _ info: SegmentInfo? = nil) throws(StoreError) -> SegmentReader {
        try SegmentReader(
            fileSystem: fileSystem, path: path(.segment(number)), number: number, store: identity, info: info,
            access: .read)
    }

    /// Writes the records of a source, and the range tombstones that belong to them, to new segments, which share no
    /// key.
    mutating func merge(
        _ source: RecordSource, _ tombstones: [RangeTombstone], segmentBytes: Int
    ) throws(StoreError) -> [SegmentInfo] {
        var number = next.nextFileNumber
        let environment = SegmentMerge.Environment { [self] () throws(StoreError) in
            defer { number += 1 }
            return try newSegment(number)
        }
        let merge = SegmentMerge(segmentBytes: segmentBytes, environment)
        let infos = try merge.run([source], tombstones, snapshots: [], isBottom: false)
        next.nextFileNumber = number
        return infos
    }

    /// Creates the file of a new segment.
    func newSegment(_ number: UInt64) throws(StoreError) -> SegmentWriter {
        made.files.append(.segment(number))
        let file = try storeErrors(retrying(fileSystem.open(path(.segment(number)), .createNew)))
        let options = SegmentOptions(blockBytes: configuration.blockBytes, compression: configuration.compression)
        return try SegmentWriter(file: file, number: number, store: identity, options: options)
    }
}
