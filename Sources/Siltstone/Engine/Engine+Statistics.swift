import Synchronization

extension Engine {
    /// Counts and sizes as of now.
    func statistics() -> Statistics {
        var (statistics, version, active, sealed) = writeLock.withLock {
            (state.pointee.statistics, state.pointee.version, state.pointee.active, state.pointee.sealed)
        }
        for (number, runs) in version.levels.enumerated() {
            var level = Statistics.Level()
            level.level = number
            level.runs = runs.count
            for segment in runs.flatMap(\.segments) {
                level.segments += 1
                level.bytes += segment.info.fileBytes
                level.records += segment.info.recordCount
                level.tombstones += segment.info.tombstoneCount + segment.info.rangeTombstoneCount
            }
            level.limitBytes = number == 0 ? 0 : picker.levelLimit(number)
            statistics.levels.append(level)
        }
        statistics.lastSequence = visible.load(ordering: .acquiring)
        statistics.reads = Int(truncatingIfNeeded: views.readCount)
        for table in sealed + [active] {
            statistics.memTableRecords += table.table.entryCount
            statistics.memTableBytes += table.table.byteCount
            statistics.logBytes += table.extent?.end ?? 0
            statistics.logs += table.extent == nil ? 0 : 1
        }
        statistics.sealedMemTables = sealed.count
        statistics.valueFiles = version.valueFiles.count
        statistics.valueFileBytes = version.valueFiles.values.reduce(0) { $0 + $1.approximateSize }
        statistics.liveValueBytes = version.referencedValueBytes().values.reduce(0, +)
        if let commits {
            statistics.syncRequests = commits.counts.requests
            statistics.syncs = commits.counts.syncs
        }
        let counters = cache.counters
        statistics.cacheHits = counters.hits
        statistics.cacheMisses = counters.misses
        statistics.cacheBytes = counters.bytes
        measureMemory(version, &statistics)
        statistics.snapshots = snapshots.count
        let failure = writeLock.withLock {
            state.pointee.failure ?? state.pointee.flushAttempts.failure ?? state.pointee.logAttempts.failure
                ?? state.pointee.compactionAttempts.failure
        }
        statistics.backgroundError = failure?.description
        statistics.summarize()
        return statistics
    }

    /// Tells memory of the store's own from pages of files.
    private func measureMemory(_ version: Version, _ statistics: inout Statistics) {
        let mappings = version.allSegments.compactMap(\.mapping) + version.valueFiles.values.compactMap(\.fileMapping)
        for mapping in mappings {
            statistics.mappedBytes += mapping.bytes.count
            statistics.mappedBytesInMemory += mapping.bytesInMemory
        }
        statistics.ownMemoryBytes =
            statistics.memTableBytes + arenas.heldBytes + statistics.cacheBytes
            + version.allSegments.reduce(0) { $0 + $1.memoryBytes }
        statistics.fitsInMemory = !pageCache.isTight
    }
}

extension Statistics {
    /// Works out what follows from the rest.
    fileprivate mutating func summarize() {
        segmentBytes = levels.reduce(0) { $0 + $1.bytes }
        segmentRecords = levels.reduce(0) { $0 + $1.records }
        diskBytes = segmentBytes + valueFileBytes + logBytes
        readAmplification = levels.reduce(1 + sealedMemTables) { $0 + $1.runs }
        if changedBytes > 0 {
            let written = changedBytes + flushedBytes + compactionBytesWritten
            writeAmplification = Double(written) / Double(changedBytes)
        }
        let deepest = levels.last { $0.bytes > 0 }?.bytes ?? 0
        let live = deepest + liveValueBytes
        if live > 0 { spaceAmplification = Double(segmentBytes + valueFileBytes) / Double(live) }
    }
}
