import Dispatch
import Synchronization

extension BackgroundWork {
    /// Schedules compactions on the compaction queue. They run until none is due. Does nothing if a run is already
    /// scheduled.
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
                    oldestSnapshot: reads.snapshots.live(andAt: reads.visible).first ?? .greatest)
                guard let plan = plan ?? (isIdle ? picker.pickForIdle(version) : nil) else { break }
                try runMakingSpace(plan)
            }
            if !status.isStopping { try writes.collectValueFiles() }
            // Releases the arenas that flushes have returned to the pool in the meantime.
            if isIdle {
                writes.arenas.clear()
                preloadNewSegments()
            }
            writes.finishCompactions()
        } catch {
            // The failed compaction changed nothing. The next flush schedules compactions again.
            guard error.code != .closed else { return }
            writes.failCompactions(error)
        }
    }

    /// Runs a manual compaction: flushes, then merges all segments of all levels that overlap `[from, to]` into the
    /// deepest level. A nil bound is open. Returns when the compaction has finished.
    func compact(from: [UInt8]?, to: [UInt8]?) throws(StoreError) {
        try writes.flush()
        let result = compactionQueue.sync {
            Result { () throws(StoreError) in
                try status.checkOpen()
                // The current value file may also be mostly garbage. A finished file can be collected.
                let version = try values.finishFile().version
                let plan = picker.pickRange(version, from: from, to: to, valueFileBytes: writes.sealedValueFiles())
                if let plan { try runMakingSpace(plan) }
                try writes.collectValueFiles()
            }
        }
        try result.get()
        compactionQueue.async { self.preloadNewSegments(isRequested: true) }
    }

    /// Runs a compaction. If the disk is full and the logs hold preallocated space, frees that space and runs the
    /// compaction again. Does not run a plan again that relocates values, because the values that the first attempt
    /// moved would stay behind as garbage.
    private func runMakingSpace(_ plan: CompactionPlan) throws(StoreError) {
        if !plan.relocating.isEmpty { return try run(plan) }
        try writes.makingSpace { () throws(StoreError) in try run(plan) }
    }

    /// Runs one compaction: reads and merges the inputs, writes the output, and installs it in the version set. Runs on
    /// the compaction queue.
    private func run(_ plan: CompactionPlan) throws(StoreError) {
        var edit = VersionEdit(removedSegments: plan.segments.map(\.info.number))
        if plan.isTrivialMove {
            let run = plan.outputRunNumber ?? versions.takeFileNumber()
            edit.addedSegments = plan.segments.map { .init(info: $0.info, level: plan.outputLevel, run: run) }
            try versions.logAndApply(edit) { note { $0.trivialMoves += 1 } }
            return
        }
        if plan.reason == .deletedRange {
            try obsolete.remove(inOrder: plan.obsoleteFiles) { () throws(StoreError) in
                try versions.logAndApply(edit) { note(removed: edit.removedSegments) { $0.compactions += 1 } }
            }
            return
        }
        let start = Platform.monotonicNanoseconds()
        // A manual compaction preloads its output after it has returned.
        let isRead = plan.reason != .requested && plan.segments.contains(where: \.isRead)
        // Until the commit, no segment refers to the relocated values, so the value log keeps their files from being
        // collected. After the commit the output's segments refer to them. If the compaction fails, nothing does.
        defer { values.endRelocation() }
        let readers = try makeSegments(
            sources: plan.inputs.map { RunSource($0, caching: false) },
            rangeTombstones: plan.segments.flatMap { $0.rangeTombstones.tombstones }, isBottom: plan.isBottom,
            segmentBytes: configuration.segmentBytes, pieces: .longLived,
            relocate: { record throws(StoreError) in try self.relocate(record, from: plan.relocating) },
            onProgress: { _ in self.status.isStopping })
        let run = plan.outputRunNumber ?? readers.first?.info.number ?? 0
        edit.addedSegments = readers.map { .init(info: $0.info, level: plan.outputLevel, run: run) }
        try obsolete.remove(inOrder: plan.obsoleteFiles) { () throws(StoreError) in
            try install(readers, edit, preloads: isRead, syncsValues: !plan.relocating.isEmpty) { counts in
                counts.compactions += 1
                counts.compactionBytesRead += plan.inputBytes
                counts.compactionBytesWritten += readers.reduce(0) { $0 + $1.info.fileBytes }
                counts.compactionSeconds += Double(Platform.monotonicNanoseconds() - start) * 1e-9
            }
        }
    }

    /// Rewrites a value at the end of the current value file if its file is one that the plan empties.
    /// - Returns: the new pointer; nil if the value stays where it is.
    private func relocate(_ record: Record, from files: Set<UInt64>) throws(StoreError) -> ValuePointer? {
        guard let pointer = ValuePointer(record.value), files.contains(pointer.file) else { return nil }
        return try reads.withResolvedValue(record, versions.current) { value throws(StoreError) in
            try values.withLock { () throws(StoreError) in
                let moved = try writes.rollingBackValues { () throws(StoreError) in
                    // Takes no reserved space, because the segments that the compaction writes may need it.
                    try values.append(record.key, value, preallocates: false)
                }
                // No segment refers to the new copy until this compaction is installed.
                values.noteRelocation(to: moved.file)
                return moved
            }
        }
    }
}
