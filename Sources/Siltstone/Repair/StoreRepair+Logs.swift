extension StoreRepair {
    func readLog(_ number: UInt64) throws(StoreError) -> FileContents {
        try storeErrors(FileContents(retrying(fileSystem.open(path(.log(number)), .read)), mapped: false))
    }

    /// The logs to recover, oldest first: those that the manifest names, or all if the manifest is not trusted.
    func logs(_ present: Set<StoreFile>) -> [UInt64] {
        present.numbers(of: .log).filter { !trustsManifest || known.logs.contains($0) }
    }

    /// Writes the changes of a log as level-0 segments that are newer than all earlier ones.
    mutating func repairLog(_ number: UInt64, _ values: RepairedValues) throws(StoreError) {
        let file = StoreFile.log(number)
        progress?("reading \(file.name)")
        // Reads the log all the same. Its header follows from the store and the number, so frames can be checked without
        // the stored header. No frame of another store's log passes that check.
        if let (error, _) = try headerFault(of: file) { lose(file, error.offset, error.message) }
        let contents = try readLog(number)
        let header = FileHeader(kind: .log, store: identity, number: number)
        var size = ChangeSize.nothing
        var pieces = LogSalvage(contents.bytes, header: header)
        while let piece = pieces.next() {
            guard case .frame(let frame, _) = piece else { continue }
            size.add(RecoveredBatch(frame))
        }
        let table = try MemTable.make(configuration, for: size, nil)
        var salvage = LogSalvage(contents.bytes, header: header)
        var (end, mark) = (FileHeader.size, 0)
        while let piece = salvage.next() {
            switch piece {
            case .lost(let range):
                lose(file, range.lowerBound, "\(range.count) bytes of changes fail their checksum")
            case .frame(let frame, _):
                (end, mark) = (frame.end, max(mark, frame.syncedMark))
                if frame.kind == .link, let link = LogLink(frame.payload) { checkEnd(link.log, at: link.end) }
                // The manifest does not name this log, and knows later changes in segments, so this batch was flushed.
                let isFlushed = !known.logs.contains(number) && frame.firstSequence <= known.lastSequence
                if frame.kind == .batch, !isFlushed { try take(frame, of: file, into: table, values) }
            }
        }
        logEnds[number] = end
        if let closing = known.closing, closing.log == number { checkEnd(number, at: closing.end) }
        if mark > end { checkEnd(number, at: UInt64(mark)) }
        try write(table)
    }

    /// Reports a loss if a log ends before the offset up to which it is known to have been written.
    private mutating func checkEnd(_ number: UInt64, at expected: UInt64) {
        guard let end = logEnds[number], UInt64(end) < expected else { return }
        lose(.log(number), end, "the log ends here, and once ended at offset \(expected)")
    }

    /// Writes a memtable as level-0 segments, which share no key. Writes nothing if it is empty.
    private mutating func write(_ table: MemTable) throws(StoreError) {
        guard !table.isEmpty else { return }
        let infos = try merge(
            MemTableSource(table), table.rangeTombstones.tombstones, segmentBytes: logSegmentBytes)
        for info in infos {
            next.segments[info.number] = .init(info: info, level: 0, run: info.number)
            report.recordsKept += info.recordCount
        }
    }

    /// Adds the changes of a batch frame to a memtable, except those whose values are lost.
    private mutating func take(
        _ frame: Frame, of file: StoreFile, into table: MemTable, _ values: RepairedValues
    ) throws(StoreError) {
        let batch = RecoveredBatch(frame)
        do throws(MalformedChange) { try batch.check() } catch {
            return lose(file, frame.offset, "a batch is malformed at byte \(error.offset)")
        }
        // After damage, the scan can find frames of a tail that an earlier recovery cut off. Their sequence numbers
        // were used again.
        guard frame.firstSequence > table.greatestSequence else {
            return lose(file, frame.offset, "a batch is older than the one before it")
        }
        var bad = 0
        try batch.forEach { change throws(StoreError) in
            if let kept = try values.kept(change) { table.apply(kept) } else { bad += 1 }
        }
        if bad > 0 { lose(file, frame.offset, "\(bad) changes, whose values are gone") }
    }
}
