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
                let isFull = directory.spare.isBeingFreed.load(ordering: .relaxed)
                let picker = isFull ? picker.forFullDisk : picker
                let (version, snapshots) = (versions.current, reads.snapshots.live())
                let plan = picker.pick(
                    version, valueFileBytes: writes.flushedValueFiles(),
                    releasedValueBytes: heldValueBytes(version, releasedSince: snapshots),
                    oldestSnapshot: reads.snapshots.live(andAt: reads.visible).first ?? .greatest,
                    spaceBytes: directory.spare.available)
                guard let plan = plan ?? (isIdle || isFull ? picker.pickForIdle(version) : nil) else { break }
                try writes.releasingReserves { () throws(StoreError) in try run(plan) }
            }
            if !status.isStopping {
                if isIdle || directory.spare.isBeingFreed.load(ordering: .relaxed) { try finishDeadFiles() }
                try collectValueFiles()
            }
            directory.spare.isBeingFreed.store(false, ordering: .relaxed)
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

    /// Finishes the value files that still take values, but to whose values nothing refers, so that they are collected.
    private func finishDeadFiles() throws(StoreError) {
        let live = versions.current.referencedValueBytes
        let flushed = writes.flushedValueFiles()
        for log in [values, relocations] {
            guard let current = log.current, current.size > FileHeader.size else { continue }
            if live[current.number] == nil, flushed[current.number] != nil { try log.finishFile() }
        }
    }

    /// Runs a manual compaction: flushes, then merges all segments of all levels that overlap `[from, to]` into the
    /// deepest level. A nil bound is open. Returns when the compaction has finished.
    func compact(from: [UInt8]?, to: [UInt8]?) throws(StoreError) {
        try writes.flush()
        let result = compactionQueue.sync {
            Result { () throws(StoreError) in
                try status.checkOpen()
                // The current value files may also be mostly garbage. A finished file can be collected.
                try relocations.finishFile()
                let version = try values.finishFile().version
                let plan = picker.pickRange(version, from: from, to: to, valueFileBytes: writes.flushedValueFiles())
                if let plan { try writes.releasingReserves { () throws(StoreError) in try run(plan) } }
                try collectValueFiles()
            }
        }
        try result.get()
        compactionQueue.async { self.preloadNewSegments(isRequested: true) }
    }

    /// Runs one compaction. Runs on the compaction queue.
    private func run(_ plan: CompactionPlan) throws(StoreError) {
        if plan.relocating.isEmpty { return try merge(plan) }
        // A file that still takes values cannot be emptied.
        for log in [values, relocations] {
            if let current = log.current, plan.relocating.contains(current.number) { try log.finishFile() }
        }
        // If the compaction does not fit on the disk, its relocated values are removed.
        try relocations.withLock { () throws(StoreError) in
            try relocations.rollingBack { () throws(StoreError) in try merge(plan) }
        }
        try collectValueFiles()
    }

    /// Reads and merges the inputs of a compaction, writes the output, and installs it in the version set.
    private func merge(_ plan: CompactionPlan) throws(StoreError) {
        var edit = VersionEdit(removedSegments: plan.segments.map(\.info.number))
        if plan.isTrivialMove {
            let run = if let run = plan.outputRunNumber { run } else { try versions.takeFileNumber() }
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
        let readers = try makeSegments(
            sources: plan.inputs.map { RunSource($0, caching: false) },
            rangeTombstones: plan.segments.flatMap { $0.rangeTombstones.tombstones }, isBottom: plan.isBottom,
            segmentBytes: configuration.segmentBytes, pieces: .longLived,
            relocate: { record throws(StoreError) in try self.relocate(record, from: plan.relocating) },
            onProgress: { _ in self.status.isStopping })
        let run = plan.outputRunNumber ?? readers.first?.info.number ?? 0
        edit.addedSegments = readers.map { .init(info: $0.info, level: plan.outputLevel, run: run) }
        try obsolete.remove(inOrder: plan.obsoleteFiles) { () throws(StoreError) in
            try install(readers, edit, preloads: isRead, syncing: plan.relocating.isEmpty ? nil : relocations) {
                counts in
                counts.compactions += 1
                counts.compactionBytesRead += plan.inputBytes
                counts.compactionBytesWritten += readers.reduce(0) { $0 + $1.info.fileBytes }
                counts.compactionSeconds += Double(Platform.monotonicNanoseconds() - start) * 1e-9
            }
        }
    }

    /// Appends a value to ``relocations`` if its file is one that the plan empties.
    /// - Returns: the new pointer; nil if the value stays where it is.
    private func relocate(_ record: Record, from files: Set<UInt64>) throws(StoreError) -> ValuePointer? {
        guard let pointer = ValuePointer(record.value), files.contains(pointer.file) else { return nil }
        return try reads.withResolvedValue(record, versions.current) { value throws(StoreError) in
            try relocations.append(record.key, value)
        }
    }
}
