import Synchronization

extension Engine {
    /// Returns the current counts and sizes. They are read one after the other, so concurrent work can make them differ
    /// slightly.
    func statistics() -> Statistics {
        let ((version, tables), report) = (writes.contents, writes.report)
        var statistics = report.counts
        statistics.setBackground(background.counts)
        for (number, runs) in version.levels.enumerated() {
            var level = Statistics.Level(level: number, runs: runs.count)
            for segment in runs.flatMap(\.segments) {
                level.segments += 1
                level.bytes += segment.info.fileBytes
                level.records += segment.info.recordCount
                level.tombstones += segment.info.tombstoneCount + segment.info.rangeTombstoneCount
            }
            level.limitBytes = number == 0 ? 0 : background.picker.levelLimit(number)
            statistics.levels.append(level)
        }
        statistics.lastSequence = reads.visible
        statistics.reads = Int(truncatingIfNeeded: reads.superVersions.readCount)
        for table in tables {
            statistics.memTableRecords += table.table.entryCount
            statistics.memTableBytes += table.table.byteCount
            statistics.logBytes += table.extent?.end ?? 0
            statistics.logs += table.extent == nil ? 0 : 1
        }
        statistics.sealedMemTables = tables.count - 1
        statistics.valueFiles = version.valueFiles.count
        statistics.valueFileBytes = version.valueFiles.values.reduce(0) { $0 + $1.length.bytes }
        statistics.liveValueBytes = version.liveValueBytes
        statistics.snapshotValueBytes = background.heldValueBytes(version).values.reduce(0, +)
        if let commits = writes.commits {
            statistics.syncRequests = commits.counts.requests
            statistics.syncs = commits.counts.syncs
        }
        let counters = directory.cache.counters
        statistics.cacheHits = counters.hits
        statistics.cacheMisses = counters.misses
        statistics.cacheBytes = counters.bytes
        measureMemory(version, &statistics)
        statistics.snapshots = reads.snapshots.count
        statistics.backgroundError = (status.failure ?? report.failure)?.description
        statistics.summarize()
        return statistics
    }

    /// Measures the memory that the store owns, and the mapped pages of files, and notes whether the files fit into
    /// memory. Needs the memtables and the cache in `statistics`.
    private func measureMemory(_ version: Version, _ statistics: inout Statistics) {
        let mappings = version.allSegments.compactMap(\.mapping) + version.valueFiles.values.compactMap(\.fileMapping)
        for mapping in mappings {
            statistics.mappedBytes += mapping.memory.count
            statistics.mappedBytesInMemory += mapping.bytesInMemory
        }
        statistics.ownMemoryBytes =
            statistics.memTableBytes + writes.arenas.heldBytes + statistics.cacheBytes
            + version.allSegments.reduce(0) { $0 + $1.memoryBytes }
        statistics.fitsInMemory = !directory.pageCache.isTight
    }

    /// Returns the files of the current version, and the memtables above it.
    func layout() -> StoreLayout {
        let (version, tables) = writes.contents
        var layout = StoreLayout()
        layout.segments = version.placedSegments.map { placed, _ in
            let info = placed.info
            return .init(
                number: info.number, level: placed.level, run: placed.run, bytes: info.fileBytes,
                records: info.recordCount, tombstones: info.tombstoneCount + info.rangeTombstoneCount,
                firstKey: info.firstKey, lastKey: info.lastKey)
        }
        let referenced = version.referencedValueBytes
        layout.valueFiles = version.valueFiles.sorted { $0.key < $1.key }.map {
            .init(number: $0.key, bytes: $0.value.length.bytes, referencedBytes: referenced[$0.key] ?? 0)
        }
        layout.memTables = tables.reversed().map {
            .init(
                records: $0.table.entryCount, bytes: $0.table.byteCount, logBytes: $0.extent?.end ?? 0,
                isActive: $0.table === tables.last?.table)
        }
        return layout
    }
}

extension Statistics {
    /// Copies the counts of background work.
    fileprivate mutating func setBackground(_ background: Statistics) {
        flushes = background.flushes
        flushedBytes = background.flushedBytes
        flushSeconds = background.flushSeconds
        compactions = background.compactions
        trivialMoves = background.trivialMoves
        compactionBytesRead = background.compactionBytesRead
        compactionBytesWritten = background.compactionBytesWritten
        compactionSeconds = background.compactionSeconds
    }

    /// Computes the values that follow from the others.
    fileprivate mutating func summarize() {
        segmentBytes = levels.reduce(0) { $0 + $1.bytes }
        segmentRecords = levels.reduce(0) { $0 + $1.records }
        diskBytes = segmentBytes + valueFileBytes + logBytes
        // The active memtable is the 1.
        readAmplification = levels.reduce(1 + sealedMemTables) { $0 + $1.runs }
        if changedBytes > 0 {
            let written = changedBytes + flushedBytes + compactionBytesWritten
            writeAmplification = Double(written) / Double(changedBytes)
        }
        // The deepest level approximates the live records: what lies above it overwrites records or will do so.
        let deepest = levels.last { $0.bytes > 0 }?.bytes ?? 0
        let live = deepest + liveValueBytes
        if live > 0 { spaceAmplification = Double(segmentBytes + valueFileBytes) / Double(live) }
    }
}
