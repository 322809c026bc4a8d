import Dispatch
import Synchronization

extension Engine {
    /// Has compactions run in the background for as long as one is due.
    func scheduleCompaction() {
        guard configuration.automaticCompaction, !configuration.readOnly else { return }
        if compactionScheduled.exchange(true, ordering: .acquiringAndReleasing) { return }
        compactionQueue.async {
            self.compactionScheduled.store(false, ordering: .releasing)
            self.runDueCompactions()
        }
    }

    private func runDueCompactions() {
        writeLock.withLock { state.pointee.compactionAttempts.begin() }
        do {
            while !isStopping.load(ordering: .relaxed) {
                let version = writeLock.withLock { state.pointee.version }
                let plan = picker.pick(
                    version, valueFileBytes: sealedValueFiles(),
                    oldestSnapshot: snapshots.live().first ?? .greatest)
                guard let plan = plan ?? (isIdle ? picker.pickForIdle(version) : nil) else { break }
                try runMakingSpace(plan)
            }
            if !isStopping.load(ordering: .relaxed) { try collectValueFiles() }
            // What the flushes have given back meanwhile.
            if isIdle {
                arenas.clear()
                warmSegments()
            }
            writeLock.withLock { state.pointee.compactionAttempts.succeed() }
        } catch {
            // Nothing was changed; the next flush tries again.
            guard error.code != .closed else { return }
            writeLock.withLock {
                state.pointee.compactionAttempts.fail(error)
                writeLock.wakeAll()
            }
        }
    }

    /// Bytes of the value files that take no more values, and whose values are all referred to by segments or by nobody:
    /// what a memtable refers to would look like garbage.
    func sealedValueFiles() -> [UInt64: Int] {
        let (files, inUse) = writeLock.withLock {
            var inUse = state.pointee.active.valueFiles
            for table in state.pointee.sealed { inUse.formUnion(table.valueFiles) }
            if let values = state.pointee.values { inUse.insert(values.number) }
            return (state.pointee.version.valueFiles, inUse)
        }
        return files.filter { !inUse.contains($0.key) }.mapValues { $0.approximateSize }
    }

    /// Compacts what lies in `[from, to]`, all levels into the deepest. Waits for it.
    func compact(from: [UInt8]?, to: [UInt8]?) throws(StoreError) {
        try flush()
        let result = compactionQueue.sync { () -> Result<Void, StoreError> in
            Result { () throws(StoreError) in
                try checkOpen()
                // The value file in use may be mostly garbage too.
                let version = try finishValueFile()
                let plan = picker.pickRange(version, from: from, to: to, valueFileBytes: sealedValueFiles())
                if let plan { try runMakingSpace(plan) }
                try collectValueFiles()
            }
        }
        try result.get()
        warmSegmentsSoon()
    }

    /// Runs a compaction; again where the disk is full and logs hold space ahead. Not one that moves values: those that the
    /// first attempt has moved would stay behind as garbage.
    private func runMakingSpace(_ plan: CompactionPlan) throws(StoreError) {
        if !plan.relocating.isEmpty { return try run(plan) }
        try makingSpace { () throws(StoreError) in try run(plan) }
    }

    /// Runs one compaction: reads, merges, writes, puts the result in force. On the compaction queue.
    private func run(_ plan: CompactionPlan) throws(StoreError) {
        var edit = VersionEdit()
        edit.removedSegments = plan.segments.map(\.info.number)
        if plan.isTrivialMove {
            let run = plan.outputRun ?? takeFileNumber()
            edit.addedSegments = plan.segments.map { .init(info: $0.info, level: plan.outputLevel, run: run) }
            try commit(edit) { state.pointee.statistics.trivialMoves += 1 }
            return
        }
        if plan.isDrop {
            try commit(edit) { state.pointee.statistics.compactions += 1 }
            obsolete.remove(plan.segments.map { .segment($0.info.number) })
            return
        }
        let start = Platform.monotonicNanoseconds()
        // Behind one that was asked for, that is done as soon as it has ended.
        let isRead = plan.reason != .requested && plan.segments.contains(where: \.isRead)
        // Values that were moved are referred to by segments from the commit on, or by nothing if it fails.
        defer { writeLock.withLock { state.pointee.relocationTargets = [] } }
        let (infos, readers) = try makeSegments(
            sources: plan.inputs.map { RunSource($0, caching: false) },
            tombstones: plan.segments.flatMap { $0.rangeTombstones.tombstones }, isBottom: plan.isBottom,
            segmentBytes: configuration.segmentBytes, pieces: .lasting,
            relocate: { record throws(StoreError) in try self.relocate(record, from: plan.relocating) },
            shouldStop: { _ in self.isStopping.load(ordering: .relaxed) })
        let run = plan.outputRun ?? infos.first?.number ?? 0
        edit.addedSegments = infos.map { .init(info: $0, level: plan.outputLevel, run: run) }
        do {
            let fresh = try isRead ? warm(readers) : Array(readers.keys)
            if !plan.relocating.isEmpty { try syncValues() }
            try commit(edit, opened: readers) {
                state.pointee.statistics.compactions += 1
                state.pointee.freshSegments.formUnion(fresh)
                state.pointee.statistics.compactionBytesRead += plan.inputBytes
                state.pointee.statistics.compactionBytesWritten += infos.reduce(0) { $0 + $1.fileBytes }
                state.pointee.statistics.compactionSeconds += Double(Platform.monotonicNanoseconds() - start) * 1e-9
            }
        } catch {
            for info in infos { obsoleteUnlessNamed(.segment(info.number)) }
            throw error
        }
        obsolete.remove(plan.segments.map { .segment($0.info.number) })
    }

    /// Writes a value anew, at the end of the value file in use, if it lies in a file that is to be emptied.
    private func relocate(_ record: Record, from files: Set<UInt64>) throws(StoreError) -> ValuePointer? {
        guard let pointer = ValuePointer(record.value), files.contains(pointer.file) else { return nil }
        let version = writeLock.withLock { state.pointee.version }
        return try withResolvedValue(record, version) { value throws(StoreError) in
            try valueLock.withLock { () throws(StoreError) in
                let moved = try takingBackValues { () throws(StoreError) in
                    // The segments to come may need the space.
                    try appendValue(record.key, value, takesSpace: false)
                }
                // No segment refers to the new place before this compaction is in force.
                writeLock.withLock { _ = state.pointee.relocationTargets.insert(moved.file) }
                return moved
            }
        }
    }
}
