extension StoreRepair {
    func logs(_ present: Set<StoreFile>) -> [UInt64] {
        present.compactMap { file -> UInt64? in
            guard case .log(let number) = file else { return nil }
            return !trustsManifest || known.logs.contains(number) ? number : nil
        }.sorted()
    }

    /// Writes the changes of a log as a segment of level 0, newer than all before.
    mutating func repairLog(_ number: UInt64, _ present: Set<StoreFile>) throws(StoreError) {
        let file = StoreFile.log(number)
        progress?("reading \(file.name)")
        let contents = try storeErrors { () throws(FileSystemError) in
            let opened = try fileSystem.retrying { () throws(FileSystemError) in
                try fileSystem.open(path(file), .read)
            }
            return try FileContents(opened, mapped: false)
        }
        damaged.insert(file)
        // The header follows from the store and the number, so that frames can be checked without it.
        let header = FileHeader(kind: .log, store: identity ?? .random(), number: number)
        do throws(StoreError) {
            _ = try FileHeader(contents.bytes, kind: .log, store: identity, number: number, path: path(file))
        } catch { lose(file, error.offset, error.message) }
        var size = ChangeSize(keyBytes: 0, valueBytes: 0, count: 0)
        var pieces = LogSalvage(contents.bytes, header: header)
        while let piece = pieces.next() {
            guard case .frame(let frame, _) = piece else { continue }
            size.add(RecoveredBatch(frame))
        }
        let table = try Engine.makeTable(configuration, size, nil)
        var salvage = LogSalvage(contents.bytes, header: header)
        while let piece = salvage.next() { try take(piece, of: file, into: table) }
        guard !table.isEmpty else { return }
        let newNumber = takeNumber()
        let writer = try newSegment(newNumber)
        let merge = SegmentMerge(
            sources: [MemTableSource(table)], tombstones: table.rangeTombstones.tombstones, snapshots: [],
            isBottom: false, segmentBytes: .max, environment: .init(newSegment: { () throws(StoreError) in writer }))
        for info in try merge.run() {
            next.segments[info.number] = .init(info: info, level: 0, run: info.number)
            report.recordsKept += info.recordCount
        }
    }

    private mutating func take(_ piece: LogSalvage.Piece, of file: StoreFile, into table: MemTable) throws(StoreError) {
        switch piece {
        case .frame(let frame, _):
            guard frame.kind == .batch else { return }
            // A log that is not named any more was written as a segment; it only was not removed in time.
            if let number = file.number, !known.logs.contains(number), frame.firstSequence <= known.lastSequence {
                return
            }
            let batch = RecoveredBatch(frame)
            do throws(MalformedChange) { try batch.check() } catch {
                return lose(file, frame.offset, "a batch is malformed at byte \(error.offset)")
            }
            // Behind damage, frames of a tail that was cut off once may turn up, whose numbers were used again.
            guard frame.firstSequence > table.greatestSequence else {
                return lose(file, frame.offset, "a batch is older than the one before it")
            }
            var bad = 0
            let failure = batch.firstResult { change -> StoreError? in
                do throws(StoreError) {
                    if try isResolvable(change) { table.apply(change) } else { bad += 1 }
                    return nil
                } catch { return error }
            }
            if let failure { throw failure }
            if bad > 0 { lose(file, frame.offset, "\(bad) changes, whose values are gone") }
        case .lost(let range):
            lose(file, range.lowerBound, "\(range.count) bytes of changes fail their checksum")
        }
    }
}
