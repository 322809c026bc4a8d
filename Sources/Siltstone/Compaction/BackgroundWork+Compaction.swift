import Dispatch
import Synchronization

extension BackgroundWork {
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
        writes.beginCompactions()
        do {
            while !status.isStopping {
                let version = versions.current
                let plan = picker.pick(
                    version, valueFileBytes: writes.sealedValueFiles(),
                    oldestSnapshot: reads.snapshots.live().first ?? .greatest)
                guard let plan = plan ?? (isIdle ? picker.pickForIdle(version) : nil) else { break }
                try runMakingSpace(plan)
            }
            if !status.isStopping { try writes.collectValueFiles() }
            // What the flushes have given back meanwhile.
            if isIdle {
                arenas.clear()
                preloadFreshSegments()
            }
            writes.finishCompactions()
        } catch {
            // Nothing was changed; the next flush tries again.
            guard error.code != .closed else { return }
            writes.failCompactions(error)
        }
    }

    /// Compacts what lies in `[from, to]`, all levels into the deepest. Waits for it.
    func compact(from: [UInt8]?, to: [UInt8]?) throws(StoreError) {
        try writes.flush()
        let result = compactionQueue.sync { () -> Result<Void, StoreError> in
            Result { () throws(StoreError) in
                try status.checkOpen()
                // The value file in use may be mostly garbage too.
                let version = try values.finishFile()
                let plan = picker.pickRange(version, from: from, to: to, valueFileBytes: writes.sealedValueFiles())
                if let plan { try runMakingSpace(plan) }
                try writes.collectValueFiles()
            }
        }
        try result.get()
        preloadFreshSegmentsSoon()
    }

    /// Runs a compaction; again where the disk is full and logs hold space ahead. Not one that moves values: those that the
    /// first attempt has moved would stay behind as garbage.
    private func runMakingSpace(_ plan: CompactionPlan) throws(StoreError) {
        if !plan.relocating.isEmpty { return try run(plan) }
        try writes.makingSpace { () throws(StoreError) in try run(plan) }
    }

    /// Runs one compaction: reads, merges, writes, puts the result in force. On the compaction queue.
    private func run(_ plan: CompactionPlan) throws(StoreError) {
        var edit = VersionEdit()
        edit.removedSegments = plan.segments.map(\.info.number)
        if plan.isTrivialMove {
            let run = plan.outputRun ?? versions.takeFileNumber()
            edit.addedSegments = plan.segments.map { .init(info: $0.info, level: plan.outputLevel, run: run) }
            try versions.logAndApply(edit) { note { $0.trivialMoves += 1 } }
            return
        }
        if plan.isDrop {
            try versions.logAndApply(edit) { note { $0.compactions += 1 } }
            obsolete.remove(plan.segments.map { .segment($0.info.number) })
            return
        }
        let start = Platform.monotonicNanoseconds()
        // Behind one that was asked for, that is done as soon as it has ended.
        let isRead = plan.reason != .requested && plan.segments.contains(where: \.isRead)
        // Values that were moved are referred to by segments from the commit on, or by nothing if it fails.
        defer { values.endRelocation() }
        let (infos, readers) = try makeSegments(
            sources: plan.inputs.map { RunSource($0, caching: false) },
            tombstones: plan.segments.flatMap { $0.rangeTombstones.tombstones }, isBottom: plan.isBottom,
            segmentBytes: configuration.segmentBytes, pieces: .lasting,
            relocate: { record throws(StoreError) in try self.relocate(record, from: plan.relocating) },
            shouldStop: { _ in self.status.isStopping })
        let run = plan.outputRun ?? infos.first?.number ?? 0
        edit.addedSegments = infos.map { .init(info: $0, level: plan.outputLevel, run: run) }
        do {
            let fresh = try isRead ? preload(readers) : Array(readers.keys)
            if !plan.relocating.isEmpty { try values.sync() }
            try versions.logAndApply(edit, opened: readers) {
                note(fresh: fresh) { counts in
                    counts.compactions += 1
                    counts.compactionBytesRead += plan.inputBytes
                    counts.compactionBytesWritten += infos.reduce(0) { $0 + $1.fileBytes }
                    counts.compactionSeconds += Double(Platform.monotonicNanoseconds() - start) * 1e-9
                }
            }
        } catch {
            versions.discard(infos.map { .segment($0.number) })
            throw error
        }
        obsolete.remove(plan.segments.map { .segment($0.info.number) })
    }

    /// Writes a value anew, at the end of the value file in use, if it lies in a file that is to be emptied.
    private func relocate(_ record: Record, from files: Set<UInt64>) throws(StoreError) -> ValuePointer? {
        guard let pointer = ValuePointer(record.value), files.contains(pointer.file) else { return nil }
        return try reads.withResolvedValue(record, versions.current) { value throws(StoreError) in
            try values.withLock { () throws(StoreError) in
                let moved = try writes.rollingBackValues { () throws(StoreError) in
                    // The segments to come may need the space.
                    try values.append(record.key, value, takesSpace: false)
                }
                // No segment refers to the new place before this compaction is in force.
                values.noteRelocation(to: moved.file)
                return moved
            }
        }
    }
}
