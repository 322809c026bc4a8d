extension StoreRepair {
    /// The segments to keep, with their places.
    ///
    /// What a manifest that lost its end does not name is told apart by its changes. With newer ones than the manifest
    /// knows of, it was flushed later, and goes on top. Without, it was made of segments that the manifest does name: if
    /// all these are here, they hold the same, and it is left out; else it takes their place.
    mutating func segments(_ present: Set<StoreFile>) throws(StoreError) -> [VersionEdit.PlacedSegment] {
        var result: [VersionEdit.PlacedSegment] = []
        for placed in known.segments.values.sorted(by: { $0.info.number < $1.info.number }) {
            if present.contains(.segment(placed.info.number)) {
                result.append(placed)
            } else {
                lose(.segment(placed.info.number), nil, "the file is missing, with \(placed.info.recordCount) records")
            }
        }
        guard !trustsManifest else { return result }
        let missing = known.segments.values.filter { !present.contains(.segment($0.info.number)) }
        let replacedLevel = max(1, missing.map(\.level).max() ?? 0)
        var flushed: [SegmentInfo] = []
        for case .segment(let number) in present.sorted(by: { $0.name < $1.name })
        where known.segments[number] == nil {
            let info = try describe(number)
            if known.segments.isEmpty || info.greatestSequence > known.lastSequence {
                flushed.append(info)
            } else if !missing.isEmpty {
                result.append(.init(info: info, level: replacedLevel, run: run(ofLevel: replacedLevel)))
            }
        }
        // Flushes hold history piece by piece, so that the order of their last changes is theirs.
        for info in flushed.sorted(by: { ($0.greatestSequence, $0.number) < ($1.greatestSequence, $1.number) }) {
            result.append(.init(info: info, level: 0, run: takeNumber()))
        }
        return result
    }

    /// The run of a level below the first: the manifest's, or one for all that goes there.
    private func run(ofLevel level: Int) -> UInt64 {
        known.segments.values.first { $0.level == level }?.run ?? UInt64(level)
    }

    /// What a segment says of itself, or, where it cannot be opened, its number alone.
    private func describe(_ number: UInt64) throws(StoreError) -> SegmentInfo {
        do throws(StoreError) {
            return try SegmentReader(
                fileSystem: fileSystem, path: path(.segment(number)), number: number, store: identity, access: .read
            ).info
        } catch {
            guard error.isDamage else { throw error }
            var info = SegmentInfo(number: number)
            info.greatestSequence = .greatest  // so that what can be salvaged is not left out
            return info
        }
    }

    mutating func repairSegment(
        _ placed: VersionEdit.PlacedSegment, _ present: Set<StoreFile>
    ) throws(StoreError) {
        let number = placed.info.number
        let file = StoreFile.segment(number)
        progress?("reading \(file.name)")
        if let info = try wellSegment(placed) {
            next.segments[number] = .init(info: info, level: placed.level, run: placed.run)
            report.recordsKept += info.recordCount
            return
        }
        damaged.insert(file)
        var writer: SegmentWriter?
        let newNumber = takeNumber()
        var bad = 0
        let salvage: SegmentSalvage
        do {
            salvage = try SegmentSalvage.salvage(fileSystem: fileSystem, path: path(file), number: number) {
                record throws(StoreError) in
                guard try isResolvable(record) else {
                    bad += 1
                    return
                }
                let current: SegmentWriter
                if let open = writer { current = open } else { current = try newSegment(newNumber) }
                writer = current
                do throws(StoreError) { try current.append(record) } catch {
                    guard error.code == .invalidArgument else { throw error }
                    bad += 1
                    return
                }
                report.recordsSalvaged += 1
            }
        } catch {
            guard error.code == .corrupt else { throw error }
            lose(file, error.offset, error.message)
            return
        }
        for loss in salvage.lost { lose(file, loss.offset, loss.message) }
        if bad > 0 { lose(file, nil, "\(bad) records, whose values are gone or whose order is wrong") }
        if let tombstones = salvage.rangeTombstones {
            if !tombstones.isEmpty {
                let current: SegmentWriter
                if let open = writer { current = open } else { current = try newSegment(newNumber) }
                writer = current
                current.append(rangeTombstones: tombstones)
            }
        } else if placed.info.rangeTombstoneCount > 0 {
            lose(file, nil, "\(placed.info.rangeTombstoneCount) removals of ranges: what they removed may come back")
        }
        guard let writer else { return }
        let info = try writer.finish()
        // What lost its neighbours' borders may only stand in a run of its own.
        next.segments[newNumber] = .init(info: info, level: placed.level, run: placed.run)
        report.recordsKept += info.recordCount
    }

    /// The segment's description, if every byte of it, and every value that it points to, is well.
    private mutating func wellSegment(_ placed: VersionEdit.PlacedSegment) throws(StoreError) -> SegmentInfo? {
        let number = placed.info.number
        let expected = known.segments[number]?.info
        do throws(StoreError) {
            let reader = try SegmentReader(
                fileSystem: fileSystem, path: path(.segment(number)), number: number, store: identity, info: expected,
                access: .read)
            guard try reader.verify().isEmpty else { return nil }
            if !reader.info.valueFiles.isEmpty {
                let cursor = MergingCursor(
                    [RunSource(Run(number: 0, segments: [reader]))], .forward, visible: nil)
                try cursor.seek(nil)
                while let record = try cursor.next() {
                    guard try isResolvable(record) else { return nil }
                }
            }
            return reader.info
        } catch {
            guard error.code == .corrupt else { throw error }
            return nil
        }
    }

    /// Whether a record's value is there.
    /// - Throws: ``StoreError`` where that cannot be told now: to take it for lost would lose it.
    func isResolvable(_ record: Record) throws(StoreError) -> Bool {
        guard record.kind == .pointer else { return true }
        guard let pointer = ValuePointer(record.value), let file = values[pointer.file] else { return false }
        do throws(StoreError) {
            try file.withValue(pointer, key: record.key) { _ in }
            return true
        } catch {
            guard error.isDamage else { throw error }
            return false
        }
    }

    mutating func newSegment(_ number: UInt64) throws(StoreError) -> SegmentWriter {
        made.append(.segment(number))
        let file = try storeErrors { () throws(FileSystemError) in
            try fileSystem.retrying { () throws(FileSystemError) in
                try fileSystem.open(path(.segment(number)), .createNew)
            }
        }
        let options = SegmentOptions(blockBytes: configuration.blockBytes, compression: configuration.compression)
        return try SegmentWriter(file: file, number: number, store: identity ?? .random(), options: options)
    }
}
