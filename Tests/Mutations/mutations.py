"""The faults that are put into the engine on purpose, one at a time, to see whether the tests notice.

Each is a name, what is wrong then, the file below the folder of its module, the text that is replaced by another one, the
suite that is tried first, and the module. The text must occur exactly once, so that a fault cannot silently go out of date.
"""

from typing import NamedTuple


class Mutation(NamedTuple):
    name: str
    what: str
    file: str
    old: str
    new: str
    first: str = "CrashPointTests"
    module: str = "Siltstone"


MUTATIONS = [
    # Durability: what is not synced, or in the wrong order.
    Mutation(
        "log-not-synced", "a sync of the log makes no call", "Log/LogWriter.swift",
        "do throws(FileSystemError) { try file.syncFully() } catch { throw fail(StoreError(error).asUncertain) }\n",
        "\n"),
    Mutation(
        "sync-without-call", "syncing a file asks the system for nothing", "FileSystem/POSIXFile.swift",
        'if Platform.syncFile(number) != 0 { throw failure("sync") }', "_ = number", first="SystemCallTests"),
    Mutation(
        "directory-sync-without-call", "syncing a directory asks the system for nothing",
        "FileSystem/POSIXFileSystem.swift",
        "if Platform.syncDirectory(descriptor) != 0 {", "if path.isEmpty {", first="SystemCallTests"),
    Mutation(
        "task-not-waiting", "an awaited write does not wait for its sync", "Write/WritePath+Change.swift",
        "        try await waitUntilDurable(sequence, durability)\n", "", first="AsyncPowerLossTests"),
    Mutation(
        "awaited-sync-empty", "an awaited sync does nothing", "Write/WritePath+Change.swift",
        "        try await commits?.wait(for: last)\n",
        "        _ = last\n", first="AsyncPowerLossTests"),
    Mutation(
        "condition-not-waiting", "a conditional write does not wait for its sync", "API/KeyValueStore+Write.swift",
        "        try writes.waitUntilDurable(sequence, durability)\n        return sequence > 0\n", "        return sequence > 0\n",
        first="CrashPointTests"),
    Mutation(
        "acknowledged-early", "a synced write does not wait for its sync", "Log/GroupCommit.swift",
        "        while durable < ticket {\n", "        while durable > ticket {\n"),
    Mutation(
        "values-not-synced", "large values are not synced before the log that points to them",
        "Values/ValueFileAppender.swift",
        "do throws(FileSystemError) { try file.syncFully() } catch {\n                let error = StoreError(error)\n"
        "                failure.value = error\n                throw error\n            }\n", ""),
    Mutation(
        "segment-not-synced", "a segment is named before its bytes are durable", "FileSystem/SegmentOutput.swift",
        "        try pieces.sync()\n", ""),
    Mutation(
        "piece-not-awaited", "a piece of a segment is overwritten while it is being written",
        "FileSystem/SegmentOutput.swift",
        "        try pieces.wait()\n        var next", "        var next", first="SegmentOutputTests"),
    Mutation(
        "piece-freed", "the memory of a piece goes while it is being written", "FileSystem/SegmentOutput.swift",
        "        pieces.drain()\n", "", first="SegmentOutputTests"),
    Mutation(
        "piece-lost", "a piece of a segment whose write fails is taken for written", "FileSystem/PieceWriter.swift",
        "            state.failure = error\n", "", first="SegmentOutputTests"),
    Mutation(
        "piece-left-to-others", "a piece of a segment waits for a thread, however long", "FileSystem/PieceWriter.swift",
        "        writePending()\n        state.wait { $0.isWriting ? nil : () }",
        "        state.wait { $0.isWriting || $0.pending != nil ? nil : () }", first="SegmentOutputTests"),
    Mutation(
        "segment-name-not-synced", "a segment is named before its own name is durable", "Manifest/VersionSet.swift",
        "let addsFiles = !opened.isEmpty || ", "let addsFiles = "),
    Mutation(
        "log-name-not-synced", "a log is used before its name is durable", "Manifest/VersionSet.swift",
        " || !edit.addedLogs.isEmpty\n", "\n"),
    Mutation(
        "edit-not-synced", "files are removed before the edit that drops them is durable", "Manifest/Manifest.swift",
        "        try writer.append(edit: edit)\n"
        "        try writer.sync()\n        state = next",
        "        try writer.append(edit: edit)\n        state = next"),
    Mutation(
        "current-not-synced", "CURRENT is renamed before its bytes are durable", "FileSystem/File+Loops.swift",
        "        try file.syncFully()\n", ""),
    Mutation(
        "rename-not-synced", "the renaming of CURRENT is not made durable", "Manifest/CurrentFile.swift",
        "try retrying(fileSystem.rename(temporary, to: path))\n"
        "        try retrying(fileSystem.syncDirectory(directory))",
        "try retrying(fileSystem.rename(temporary, to: path))"),
    Mutation(
        "directory-not-synced", "a new store's directory is not durable when its first write is acknowledged",
        "Recovery/StoreOpener.swift",
        "        try Self.syncParent(of: directory, fileSystem, ignoresPermission: true)\n", ""),
    Mutation(
        "checkpoint-not-synced", "a checkpoint's directory is not durable when it is reported", "Checkpoint/CheckpointWriter.swift",
        "        try StoreOpener.syncParent(of: path, fileSystem)\n", ""),
    Mutation(
        "recovery-not-synced", "what recovery found is not made durable before more is built on it", "Log/LogWriter.swift",
        "            do throws(FileSystemError) { try file.syncFully() } catch { throw StoreError(error).asUncertain }\n",
        ""),
    Mutation(
        "not-rewritten", "what a failed sync left in the page cache is built upon", "Log/LogWriter.swift",
        "            try storeErrors(file.rewrite(min(syncedEnd, end)..<end))\n", "",
        first="FailedSyncTests"),
    Mutation(
        "recovered-values-not-synced", "the values of recovered frames are not made durable", "Recovery/LogRecovery.swift",
        "        try syncValueFiles()\n        // The file", "        // The file"),
    Mutation(
        "removed-early", "a flushed log is removed before the segment is named", "Compaction/BackgroundWork+Flush.swift",
        "        try install(readers, edit",
        "        if let log = sealed.log { obsolete.remove([.log(log.number)]) }\n        try install(readers, edit"),
    Mutation(
        "originals-not-synced", "what a repair puts aside is not durable when it returns", "Repair/StoreRepair+Finish.swift",
        "        try syncDirectory(aside)\n        report.damagedFiles = files",
        "        report.damagedFiles = files", first="RepairCrashTests"),
    Mutation(
        "losses-not-synced", "the list of what is gone is not durable when a repair returns",
        "Repair/StoreRepair+Finish.swift",
        "storeErrors(fileSystem.create(aside + \"/LOSSES\", Array(text.utf8)))",
        "storeErrors(fileSystem.open(aside + \"/LOSSES\", .createNew).writeFully(Array(text.utf8), at: 0))",
        first="RepairCrashTests"),
    # Recovery.
    Mutation(
        "tail-not-cut", "a torn tail stays on disk", "Log/LogWriter.swift",
        "            if size > end {", "            if false, size > end {",
        first="LogWriterTests"),
    Mutation(
        "frame-checksum", "the checksum of a frame is not compared", "Log/Frame.swift",
        "guard checksum == header.checksum(fileChecksum: fileChecksum, offset: offset, body: body) else {",
        "guard checksum == header.checksum(fileChecksum: fileChecksum, offset: offset, body: body) || checksum != 0 else {",
        first="BadBytes"),
    Mutation(
        "frame-chain", "a frame need not follow the one before it", "Log/FrameReader.swift",
        "if frame.previous != lastChecksum { throw .notChained }", "",
        first="LogReaderTests|BadBytes"),
    Mutation(
        "log-link", "a log goes on though the one before has lost its end", "Recovery/LogRecovery.swift",
        "if link.log == previous.number, link.end > UInt64(previous.end) { return true }\n"
        "            guard link.log == previous.number, link.end == UInt64(previous.end),\n"
        "                link.checksum == previous.lastChecksum\n            else {",
        "guard link.log == previous.number else {",
        first="RecoveryTests"),
    Mutation(
        "damage-is-torn", "damage before synced frames is cut off like a torn tail", "Log/LogTail.swift",
        "if frame.syncedMark > end {", "if frame.syncedMark > end, false {",
        first="RecoveryTests|LogReaderTests"),
    Mutation(
        "missing-value", "a frame counts whose value is missing", "Recovery/LogRecovery.swift",
        "if let missing = try missingValue(batch, frame, reader) {",
        "if let missing = try missingValue(batch, frame, reader), false {"),
    Mutation(
        "in-the-making-foreign", "a store that another process is just making is taken for something else",
        "Recovery/StoreOpener.swift",
        "if try Self.names(in: directory, fileSystem) != names {", "if false {",
        first="OpeningTests"),
    Mutation(
        "lost-current", "a directory whose CURRENT is lost is taken for a new store", "Recovery/StoreOpener.swift",
        "        try refuseLostCurrent()\n        guard configuration.createIfMissing",
        "        guard configuration.createIfMissing",
        first="OpeningTests|DamageTests"),
    Mutation(
        "missing-file", "a file that the manifest names and that is gone is not missed", "Recovery/StoreOpener.swift",
        "found.state.liveFiles.subtracting(present).min", "present.subtracting(present).min",
        first="OpeningTests|DamageTests"),
    Mutation(
        "later-log-ignored", "what a later log proves of an earlier one that lost its end is not looked at",
        "Recovery/LogRecovery.swift",
        "            if let torn { try requireNoProof(&reader, number, torn) }\n", "",
        first="RecoveryTests"),
    Mutation(
        "unnamed-log", "a log with changes that the manifest has lost is taken for an orphan file", "Recovery/StoreOpener.swift",
        "        try recovery.checkUnnamedLogs(present, manifest: number)\n", "",
        first="OpeningTests"),
    # Checksums and identities.
    Mutation(
        "block-checksum", "the checksum of a block is not compared", "Segment/Read/SegmentReader+Blocks.swift",
        "guard checksum == bytes.integer(at: 0) else {", "guard checksum == bytes.integer(at: 0) || true else {",
        first="SegmentDamage|DamageTests"),
    Mutation(
        "page-checksum", "the checksum of a page of the hash index is not compared", "Segment/Read/SegmentReader+Blocks.swift",
        "guard CRC32.checksum(bytes) == layout.checksum(ofPage: page) else {",
        "guard CRC32.checksum(bytes) == layout.checksum(ofPage: page) || true else {",
        first="SegmentDamage|DamageTests"),
    Mutation(
        "value-checksum", "the checksum of a large value is not compared", "Values/ValueFileReader.swift",
        "guard let record = ValueRecord(bytes), record.isValid(bytes, file: number, offset: offset) else {",
        "guard let record = ValueRecord(bytes) else {",
        first="ValueFileTests|DamageTests"),
    Mutation(
        "foreign-file", "a file of another store is accepted", "FileSystem/FileHeader.swift",
        "guard store == nil || store == self.store else {", "guard store == nil || store == self.store || true else {",
        first="OpeningTests|DamageTests|ForeignFiles"),
    # What outlives a compaction.
    Mutation(
        "bottom-too-narrow", "whether anything lies below a compaction is asked for a part of its range",
        "Compaction/CompactionPicker.swift", "Self.range(segments + met) ?? range", "range",
        first="CompactionPickerTests"),
    Mutation(
        "tombstone-early", "a tombstone goes while older data lies below", "Merge/VersionFilter.swift",
        "if isOldest, record.kind == .tombstone { return nil }", "if stripe == 0, record.kind == .tombstone { return nil }",
        first="StoreModel|VersionFilter"),
    Mutation(
        "range-tombstone-early", "a range tombstone goes while older data lies below", "Merge/VersionFilter.swift",
        "if isBottom, stripe == 0 { break }", "if stripe == 0 { break }",
        first="StoreModel|VersionFilter"),
    Mutation(
        "snapshot-ignored", "compactions do not look at open snapshots", "Compaction/BackgroundWork+Segments.swift",
        "snapshots: seen, isBottom: isBottom", "snapshots: [], isBottom: isBottom",
        first="StoreModel|HeldSnapshot"),
    Mutation(
        "newest-dropped", "of two versions the older one survives a compaction", "Merge/VersionFilter.swift",
        "            if stripe == self.stripe { return nil }\n",
        "            if stripe == self.stripe { return record.kind == .value ? record.sequence : nil }\n",
        first="StoreModel|VersionFilter"),
    Mutation(
        "value-file-early", "a value file goes while a memtable refers to it", "Write/WritePath+Background.swift",
        "return lock.withLock { state.valueFiles }.union(running)", "return running",
        first="HistoryTests|StoreModel|HeldSnapshot"),
    Mutation(
        "values-uncounted", "a memtable is not full of the values to which it refers", "Write/WritePath+Room.swift",
        "|| state.active.valueBytes >= configuration.valueSealingBytes", "", first="WritePathTests|ValueBoundTests"),
    Mutation(
        "values-unnoticed", "small changes that follow values fill a memtable without a check",
        "Write/WritePath+LargeValues.swift",
        "if state.active.valueBytes >= limit { state.active.uncheckedEnd = 0 }", "", first="WritePathTests"),
    Mutation(
        "space-unrequested", "nobody frees a full disk", "Write/WritePath+Room.swift",
        "            if error.code == .noSpace { background.value.space() }\n", "", first="WritePathTests|ValueBoundTests"),
    Mutation(
        "running-write-collected", "a value file goes while a running write has appended to it", "Write/ValueLog.swift",
        "files.appended.union(files.current.map { [$0.number] } ?? [])",
        "Set(files.current.map { [$0.number] } ?? [])", first="ValueLogTests"),
    Mutation(
        "released-values-kept", "what only a released snapshot has seen stays", "API/Snapshot.swift",
        "        engine.background.snapshotWasReleased()\n", "", first="ValueBoundTests"),
    Mutation(
        "batch-values-forgotten", "a memtable does not know the value files of its batches", "Write/WritePath+Batch.swift",
        "        if !valueFiles.isEmpty { noteValues", "        if false { noteValues"),
    Mutation(
        "full-values-not-synced", "a value file that is full is left without a sync", "Write/ValueLog.swift",
        "            try sync(current)\n", ""),
    Mutation(
        "mark-too-far", "a log vouches for frames whose values are not synced yet", "Write/WritePath+Change.swift",
        "for (log, end) in logs { try log.sync(upTo: end) }", "for (log, _) in logs { try log.sync() }",
        first="ConcurrentPowerLossTests"),
    # Failures.
    Mutation(
        "sync-retried", "after a failed sync writes go on", "Log/LogWriter.swift",
        "if space.failure == nil { space.failure = error }", "",
        first="LogWriterTests"),
    Mutation(
        "short-write", "a short write is taken for a whole one", "FileSystem/File+Loops.swift",
        "            done += written\n", "            done = count\n",
        first="FaultSweep|FaultTests|LogWriterTests"),
    Mutation(
        "interrupted", "an interrupted call is not made again", "FileSystem/File+Loops.swift",
        "do { return try call() } catch { if !error.isInterrupted { throw error } }", "return try call()",
        first="FaultSweep"),
    Mutation(
        "full-disk-for-ever", "a full disk ends all writing", "Write/WritePath+Change.swift",
        "if error.code != .noSpace { status.record(error) }", "status.record(error)",
        first="FaultTests"),
    # Visibility.
    Mutation(
        "batch-visible-early", "readers see the beginning of a batch", "Read/ReadPath+Get.swift",
        "        let visible = sequence ?? self.visible\n"
        "        return try reading.superVersion.with {",
        "        let visible = sequence ?? .greatest\n"
        "        return try reading.superVersion.with {",
        first="ReadRaceTests"),
    Mutation(
        "condition-unchecked", "a condition is not looked at again under the lock", "Write/WritePath+Change.swift",
        "            guard try refresh(&known, key, condition, waits) else { return nil }\n", "",
        first="HistoryTests|ConcurrencyTests"),
    # Durability: more of what is not synced, or in the wrong order.
    Mutation(
        "found-names-not-synced", "what an opening removes may still be in force after a loss of power",
        "Recovery/StoreOpener.swift",
        "if !isQuiet { try opened.makeRecoveryDurable() }",
        "", first="RecoveryTests"),
    Mutation(
        "never-full", "a memtable that small changes fill is never sealed", "Write/WritePath+Room.swift",
        "hasRoom ? min(bytes + Self.easyStep, next) : 0", "hasRoom ? .max : 0", first="WriteControllerTests|StoreModelTests"),
    Mutation(
        "small-changes-not-slowed", "small changes are let in however far compactions and flushes are behind",
        "Write/WritePath+Room.swift",
        "isEasy && state.controller.delay == 0", "isEasy", first="WritePathTests"),
    Mutation(
        "found-names-not-durable", "a store is changed without making durable the names that were found",
        "Write/WritePath+Room.swift",
        "        if _slowPath(!versions.isRecoveryDurable), try !makeRecoveryDurable(waits) { return "
        "false }\n",
        "", first="QuietOpeningTests"),
    Mutation(
        "recovery-durable-too-late", "a closed store makes durable what it has found, over what the next owner has written",
        "Manifest/VersionSet.swift",
        "            try status.checkStillWritable()\n            try checkInPlace()\n",
        "            try checkInPlace()\n", first="QuietOpeningTests"),
    Mutation(
        "directory-not-held", "a store finds its files by the path of its directory, whichever directory is there",
        "Recovery/StoreOpener.swift",
        "storeErrors(retrying(configuration.fileSystem.holding(directory)))", "configuration.fileSystem",
        first="MovedDirectoryTests"),
    Mutation(
        "lock-not-compared", "a store goes on in a directory whose files are another store's",
        "Manifest/StoreDirectory.swift",
        "fileSystem.isInPlace() && lock?.isInPlace() ?? true", "fileSystem.isInPlace()", first="MovedDirectoryTests"),
    Mutation(
        "recovery-durable-without-names", "what makes a found manifest durable does so without the names of the files",
        "Manifest/Manifest.swift",
        "        try fileSystem.syncNames(in: directory)\n",
        "", first="QuietOpeningTests"),
    Mutation(
        "recovery-durable-at-once", "a store that was closed in good order is written to when it is opened",
        "Recovery/StoreOpener.swift",
        "if !isQuiet { try opened.makeRecoveryDurable() }",
        "try opened.makeRecoveryDurable()", first="QuietOpeningTests"),
    Mutation(
        "manifest-name-not-synced", "CURRENT names a manifest whose own name is not durable",
        "Manifest/Manifest.swift",
        "        do throws(StoreError) { try fileSystem.syncNames(in: directory) } catch {\n",
        "        do throws(StoreError) { if path.isEmpty { try fileSystem.syncNames(in: directory) } } catch {\n"),
    Mutation(
        "new-log-bytes-not-synced", "a log is named before its header is durable",
        "Log/LogWriter.swift",
        "try storeErrors(file.syncFully())\n            return writer",
        "\n            return writer"),
    Mutation(
        "value-header-not-synced", "a value file is named before its header is durable",
        "Manifest/VersionSet.swift",
        "try writer.sync()\n                let reader",
        "\n                let reader"),
    Mutation(
        "value-name-not-synced", "a value file is named before its own name is durable",
        "Manifest/VersionSet.swift",
        " || !valueFiles.isEmpty || !edit", " || !edit"),
    Mutation(
        "names-sync-repeated", "a sync of the directory that has failed is followed by another", "Manifest/VersionSet.swift",
        "try directory.sync() } catch {\n            if error.leavesDoubt { status.fail(error) }\n",
        "try directory.sync() } catch {\n", first="DirectorySyncTests"),
    Mutation(
        "names-sync-full", "a sync of the directory that finds the disk full claims to have changed nothing",
        "FileSystem/File+Loops.swift",
        "Platform.isRefusal(error.errorNumber) ? StoreError(error) : StoreError(error).asUncertain",
        "StoreError(error)", first="DirectorySyncTests"),
    Mutation(
        "flushed-values-not-synced", "a segment is named before the values that it points to are durable",
        "Compaction/BackgroundWork+Flush.swift",
        "syncing: sealed.valueFiles.isEmpty ? nil : values",
        "syncing: nil"),
    Mutation(
        "relocated-values-not-synced", "moved values are not durable when their old places go",
        "Compaction/BackgroundWork+Compaction.swift",
        "syncing: plan.relocating.isEmpty ? nil : relocations",
        "syncing: nil"),
    Mutation(
        "recovered-log-name-not-synced", "recovery goes on with a log whose name is not durable",
        "Recovery/LogRecovery.swift",
        "        try directory.sync()\n",
        ""),
    Mutation(
        "seal-not-synced", "a log is sealed without a sync",
        "Log/LogWriter.swift",
        "try sync()\n    }\n\n    /// Closes the file",
        "\n    }\n\n    /// Closes the file"),
    Mutation(
        "finished-values-not-synced", "a value file that takes no more is left without a sync",
        "Write/ValueLog.swift",
        "            try sync()\n            files.withLock",
        "            files.withLock", first="ConcurrentPowerLossTests"),
    Mutation(
        "moved-values-not-synced", "values that a repair moves are not durable when it returns",
        "Repair/StoreRepair.swift",
        "try values.finish()",
        "", first="RepairCrashTests"),
    Mutation(
        "repaired-values-not-rewritten", "values that a repair leads to may be with the kernel only",
        "Repair/RepairedValues.swift",
        "try reader.sync(rewritingFrom: FileHeader.size)",
        "", first="RepairCrashTests"),
    Mutation(
        "moved-aside-not-synced",
        "originals that a repair moves, where it cannot link them, are not durable when it returns",
        "Repair/StoreRepair+Finish.swift",
        "try syncDirectory(aside)\n        try syncDirectory(directory)",
        "", first="RepairCrashTests"),
    Mutation(
        "repair-current-not-synced", "a repair removes files that are in force after a loss of power",
        "Repair/StoreRepair+Finish.swift",
        "try storeErrors(CurrentFile.replace(in: directory, fileSystem))",
        "try storeErrors(fileSystem.rename(StoreFile.temporaryCurrent.path(in: directory), to: "
        "StoreFile.current.path(in: directory)))", first="RepairCrashTests"),
    Mutation(
        "latecomers-acknowledged", "who comes during a sync is told that it covers him",
        "Log/GroupCommit.swift",
        "        let durable = durable\n", "        let durable = Ticket.max\n", first="GroupCommitTests"),
    Mutation(
        "uncovered-thread-expected", "tasks are left to threads that need no other sync", "Log/GroupCommit.swift",
        "&& state.greatestOfThreads <= durable", "&& state.greatestOfThreads == 0", first="GroupCommitTests"),
    Mutation(
        "waiters-not-woken", "the end of a sync wakes nobody", "Log/GroupCommit.swift",
        "        state.wakeAll()\n", "", first="GroupCommitTests"),
    Mutation(
        "covers-later-writes", "a sync counts for what was written while it ran",
        "Write/WritePath+Change.swift",
        "        return last\n    }\n\n    /// Waits until",
        "        return lock.withLock { state.lastSequence }\n    }\n\n    /// Waits until", first="RecoveryTests"),
    Mutation(
        "newer-log-first", "newer logs are synced before older ones",
        "Write/WritePath+Change.swift",
        "for (log, end) in logs { try",
        "for (log, end) in logs.reversed() { try", first="RecoveryTests"),
    Mutation(
        "last-log-only", "only the newest log is synced",
        "Write/WritePath+Change.swift",
        "unsynced.map { (log: $0, end: $0.end) }",
        "unsynced.suffix(1).map { (log: $0, end: $0.end) }", first="RecoveryTests"),
    Mutation(
        "values-after-log", "large values are synced after the log that points to them",
        "Write/WritePath+Change.swift",
        "        if let valueFile { try values.sync(valueFile) }\n        try status.requireSuccess { () throws(StoreError) in\n"
        "            for (log, end) in logs { try log.sync(upTo: end) }\n",
        "        try status.requireSuccess { () throws(StoreError) in\n"
        "            for (log, end) in logs { try log.sync(upTo: end) }\n        }\n"
        "        if let valueFile { try values.sync(valueFile) }\n"
        "        try status.requireSuccess { () throws(StoreError) in\n", first="ConcurrentPowerLossTests"),
    Mutation(
        "values-of-sealed", "values to which only sealed memtables refer are not synced with the logs",
        "Write/WritePath+Change.swift",
        "let refersToValues = tables.contains", "let refersToValues = [state.active].contains",
        first="ConcurrentPowerLossTests"),
    Mutation(
        "values-of-active", "values to which only the active memtable refers are not synced with the logs",
        "Write/WritePath+Change.swift",
        "let refersToValues = tables.contains", "let refersToValues = state.sealed.contains",
        first="ConcurrentPowerLossTests"),
    Mutation(
        "room-unchecked", "a frame that goes through a call does not reserve its space first",
        "Log/LogWriter.swift",
        "if end + size > room.load(ordering: .acquiring) { try makeRoom(upTo: end + size) }",
        "if end + size > room.load(ordering: .acquiring), tail.value.mapped == nil { try makeRoom(upTo: end + size) }",
        first="LogWriterTests"),
    Mutation(
        "mark-ahead", "frames say that what no sync has reached is durable",
        "Log/LogWriter.swift",
        "mark: UInt32(truncatingIfNeeded: syncedMark.load(ordering: .relaxed) &>> 3)",
        "mark: UInt32(truncatingIfNeeded: tail.value.end &>> 3)"),
    Mutation(
        "inputs-removed-early", "what a compaction has read is removed before its output is named",
        "Compaction/BackgroundWork+Compaction.swift",
        "let run = plan.outputRunNumber ?? readers.first?.info.number ?? 0",
        "try obsolete.remove(inOrder: plan.obsoleteFiles)\n"
        "        let run = plan.outputRunNumber ?? readers.first?.info.number ?? 0"),
    Mutation(
        "old-manifest-early", "the old manifest is removed before the new one is installed",
        "Manifest/Manifest.swift",
        "do throws(FileSystemError) { try CurrentFile",
        "do { try fileSystem.remove(StoreFile.manifest(number).path(in: directory)) } catch {}\n"
        "        do throws(FileSystemError) { try CurrentFile", first="ManifestRenewalFaultTests"),
    Mutation(
        "renewed-without-edit", "a manifest that is rolled over lacks the edit that was due",
        "Manifest/Manifest.swift",
        "number: newNumber, state: next, identity",
        "number: newNumber, state: state, identity", first="ManifestRenewalFaultTests"),
    Mutation(
        "checkpoint-values-missing", "a checkpoint lacks its value files",
        "Checkpoint/CheckpointWriter.swift",
        "for number in referenced { try link(.values(number), into: path) }",
        "", first="CheckpointTests"),
    Mutation(
        "checkpoint-file-grows", "a value file goes on growing that a checkpoint shares",
        "Write/ValueLog.swift",
        "            files.withLock { $0.current = nil }\n",
        "", first="CheckpointTests"),
    Mutation(
        "checkpoint-sequence", "a checkpoint does not know the last sequence number in it",
        "Checkpoint/CheckpointWriter.swift",
        "ManifestState(lastSequence: sequence)",
        "ManifestState()", first="CheckpointTests"),
    # Recovery: what may be built upon.
    Mutation(
        "flush-sequence", "a flush does not tell the manifest the last sequence number",
        "Compaction/BackgroundWork+Flush.swift",
        "VersionEdit(lastSequence: sealed.table.greatestSequence)",
        "VersionEdit()"),
    Mutation(
        "sequence-forgotten", "sequence numbers begin anew where there is no log",
        "Recovery/LogRecovery.swift",
        "lastSequence = manifest.state.lastSequence\n    }\n\n    /// The memtables",
        "lastSequence = 0\n    }\n\n    /// The memtables", first="CheckpointTests"),
    Mutation(
        "later-frames-ignored", "whole frames behind damage do not prove that earlier logs were synced",
        "Log/LogTail.swift",
        "guard fault != nil, !isZero(from: end) else { return false }",
        "guard false, !isZero(from: end) else { return false }", first="LogLinkTests"),
    Mutation(
        "empty-log-proves-nothing",
        "a log that was synced right after its beginning proves nothing of the logs before it",
        "Log/LogTail.swift",
        "        if syncedMark >= LogLink.end { return true }",
        "        if syncedMark > LogLink.end { return true }", first="RecoveryTests"),
    Mutation(
        "link-checksum", "a log follows another frame than the one that its link names",
        "Recovery/LogRecovery.swift",
        "link.checksum == previous.lastChecksum\n            else",
        "true\n            else", first="RecoveryTests"),
    Mutation(
        "link-mark-ignored", "what a link says was synced of the log before may be missing",
        "Log/LogTail.swift",
        "return link.synced > UInt64(link.log == number ? end : LogLink.end - 1)",
        "return link.log != number && link.synced >= UInt64(LogLink.end)", first="LogLinkTests"),
    Mutation(
        "link-of-later-log-ignored", "the link of a log proves nothing of the logs before the one that it follows",
        "Log/LogTail.swift",
        "return link.synced > UInt64(link.log == number ? end : LogLink.end - 1)",
        "return link.log == number && link.synced > UInt64(end)", first="LogLinkTests"),
    Mutation(
        "link-mark-too-far", "a link vouches for changes of the log before that are not synced",
        "Log/LogWriter.swift",
        "synced: UInt64(syncedEnd),",
        "synced: UInt64(tail.value.end),"),
    Mutation(
        "closed-later-log-ignored", "the closing of a later log proves nothing of the logs before it",
        "Recovery/LogRecovery.swift",
        "if wasClosed || reader.provesLoss",
        "if reader.provesLoss", first="LogLinkTests"),
    Mutation(
        "gap-between-logs", "changes may be missing between two logs, or between the segments and the first",
        "Recovery/LogRecovery.swift",
        "guard link.lastSequence == lastSequence else",
        "guard link.lastSequence >= lastSequence else", first="LogLinkTests"),
    Mutation(
        "hidden-changes", "segments may have changes behind the last sequence number, which nobody sees",
        "Recovery/StoreOpener.swift",
        "        try state.checkLastSequence(path: path, offset: lastEdit)\n",
        "        _ = lastEdit\n", first="DamageTests"),
    Mutation(
        "closed-end-ignored", "a log may be shorter than it was when the store was closed",
        "Recovery/LogRecovery.swift",
        "closing.log == log.number, UInt64(log.end) < closing.end {\n            throw",
        "closing.log == log.number, false {\n            throw", first="BadBytesTests"),
    Mutation(
        "closing-end", "closing notes a wrong end of the log",
        "Write/WritePath+Background.swift",
        "end: UInt64(log.end), lastSequence: last)",
        "end: UInt64(FileHeader.size), lastSequence: last)", first="BadBytesTests"),
    Mutation(
        "close-edit-left-out", "closing does not note where the log ends",
        "Manifest/VersionSet.swift",
        "                try manifest.append(edit)\n",
        "                if edit.closing == nil { try manifest.append(edit) }\n", first="RecoveryTests"),
    Mutation(
        "close-edit-after-failure", "closing notes where the log ends although background work has failed meanwhile",
        "Manifest/VersionSet.swift",
        "            guard !status.hasFailed else { return }\n", "", first="DirectorySyncTests|VersionSetTests"),
    Mutation(
        "unproven-too-few", "the first value that no proof covers is not written again",
        "Recovery/LogRecovery.swift",
        "$0.frame >= syncedEnd",
        "$0.frame > syncedEnd", first="FailedSyncTests"),
    Mutation(
        "values-not-rewritten", "values that a failed sync left in the page cache are built upon",
        "Recovery/LogRecovery.swift",
        "rewritingFrom: Int(clamping: first))",
        "rewritingFrom: .max)", first="FailedSyncTests"),
    Mutation(
        "recovered-values-collected", "a recovered memtable does not know its value files",
        "Recovery/LogRecovery.swift",
        "valueFiles.insert(pointer.file)\n        // Values",
        "\n        // Values", first="RecoveryTests"),
    Mutation(
        "proves-too-much", "any log proves that the earlier ones were synced",
        "Recovery/LogRecovery.swift",
        "if !logs.isEmpty, reader.provesEarlierLogsSynced() {",
        "if !logs.isEmpty, true {", first="FailedSyncTests"),
    Mutation(
        "log-behind-lost", "a log counts though one before it was emptied",
        "Recovery/LogRecovery.swift",
        "            torn = torn ?? logs.last\n",
        "", first="RecoveryTests"),
    Mutation(
        "rejected-frame-stays", "a frame whose value is missing is built upon",
        "Log/FrameReader.swift",
        "(end, lastChecksum, lastKind, syncedMark) = beforeLast",
        ""),
    Mutation(
        "link-anywhere", "a link counts anywhere in a log",
        "Recovery/LogRecovery.swift",
        "guard frame.offset == FileHeader.size, let link",
        "guard true, let link", first="RecoveryTests"),
    Mutation(
        "sequence-gap", "a batch need not follow the one before in its numbers",
        "Recovery/LogRecovery.swift",
        "guard frame.firstSequence == log.lastSequence + 1 else",
        "guard true else", first="LogLinkTests"),
    Mutation(
        "mark-of-frame", "a frame may vouch for what lies behind it",
        "Log/Frame.swift",
        "guard Int(header.mark) * 8 <= offset else { throw .markAhead",
        "guard true else { throw .markAhead", first="LogReaderTests"),
    Mutation(
        "give-up-is-torn", "a search for proof that was given up proves that there is none",
        "Log/LogTail.swift",
        "if scanner.hasGivenUp {",
        "if false {", first="LogReaderTests"),
    Mutation(
        "numbers-used-again", "new files get the numbers of orphan files",
        "Recovery/StoreOpener.swift",
        "max(found.state.nextFileNumber, greatest + 1)",
        "found.state.nextFileNumber", first="OpeningTests"),
    Mutation(
        "next-number-not-noted", "the numbers of removed files are given out again",
        "Manifest/Manifest.swift",
        "var edit = edit\n        edit.nextFileNumber = state.nextFileNumber",
        "var edit = edit", first="OpeningTests"),
    Mutation(
        "orphan-files-stay", "what a crash left behind stays for ever",
        "Recovery/StoreOpener.swift",
        "            if !isQuiet {\n                obsoleteGroups = try remove(",
        "            if false {\n                obsoleteGroups = try remove(",
        first="OpeningTests"),
    # Checksums and identities: the others.
    Mutation(
        "current-checksum", "the checksum of CURRENT is not compared",
        "Manifest/CurrentFile.swift",
        "line(manifest: number) == text\n        else",
        "true\n        else", first="ManifestTests"),
    Mutation(
        "misnamed-file", "a file of another number is accepted",
        "FileSystem/FileHeader.swift",
        "guard number == self.number else",
        "guard true else", first="SegmentDamageTests"),
    Mutation(
        "header-checksum", "the checksum of a file's header is not compared",
        "FileSystem/FileHeader.swift",
        "stored == CRC32.checksum(Bytes(rebasing: header[..<60]))",
        "true", first="SegmentDamageTests"),
    Mutation(
        "footer-checksum", "the checksum of a footer is not compared",
        "Segment/Index/SegmentFooter.swift",
        "stored == Self.checksum(bytes, headerChecksum: headerChecksum)",
        "true", first="SegmentDamageTests"),
    Mutation(
        "metadata-checksum", "the checksum of a segment's metadata is not compared",
        "Segment/SegmentLayout.swift",
        "CRC32.checksum(metadata.bytes) == footer.metadataChecksum",
        "true", first="SegmentDamageTests"),
    Mutation(
        "stored-checksum", "the checksum of a compressed block is not compared",
        "Segment/Block/StoredBlock.swift",
        "checksum == Self.checksum(stored, segment: segment)",
        "true", first="SegmentDamageTests"),
    Mutation(
        "value-swapped", "a value need not be the one that its pointer means",
        "Values/ValueRecord.swift",
        "checksum == pointer.checksum && value.count",
        "value.count", first="ValueFileTests"),
    Mutation(
        "window-verified-early", "one good block vouches for those beside it",
        "Segment/Read/SegmentReader+Lookup.swift",
        "(first...last).allSatisfy({ verifiedBlocks.isSet($0) })",
        "true", first="SegmentDamageTests"),
    Mutation(
        "value-verified-early", "a value counts as checked before it is",
        "Values/ValueFileReader.swift",
        "let record = try checked(bytes, at: offset)\n        mapping.setVerified(offset)\n"
        "        return record",
        "mapping.setVerified(offset)\n        return try checked(bytes, at: offset)", first="ValueFileTests"),
    # What outlives a compaction, and what goes to where.
    Mutation(
        "snapshot-boundary-memory", "a snapshot does not see the change at its own number, in memory",
        "MemTable/MemTableTree.swift",
        "current.sequence > visible",
        "current.sequence >= visible", first="StoreModelTests"),
    Mutation(
        "snapshot-boundary-scan", "a snapshot does not see the change at its own number, in a scan of segments",
        "Segment/Read/SegmentCursor.swift",
        "isDone = found.record.sequence <= visible",
        "isDone = found.record.sequence < visible", first="HeldSnapshotTests"),
    Mutation(
        "snapshot-boundary-stripe", "what a snapshot sees goes with the next change",
        "Merge/VersionFilter.swift",
        "snapshots[$0] >= sequence",
        "snapshots[$0] > sequence", first="HeldSnapshotTests"),
    Mutation(
        "stripe-tombstones", "a removal of a range hides what older snapshots see",
        "Merge/VersionFilter.swift",
        "let visible = stripe < snapshots.count ? snapshots[stripe]",
        "let visible = false ? snapshots[stripe]", first="CompactionTests"),
    Mutation(
        "number-dropped-early", "a record loses its sequence number while a snapshot is older than it",
        "Merge/VersionFilter.swift",
        "return isOldest ? 0",
        "return isBottom ? 0", first="CompactionTests"),
    Mutation(
        "flush-at-bottom", "a flush drops tombstones though older data lies below",
        "Compaction/BackgroundWork+Flush.swift",
        "return (runs.isEmpty && obsolete.hasRemovedInputs, runs",
        "return (true, runs", first="CompactionTests"),
    Mutation(
        "flush-at-bottom-beside-inputs",
        "a flush drops sequence numbers though inputs of a compaction wait for their removal",
        "Compaction/BackgroundWork+Flush.swift",
        "return (runs.isEmpty && obsolete.hasRemovedInputs, runs",
        "return (runs.isEmpty, runs", first="RepairLostEditsTests"),
    Mutation(
        "leftovers-forgotten", "what an opening could not remove does not keep newer inputs of compactions",
        "Engine/Engine.swift",
        "obsoleteGroups: store.obsoleteGroups", "obsoleteGroups: []", first="RepairLostEditsTests"),
    Mutation(
        "checkpoint-over-store", "a checkpoint fills a directory in which another process has made a store",
        "Checkpoint/CheckpointWriter.swift",
        "guard names.allSatisfy({ $0 == StoreFile.lock.name }) else", "guard true else", first="CheckpointTests"),
    Mutation(
        "garbage-bottom", "a rewriting for garbage drops tombstones though older data lies below",
        "Compaction/CompactionPicker.swift",
        "outputRunNumber: placed.run, relocating: relocating",
        "outputRunNumber: placed.run, isBottom: true, relocating: relocating", first="StoreModelTests"),
    Mutation(
        "touching-not-met", "a segment that ends at the first key of a range counts as apart from it",
        "Segment/Read/RunCursor.swift",
        "segment.info.lastKey.lexicographicallyPrecedes(from)",
        "!from.lexicographicallyPrecedes(segment.info.lastKey)", first="RunTests"),
    Mutation(
        "range-not-widened", "a compaction of a range leaves out older segments that its inputs reach into",
        "Compaction/CompactionPicker.swift",
        "if total == count { break }",
        "if count == -1 || true { break }", first="CompactionTests"),
    Mutation(
        "inputs-out-of-order", "a compaction takes the level below for the newer one",
        "Compaction/CompactionPicker.swift",
        "if !met.isEmpty, let outputRun { inputs.append(Run(number: outputRun.number, segments: met)) }",
        "if !met.isEmpty, let outputRun { inputs.insert(Run(number: outputRun.number, segments: met), at: 0) }",
        first="CompactionPickerTests"),
    Mutation(
        "level-zero-order", "of flushed runs the older one is asked first",
        "Manifest/Version.swift",
        "$0.number > $1.number",
        "$0.number < $1.number", first="StoreModelTests"),
    Mutation(
        "newest-moved-first", "the newest flushed run goes below the older ones",
        "Compaction/CompactionPicker.swift",
        "if let oldest = flushed.last",
        "if let oldest = flushed.first", first="CompactionTests"),
    Mutation(
        "moved-onto-others", "a run moves into a level where others have its keys",
        "Compaction/CompactionPicker.swift",
        "version.overlapping(level: level + 1, from: first, to: last).isEmpty",
        "true", first="CompactionTests"),
    Mutation(
        "held-tombstones-chosen", "tombstones that a snapshot keeps are compacted again and again",
        "Compaction/CompactionPicker.swift",
        "segment.info.greatestSequence <= oldestSnapshot",
        "true", first="CompactionPickerTests"),
    Mutation(
        "range-not-clipped-end", "a range tombstone reaches beyond its segment",
        "Merge/SegmentMerge.swift",
        "if let end, end.lexicographicallyPrecedes(part.end) { part.end = end }",
        "", first="SegmentBorderTests"),
    Mutation(
        "range-not-clipped-start", "a range tombstone reaches before its segment",
        "Merge/SegmentMerge.swift",
        "if let start = segmentStart, part.start.lexicographicallyPrecedes(start) { part.start = start }",
        "", first="SegmentBorderTests"),
    Mutation(
        "key-split", "the versions of a key are spread over segments",
        "Merge/SegmentMerge.swift",
        "            if startsKey {", "            if true {", first="SegmentBorderTests"),
    Mutation(
        "lonely-ranges-lost", "range tombstones go where no record outlives a compaction",
        "Merge/SegmentMerge.swift",
        "if writer == nil, !tombstones.isEmpty { writer = try environment.newSegment() }",
        "", first="CompactionTests"),
    Mutation(
        "used-value-file-collected", "the value file that takes new values is collected",
        "Write/ValueLog.swift",
        ".union(files.current.map { [$0.number] } ?? [])",
        "", first="CompactionTests"),
    Mutation(
        "snapshot-read-outside", "a compaction may miss a snapshot that is being made",
        "Read/SnapshotRegistry.swift",
        "        state.withLock { state in\n            let sequence = visible()\n",
        "        let sequence = visible()\n        return state.withLock { state in\n",
        first="SnapshotRegistryTests"),
    Mutation(
        "snapshot-never-released", "the first of two snapshots at one number stays for ever",
        "Read/SnapshotRegistry.swift",
        "count > 1 ? count - 1",
        "false ? count - 1", first="SnapshotRegistryTests"),
    # Reading.
    Mutation(
        "range-end-inclusive", "a removal of a range takes its end, too",
        "Support/FragmentIndex.swift",
        "compareKeysByWords(key.bytes, ends[index]) < 0 ?",
        "compareKeysByWords(key.bytes, ends[index]) <= 0 ?", first="StoreModelTests"),
    Mutation(
        "range-snapshot", "a snapshot does not see the removal of a range at its own number",
        "Support/RangeTombstones.swift",
        "sequences.first { $0 <= visible",
        "sequences.first { $0 < visible", first="MemTableRangeTombstoneTests"),
    Mutation(
        "scan-ignores-ranges", "scans do not look at removals of ranges in segments",
        "Read/SuperVersion.swift",
        " + [version.rangeTombstones]",
        "", first="CompactionTests"),
    Mutation(
        "stretch-not-cut", "a scan passes the start of a range tombstone as if none began there",
        "Scan/ScanIterator.swift",
        "        rowEnd = first + (0..<(last", "        _ = first + (0..<(last", first="RangeTombstoneReadTests"),
    Mutation(
        "stretch-back-open", "a backward scan does not see the tombstone that ends where it begins",
        "Support/TombstoneStretch.swift",
        "index.end(last)) <= 0", "index.end(last)) < 0", first="RangeTombstoneReadTests"),
    Mutation(
        "cover-ignored", "a point read does not look at range tombstones where it finds a value by the short way",
        "Read/ReadPlan.swift",
        "found.hasValue, isCovered(key)", "!found.hasValue, isCovered(key)", first="StoreModelTests"),
    Mutation(
        "unread-span-kept", "a seek past the last key goes on with what was read before", "Scan/ScanIterator.swift",
        "            // After a seek, `next` and `rowEnd` may still be places in the previous span.\n"
        "            leaveSpan()\n", "            self.span = .none\n",
        first="RangeReadTests"),
    Mutation(
        "hidden-count-kept", "a seek in a transaction behind a deleted key takes the scan for ended",
        "Transaction/TransactionIterator.swift",
        "        if !isBaseAtEnd { base.take(upTo: baseNext) }\n", "", first="RangeReadTests"),
    Mutation(
        "span-place-unproved", "a seek takes records that were read for all that lie before its key",
        "Scan/ScanIterator+Seek.swift",
        "isOnward || !isPast(span.start, position) || isAt(span.start, position),\n                isPast", "isPast",
        first="RangeReadTests"),
    Mutation(
        "deep-ranges-ignored", "scans do not look at removals of ranges below level 0",
        "Manifest/Version.swift",
        "let sets = Self.tombstoneSets(of: runs)",
        "let sets = Self.tombstoneSets(of: levels.first ?? [])", first="StoreModelTests"),
    Mutation(
        "old-ranges-shared", "a version takes the removals of ranges of the one before for its own",
        "Manifest/Version.swift",
        "sets.keys == Self.tombstoneSets(of: previous.runs).keys",
        "sets.count == Self.tombstoneSets(of: previous.runs).count", first="RangeTombstoneReadTests"),
    Mutation(
        "ranges-never-full", "any number of removals of ranges stays in one memtable",
        "Write/WritePath+Room.swift",
        "            || state.active.unretainedTable.with { $0.hasManyRangeTombstones }\n", "",
        first="RangeTombstoneReadTests"),
    Mutation(
        "ranges-of-snapshots-lost", "a flush keeps only the newest of the removals of a range",
        "Merge/VersionFilter.swift",
        "if stripe != last { kept.append(sequence) }", "if kept.isEmpty { kept.append(sequence) }",
        first="VersionFilterTests"),
    Mutation(
        "ranges-joined-over-gaps", "a flush joins removals of ranges that do not touch",
        "Merge/VersionFilter.swift",
        "if end == fragment.start, let index", "if let index", first="VersionFilterTests"),
    Mutation(
        "pending-ranges", "of many removals of ranges the earlier ones are lost",
        "MemTable/RangeTombstoneLog.swift",
        "RangeTombstones(state.set.tombstones + state.pending)",
        "RangeTombstones(state.pending)", first="MemTableRangeTombstoneTests"),
    Mutation(
        "overflow-ignored", "keys that overflow their bucket of the hash index are not found",
        "Segment/Index/HashIndexProbe.swift",
        "guard line.hasOverflowed else { return nil }",
        "return nil", first="ConfigurationTests"),
    Mutation(
        "overflow-ignored-fast", "point reads do not find keys that overflow their bucket of the hash index",
        "Segment/Read/SegmentProbe.swift",
        "if matches == 0, !line.hasOverflowed { return .absent }",
        "if matches == 0 { return .absent }", first="RunProbeTests"),
    Mutation(
        "unverified-read", "point reads do not check the block that they read from",
        "Segment/Read/SegmentProbe.swift",
        "address <= value.lastHead && value.verifiedWindows.isSet(address &>> value.windowShift)",
        "address <= value.lastHead", first="PinnedValueTests"),
    Mutation(
        "unverified-index-read", "point reads do not check the page of the hash index that they read from",
        "Segment/Read/SegmentProbe.swift",
        "guard _fastPath(value.verifiedPages.isSet(page)) else { return .unclear }",
        "", first="PinnedValueTests"),
    Mutation(
        "removed-is-absent", "point reads look behind a tombstone",
        "Segment/Read/SegmentProbe.swift",
        "return found.isOlder || found.record.sequence > visible ? .unclear : QuickFind(FoundRecord(found.record))",
        "return found.isOlder || found.record.sequence > visible ? .unclear "
        ": found.record.kind == .tombstone ? .absent : QuickFind(FoundRecord(found.record))",
        first="SegmentRoundTripTests"),
    Mutation(
        "any-kind-pinned", "a point read takes a record of any kind for a value",
        "Segment/Block/RecordHeader.swift",
        "word & 0xffff == UInt64(truncatingIfNeeded: keyCount) &<< 8 | UInt64(RecordKind.value.rawValue)",
        "word & 0xff00 == UInt64(truncatingIfNeeded: keyCount) &<< 8", first="RecordHeaderTests"),
    Mutation(
        "row-not-counted", "a scan inlined into the caller does not count the entries that it has returned",
        "Scan/ScanIterator.swift", "remaining &-= taken - before\n", "_ = before\n", first="InlinedIteratorTests"),
    Mutation(
        "removed-counted", "a scan inlined into the caller counts removed keys as entries",
        "Scan/ScanIterator.swift", "{ remaining &+= 1 }", "{}", first="InlinedIteratorTests"),
    Mutation(
        "row-not-cut", "a scan inlined into the caller returns whole batches, whatever its limit",
        "Scan/ScanIterator.swift", "end: last - first > remaining ? first + remaining : last)", "end: last)",
        first="InlinedIteratorTests"),
    Mutation(
        "row-not-concerned", "a scan inlined into the caller returns entries of removed ranges",
        "Scan/ScanIterator.swift", "if _slowPath(stretch.covering > 0) {", "if false {", first="InlinedIteratorTests"),
    Mutation(
        "empty-range-not-cut", "scans skip a key that was put where all was deleted",
        "Scan/DeletedRangeSet.swift", "        replace(index..<(index + 1), with: [before, behind]", "        _ = ([before, behind]",
        first="DeletedRangeTests"),
    Mutation(
        "key-behind-cut", "what is left behind a key that was put begins with that key",
        "Scan/DeletedRangeSet.swift", "behind.from = KeyRange.successor(of: before.to)", "behind.from = before.to",
        first="DeletedRangeTests"),
    Mutation(
        "growth-by-elders", "a scan that does not see the last puts reports their keys as empty",
        "Scan/DeletedRangeSet.swift", "let isKnown = seen >= lastPut", "let isKnown = true", first="DeletedRangeTests"),
    Mutation(
        "watched-by-elders", "a scan that does not see the puts before keys were watched reports the keys as empty",
        "Scan/DeletedRangeSet.swift", "if part.isKnown || part.sequence > seen {", "if part.isKnown {",
        first="DeletedRangeTests"),
    Mutation(
        "watched-for-empty", "a range that is only watched is skipped",
        "Scan/DeletedRangeSet.swift", "parts[index].isKnown, parts", "parts", first="DeletedRangeTests"),
    Mutation(
        "watched-beside-run", "the part of a watched range that a scan has not passed counts as empty",
        "Scan/DeletedRangeSet.swift", "let (start, end) = (greater(part.from, from), smaller(part.to, to))",
        "let (start, end) = (part.from, part.to)", first="DeletedRangeTests"),
    Mutation(
        "empty-for-elders", "a snapshot does not see what was deleted since",
        "Scan/DeletedRangeSet.swift", "parts[index].isKnown, parts[index].sequence <= seen", "parts[index].isKnown",
        first="DeletedRangeTests"),
    Mutation(
        "joined-for-elders", "a snapshot does not see what was deleted since, where two pieces have become one",
        "Scan/DeletedRangeSet.swift", "                merged[merged.count - 1].sequence = max(last.sequence, sequence)\n", "",
        first="DeletedRangeTests"),
    Mutation(
        "joined-apart", "two pieces are taken for one though a key lies between them",
        "Scan/DeletedRangeSet.swift", "last.isKnown == isKnown, last.to == from", "last.isKnown == isKnown",
        first="DeletedRangeTests"),
    Mutation(
        "watch-since-ever", "puts before the first range count for nothing",
        "Scan/DeletedRangeCache.swift", "                if set.isEmpty { set.notePuts(upTo: last) }\n", "",
        first="DeletedRangeCacheTests"),
    Mutation(
        "put-not-noted", "one put does not count among those that cut a range",
        "Write/WritePath+Change.swift", "if _slowPath(scans.deletedRanges.hasRanges), kind.isPut {", "if false {",
        first="DeletedRangeCacheTests"),
    Mutation(
        "batch-not-noted", "a batch's puts do not count among those that cut a range",
        "Write/WritePath+Batch.swift", "if _slowPath(scans.deletedRanges.hasRanges) { try", "if false { try",
        first="DeletedRangeCacheTests"),
    Mutation(
        "pointer-not-noted", "a large value's put does not count among those that cut a range",
        "Support/Record.swift", "{ self == .value || self == .pointer }", "{ self == .value }",
        first="DeletedRangeCacheTests"),
    Mutation(
        "run-behind-entries", "a run of deleted records counts from the start of the scan, over entries",
        "Scan/ScanIterator.swift", "try passHidden() } catch", "try passHidden(from: startBound) } catch",
        first="QueueTests"),
    Mutation(
        "own-put-not-noted", "a transaction skips a key that it has put where all was deleted",
        "Transaction/WriteBuffer.swift", "if kind == .value { deletedRanges.note(put: key, changeCount) }",
        "if kind == .value { _ = changeCount }", first="QueueTests"),
    Mutation(
        "rolled-back-skipped", "what a savepoint has deleted is skipped after its end",
        "Transaction/WriteBuffer.swift", "        deletedRanges.removeAll()\n", "", first="QueueTests"),
    Mutation(
        "own-run-behind-entry", "a transaction skips an entry behind what it has deleted",
        "Transaction/TransactionIterator.swift", "run.bounds(upTo: end ?? ", "run.bounds(upTo: ",
        first="QueueTests"),
    Mutation(
        "fence-group-cut", "the last fence of a group is not looked at",
        "Segment/Index/BlockIndex.swift",
        "count(below: digest, from: first &+ 1, of: count &- 1)", "count(below: digest, from: first &+ 1, of: count &- 2)",
        first="BlockIndexTests"),
    Mutation(
        "fence-group-earlier", "a key is sent to the group of fences before its own",
        "Segment/Index/BlockIndex.swift",
        "(below: digest, from: 1, of: lastGroup)", "(below: digest, from: 1, of: max(0, lastGroup &- 1))",
        first="BlockIndexTests"),
    Mutation(
        "younger-record-pinned", "a snapshot reads what was written after it from a segment",
        "Segment/Read/SegmentProbe.swift",
        "if _slowPath(value.greatestSequence > visible), header.sequence > visible { return .unclear }",
        "", first="SegmentRoundTripTests"),
    Mutation(
        "range-tombstone-unheeded", "point reads do not heed the range tombstones of memtables",
        "Read/ReadPlan.swift",
        "if _slowPath(tree.rangeTombstoneCount != table.value.known) { return .unclear }",
        "", first="RangeTombstoneReadTests"),
    Mutation(
        "digest-tie", "a key is looked for in the wrong segment where digests are the same",
        "Segment/Read/RunProbe.swift",
        "if _slowPath(low < digests.count && digests[low] == digest) {",
        "if false {", first="RunProbeTests"),
    Mutation(
        "prefix-unasked", "a key without what first keys have in common is looked for by its digest",
        "Segment/Read/RunProbe.swift",
        "commonPrefix.count == 0 || key.hasPrefix(commonPrefix)",
        "true", first="RunProbeTests"),
    Mutation(
        "pin-kept", "a pinned value is not unpinned",
        "API/KeyValueStore+Reader.swift",
        "if value.end() { finish(value) }",
        "", first="PinnedValueTests"),
    Mutation(
        "pin-kept-inside", "what get and contains look at is not given back",
        "Read/ReadPath+Get.swift",
        "if value.end() { superVersions.finish(value) }",
        "", first="PinnedValueTests"),
    Mutation(
        "long-head-absent", "records with long keys are not found",
        "Segment/Read/SegmentProbe.swift",
        "guard key.isEqual(to: found.record.key) else { return .absent }",
        "guard key.count < 130, key.isEqual(to: found.record.key) else { return .absent }", first="SegmentShapeTests"),
    Mutation(
        "pace-kept", "writers are slowed for a flush that has ended",
        "Write/WriteController.swift",
        "(flush, flushDelay) = (nil, 0)", "flush = nil", first="WriteControllerTests"),
    Mutation(
        "pace-from-others", "writers are slowed by what other flushes took, whatever this one does",
        "Write/WriteController.swift",
        "let whole = max(own, usual * flush.size * Self.trust)", "let whole = (usual * flush.size * Self.trust)",
        first="WriteControllerTests"),
    Mutation(
        "pace-untaken", "writers are not slowed by flushes",
        "Write/WritePath+Change.swift",
        "        slowForFlush()\n", "", first="WriteControllerTests"),
    Mutation(
        "pace-unpaid", "what a flush slows writers by is not charged",
        "Write/WriteController.swift",
        "debt &+ delay &*", "debt &+ runDelay &*",
        first="WriteControllerTests"),
    Mutation(
        "pace-not-ended", "a flush that ends does not end the slowing of writers",
        "Write/WritePath+Background.swift",
        "state.controller.endFlush(usualBytes: configuration.sealingBytes)", "", first="WriteControllerTests"),
    Mutation(
        "flush-says-nothing", "a flush does not tell how far it is",
        "Compaction/BackgroundWork+Flush.swift",
        "self.writes.addFlushProgress(bytes)", "_ = bytes", first="WriteControllerTests"),
    Mutation(
        "nothing-not-synced", "an empty batch that is acknowledged as synced makes nothing durable",
        "Write/WritePath+Batch.swift",
        "if batch.count == 0 { return try lastAcknowledged() }", "if batch.count == 0 { return 0 }",
        first="CrashPointTests"),
    Mutation(
        "closed-amid-removal", "a store is closed while a flushed log is removed",
        "Engine/Engine+Close.swift",
        "for queue in background.queues {", "for queue in background.queues where queue !== background.removalQueue {", first="ClosingTests"),
    Mutation(
        "dropped-amid-removal", "a store that was dropped gives its directory up while a flushed log is removed",
        "Engine/Engine+Close.swift",
        "releaseLock(of: place, behind: background.queues[...])",
        "releaseLock(of: place, behind: background.queues.filter { $0 !== background.removalQueue }[...])", first="ClosingTests"),
    Mutation(
        "pinned-when-closed", "a closed store pins values",
        "Read/ReadPath+Get.swift",
        "!found.isUnclear && !status.isStopping",
        "!found.isUnclear", first="ClosingTests"),
    Mutation(
        "pinned-early", "point reads see the beginning of a batch",
        "Read/ReadPath+Get.swift",
        "        let visible = sequence ?? self.visible\n        let plan",
        "        let visible = sequence ?? .greatest\n        let plan", first="ReadRaceTests"),
    Mutation(
        "number-kept", "a thread that ends keeps its number",
        "Support/ThreadNumbers.swift",
        "state.withLock { $0.free.append(number) }",
        "_ = number", first="ThreadNumbersTests"),
    Mutation(
        "versions-across-blocks", "older versions of a key come up behind a block's end",
        "Segment/Read/SegmentCursor.swift",
        "try enter(number + 1)",
        "try enter(number + 1); isDone = false", first="SegmentBorderTests"),
    Mutation(
        "candidate-forgotten", "a backward scan forgets the version in the block that it leaves",
        "Segment/Read/SegmentCursor.swift",
        "if candidate != nil, !isCandidateHeld {",
        "candidate = nil\n                if candidate != nil, !isCandidateHeld {", first="SegmentBorderTests"),
    Mutation(
        "candidate-not-held", "a backward scan does not keep the block that its record lies in",
        "Segment/Read/SegmentCursor.swift",
        "candidatePin = pin",
        "", first="SegmentShapeTests"),
    Mutation(
        "backward-first-segment", "a backward scan leaves out the first segment of a run",
        "Segment/Read/RunCursor.swift",
        ": (-1, 0)",
        ": (-1, 1)", first="HeldSnapshotTests"),
    Mutation(
        "merge-older-wins", "a merge gives equal keys twice",
        "Merge/MergingCursor.swift",
        "if terms.visible == nil {", "if true {", first="MergingCursorTests"),
    Mutation(
        "merge-oldest-first", "a merge gives the oldest of equal keys first",
        "Merge/MergingCursor.swift",
        "let isNewer = lane.source < lanes[middle].source", "let isNewer = lane.source > lanes[middle].source",
        first="MergingCursorTests"),
    Mutation(
        "displaced-bound-kept", "a source that passes over a key is not looked for beyond where that key ended",
        "Merge/MergingCursor.swift",
        "(low, high) = (middle &+ 1, live)", "low = middle &+ 1", first="MergingCursorTests"),
    Mutation(
        "failed-source-lost", "a merge goes on without a source whose next batch could not be read",
        "Merge/MergingCursor.swift",
        """        let lane = try nextBatch(of: lanes[state.value.live + state.value.ended - 1].source)
        state.value.ended -= 1
""",
        """        state.value.ended -= 1
        let lane = try nextBatch(of: lanes[state.value.live + state.value.ended].source)
""",
        first="MergingCursorTests"),
    Mutation(
        "first-key-missed", "the first key of a segment is looked for in the one before",
        "Segment/Read/RunCursor.swift",
        "compareKeysByWords(firstKeys[$0], key) > 0",
        "compareKeysByWords(firstKeys[$0], key) >= 0", first="HeldSnapshotTests"),
    Mutation(
        "digest-prefix", "a search takes a key for one that begins as those of the block",
        "Segment/Block/Block.swift",
        "if _slowPath(!key.hasPrefix(common)) { return key.compare(to: common) < 0 ? (0, 0) : (count, count) }\n",
        "\n", first="BlockSearchTests"),
    Mutation(
        "digest-beyond", "a search cuts the digest of a key behind the block to 16 bits",
        "Segment/Block/Block.swift",
        "guard let digest = UInt16(exactly: place) else { return (count, count) }",
        "let digest = UInt16(truncatingIfNeeded: place)", first="BlockSearchTests"),
    Mutation(
        "digest-alone", "of several records with the digest of a key a search looks at the first one only",
        "Segment/Block/Block.swift",
        "while next < few, self.digest(next) == digest { next &+= 1 }\n",
        "\n", first="BlockSearchTests"),
    Mutation(
        "page-cache-key", "the cache takes pages of the hash index for blocks",
        "Segment/Read/SegmentReader+Blocks.swift",
        "cached(-1 - page,",
        "cached(page,", first="SegmentDamageTests"),
    Mutation(
        "cache-owner", "the cache takes a block of one segment for that of another",
        "Segment/Block/BlockCache.swift",
        "owners.wrappingAdd(1, ordering: .relaxed).newValue",
        "7", first="BlockCacheTests"),
    Mutation(
        "evicted-not", "the cache grows without bound",
        "Segment/Block/BlockCache.swift",
        "while state.counters.bytes + size > capacity { Self.evictOne(&state) }",
        "", first="BlockCacheTests"),
    Mutation(
        "batch-visible-in-parts", "a batch is visible before all of it is applied",
        "Write/WritePath+Batch.swift",
        "try apply(payload, firstSequence: first, last: last, to: state.active.table)",
        "reads.makeVisible(last); try apply(payload, firstSequence: first, last: last, to: state.active.table)", first="ReadRaceTests"),
    Mutation(
        "super-version-moved-on", "a value whose file was collected meanwhile is missed",
        "Read/ReadPath+Get.swift",
        "return superVersions.current() !== superVersion",
        "return false", first="ReadRaceTests"),
    Mutation(
        "super-version-freed-early", "a super version is freed while it is read",
        "Read/HazardPointers.swift",
        "let held = Set(holders.map { unsafe $0.held.pointee.load(ordering: .acquiring) })",
        "let held: Set<UInt> = []", first="HazardPointersTests"),
    Mutation(
        "super-version-unasked", "the last reader of a replaced super version does not see to its release",
        "Read/HazardPointers.swift",
        "for slot in holders { unsafe slot.notice.pointee.bitwiseOr(Notice.awaited, ordering: .relaxed) }",
        "", first="HazardPointersTests"),
    Mutation(
        "nested-read-forgets", "a read within a read ends the protection of the outer one",
        "Read/HazardPointers.swift",
        "unsafe slot.held.pointee.store(outer, ordering: .releasing)",
        "unsafe slot.held.pointee.store(0, ordering: .releasing)", first="HazardPointersTests"),
    Mutation(
        "scan-before-super-version", "a scan sees changes that are newer than its super version",
        "Read/ReadPath.swift",
        "if now === superVersion { return (superVersion, sequence) }",
        "_ = now\n            return (superVersion, sequence)", first="ReadRaceTests"),
    Mutation(
        "wrong-sealed-removed", "a flush drops another memtable than the one that it wrote",
        "Write/WritePath+Background.swift",
        "state.sealed.removeFirst()",
        "state.sealed.removeLast()", first="RecoveryTests"),
    # Failures: what is told, and what is tried again.
    Mutation(
        "not-poisoned", "after a failed sync the store takes writes",
        "Manifest/StoreStatus.swift",
        "let error = error.asUncertain\n            fail(error)",
        "let error = error.asUncertain\n            ", first="FaultSweepTests"),
    Mutation(
        "failed-edit-forgotten", "after a failed edit of the manifest the store goes on",
        "Manifest/VersionSet.swift",
        "if error.code != .noSpace { status.fail(error) }",
        "", first="FaultSweepTests"),
    Mutation(
        "value-sync-retried", "a failed sync of values is tried again",
        "Values/ValueFileAppender.swift",
        "let error = StoreError(error)\n                failure.value = error",
        "let error = StoreError(error)\n                ", first="ValueFileAppenderTests"),
    Mutation(
        "full-disk-in-sync", "a sync that finds the disk full claims to have changed nothing",
        "Manifest/StoreStatus.swift",
        "let error = error.asUncertain",
        "let error = error", first="FaultTests"),
    Mutation(
        "taken-back-counts-synced", "what stands where a synced value was taken back counts as synced",
        "Values/ValueFileAppender.swift",
        "synced.store(min(synced.load(ordering: .relaxed), offset), ordering: .releasing)",
        "", first="ValueFileAppenderTests"),
    Mutation(
        "values-not-taken-back", "each attempt at a large value on a full disk takes some more of it",
        "Write/ValueLog.swift",
        "if error.code == .noSpace || error.code == .tooLarge {",
        "if error.code == .tooLarge {", first="FullDiskTests"),
    Mutation(
        "waits-with-values-locked", "a writer of large values keeps the lock that the compaction needs which it waits for",
        "Write/WritePath+Switch.swift",
        "if waits != .forFlush, state.controller.isFull {",
        "if state.controller.isFull {", first="WritePathTests"),
    Mutation(
        "told-of-any-flush", "a writer who waits for a log is told of a flush that fails meanwhile",
        "Write/WritePath+Switch.swift",
        "        if state.sealed.count >= configuration.sealedMemTableLimit {\n            try state",
        "        try state.attempts.flush.check(since: earlier.flush)\n"
        "        if state.sealed.count >= configuration.sealedMemTableLimit {\n            try state",
        first="WritePathTests"),
    Mutation(
        "rest-of-write-stays", "the rest of a failed write stays behind the log's end",
        "Log/LogWriter.swift",
        "let end = tail.value.end\n                try retrying(file.truncate(to: end))",
        "let end = tail.value.end\n                _ = try file.sizeFully()", first="LogWriterTests"),
    Mutation(
        "unnumbered-sees-all", "a scan that asks for no sequence numbers sees writes after its snapshot",
        "Segment/Read/SegmentCursor.swift",
        "where numbered || visible < reader.info.greatestSequence:",
        "where numbered:", first="StoreModelTests"),
    Mutation(
        "older-version-scanned", "a scan that asks for no sequence numbers returns older versions too",
        "Segment/Read/SegmentCursor.swift",
        "if _slowPath(found.isOlder) { return }",
        "", first="StoreModelTests"),
    Mutation(
        "whole-batch-taken", "the rest of a batch is taken where only its first record leads",
        "Merge/MergingCursor.swift",
        "order(lanes[0].end - 1, lanes[1].next)", "order(lanes[0].next, lanes[1].next)",
        first="MergingCursorTests"),
    Mutation(
        "known-value-of-another", "a scan returns a verified value for another key's",
        "Values/ValueMapping.swift",
        "$0.isMeant(by: pointer, key: key) ? $0.value", "true ? $0.value", first="ValueFileTests"),
    Mutation(
        "value-file-forgotten", "a value file that grows is mapped anew each time, and its values verified again",
        "Values/ValueFileReader.swift",
        "if let mapping, size <= mapping.capacity {", "if let mapping, size < 0 {", first="ValueFileTests"),
    Mutation(
        "other-value-file", "a scan reads a value from the file of the previous one",
        "Values/RecentValueFile.swift",
        ", pointer.file == number else {", " else {", first="ValueFileTests"),
    Mutation(
        "unknown-value", "a scan returns a value whose checksum was not verified",
        "Values/ValueMapping.swift",
        "let bytes = bytes.slice(offset, size), isVerified(offset)\n", "let bytes = bytes.slice(offset, size)\n",
        first="ValueScanTests"),
    Mutation(
        "row-too-long", "a merge takes a source's records beyond the next head of another",
        "Merge/MergingCursor.swift",
        "while order < 0 && !room.isFull", "while !room.isFull", first="MergingCursorTests"),
    Mutation(
        "equal-taken-for-behind", "a merge takes a record with the key of another source's for one that comes after it",
        "Merge/MergingCursor.swift",
        "behindSecond: order > 0", "behindSecond: true", first="MergingCursorTests"),
    Mutation(
        "read-not-told", "segments of a store that is read are not made ready before they take the place of others",
        "Segment/Read/SegmentReader+Preload.swift",
        "read > 0 && read * 16 >= sample.count", "false", first="PreloadTests"),
    Mutation(
        "read-always", "segments are made ready for reading in a store that nobody reads",
        "Segment/Read/SegmentReader+Preload.swift",
        "read > 0 && read * 16 >= sample.count", "true", first="PreloadTests"),
    Mutation(
        "merge-taken-for-reader", "segments that a merge takes in count as read",
        "Segment/Read/SegmentReader+Blocks.swift",
        "if noting { verifiedBlocks.set(block) }", "verifiedBlocks.set(block)", first="PreloadTests"),
    Mutation(
        "preload-taken-for-reader", "segments that were made ready ahead of readers count as read",
        "Segment/Read/SegmentReader+Preload.swift",
        "noting: !block.isMultiple(of: step)", "noting: true", first="PreloadTests"),
    Mutation(
        "damage-put-in-force", "a flushed segment that does not read as it was written takes the place of its memtable",
        "Compaction/BackgroundWork+Preload.swift",
        "for reader in ready { try reader.preload { self.status.isStopping } }",
        "for reader in ready { do { try reader.preload { self.status.isStopping } } catch {} }",
        first="PreloadTests"),
    Mutation(
        "approach-kept", "a seek ends in the segment that an earlier one, given up, has approached",
        "Segment/Read/RunCursor.swift",
        """        isApproached = false
        if arrive""", "        if arrive", first="SteppedSeekTests"),
    Mutation(
        "slots-kept", "a seek ends where an earlier one, given up, has looked",
        "Segment/Read/SegmentCursor.swift",
        "        approach = Approach()\n        if reader", "        if reader", first="SteppedSeekTests"),
    Mutation(
        "refilled-while-borrowed", "a merge goes on behind the end of a batch",
        "Merge/MergingCursor.swift",
        "!room.isFull && state.value.ended == 0 &&", "!room.isFull &&", first="MergingCursorTests"),
    Mutation(
        "numbers-left-out", "a scan over range tombstones asks for no sequence numbers",
        "Scan/ScanIterator.swift",
        "visible: sequence, numbered: numbered)", "visible: sequence, numbered: false)", first="StoreModelTests"),
    Mutation(
        "zeros-over-frames", "the space ahead of a log is filled with zeros from the log's end on",
        "Log/LogWriter+Space.swift",
        "let start = space.reservedEnd\n        let end = (start / Self.pieceBytes",
        "let start = endMark.load(ordering: .relaxed)\n        let end = (max(start, space.reservedEnd) / Self.pieceBytes",
        first="LogWriterTests"),
    Mutation(
        "prepared-kept", "the prepared space of a log is kept where small syncs come",
        "Log/LogWriter+Space.swift",
        "if isPrepared, tail.value.end == syncedEnd { _ = releaseReserve() }",
        "if isPrepared, tail.value.end != syncedEnd { _ = releaseReserve() }", first="LogWriterTests"),
    Mutation(
        "space-of-the-dead", "what a dead store had taken ahead for values stays taken",
        "Recovery/LogRecovery.swift",
        "for file in version.valueFiles.values { file.releaseSpace() }",
        "", first="IdleTests"),
    Mutation(
        "release-waits", "who gives back the space ahead of values waits for the value that is being written",
        "Values/ValueFileAppender.swift",
        "guard writing.tryLock() else { return false }",
        "writing.lock()", first="ValueFileAppenderTests"),
    Mutation(
        "checksum-tail", "a checksum leaves out what follows the last sixteen bytes",
        "Support/CRC32.swift",
        "return unsafe whole == bytes.count ? checksum : sliced(base + whole, bytes.count &- whole, checksum)",
        "return checksum", first="FrameChecksumTests"),
    # Who owns the directory.
    Mutation(
        "lock-not-taken", "a store's lock is not taken",
        "FileSystem/POSIXFileSystem.swift",
        "Platform.lockFile(file.number, exclusive: exclusive) != 0",
        "false", first="FileSystemTests"),
    Mutation(
        "lock-shared", "two processes may write to one store",
        "Recovery/StoreOpener.swift",
        "path, exclusive: exclusive, note",
        "path, exclusive: false, note", first="OpeningTests"),
    Mutation(
        "lock-given-up-early", "closing does not wait for work in the background",
        "Engine/Engine+Close.swift",
        "for queue in background.queues { queue.sync {} }",
        "for queue in [background.preparationQueue, background.compactionQueue] { queue.sync {} }", first="ClosingTests"),
    Mutation(
        "value-writers-not-awaited", "closing does not wait for writers of large values",
        "Engine/Engine+Close.swift",
        "values.drain()",
        "", first="ClosingTests"),
    Mutation(
        "holds-ignored", "files go that a checkpoint or a verification is about to read",
        "Manifest/ObsoleteFiles.swift",
        "if state.holds == 0 { return files }", "if true { return files }", first="ClosingRaceTests"),
    # Verification and repair.
    Mutation(
        "verify-logs", "a verification leaves out logs",
        "Verify/StoreVerifier.swift",
        "for log in logs { try check(log) }",
        "", first="DamageTests"),
    Mutation(
        "verify-segments", "a verification leaves out segments",
        "Verify/StoreVerifier.swift",
        "for segment in version.allSegments { try check(segment) }",
        "", first="DamageTests"),
    Mutation(
        "verify-manifest", "a verification does not compare the manifest with the store",
        "Verify/StoreVerifier.swift",
        "found != known",
        "false", first="DamageTests"),
    Mutation(
        "verify-pointers", "a verification does not follow pointers to values",
        "Verify/StoreVerifier.swift",
        "try checkPointers(of: segment)",
        "", first="DamageTests"),
    Mutation(
        "verify-index", "a verification does not look records up in the hash index",
        "Verify/SegmentVerifier.swift",
        "try checkIndexed(found.record.key, address: start + expectedOffset, at: fileOffset)",
        "", first="FuzzTests"),
    Mutation(
        "verify-fences", "a verification does not compare fences with records",
        "Verify/SegmentVerifier.swift",
        "if slot == 0 { checkFence(found.record, number) }",
        "", first="SegmentStructureTests"),
    Mutation(
        "verify-order", "a verification does not look at the order of records",
        "Verify/SegmentVerifier.swift",
        "checkOrder(found, isFirst: number == 0 && slot == 0, at: fileOffset)",
        "", first="SegmentStructureTests"),
    Mutation(
        "verify-totals", "a verification does not compare totals",
        "Verify/SegmentVerifier.swift",
        "verifier.checkTotals()",
        "", first="SegmentStructureTests"),
    Mutation(
        "verify-padding", "a verification leaves out padding",
        "Verify/SegmentVerifier.swift",
        "try verifier.checkPadding()",
        "", first="SegmentDamageTests"),
    Mutation(
        "verify-pages", "a verification leaves out pages of the hash index",
        "Verify/SegmentVerifier.swift",
        "try verifier.checkPages(progress)",
        "", first="SegmentRoundTripTests"),
    Mutation(
        "verify-digests", "a verification does not compare digests with keys",
        "Verify/SegmentVerifier.swift",
        "if !block.hasRightDigests() { report(\"the digests of a block do not match its keys\", at: fileOffset) }",
        "", first="SegmentStructureTests"),
    Mutation(
        "repair-lost-end", "a repair does not tell that a log has lost its end",
        "Repair/StoreRepair+Logs.swift",
        "logEnds[number], UInt64(end) < expected",
        "logEnds[number], false", first="BadBytesTests"),
    Mutation(
        "repair-order", "a repair stacks segments whose order it cannot know",
        "Repair/StoreRepair+Order.swift",
        "let sorted = infos.sorted { $0.greatestSequence < $1.greatestSequence }\n        return",
        "let sorted = infos.sorted { $0.greatestSequence < $1.greatestSequence }\n"
        "        if true { return true }\n        return", first="RepairOrderTests"),
    Mutation(
        "repair-keeps-dangling", "a repair keeps records whose values are gone",
        "Repair/RepairedValues.swift",
        "pin: &pin)) else {\n            return nil",
        "pin: &pin)) else {\n            return record", first="BadBytesTests"),
    Mutation(
        "repair-invents-foreign", "a repair takes the segment of another store",
        "Repair/StoreRepair+Segments.swift",
        "if let fault = try headerFault(of: file), fault.isForeign {",
        "if let fault = try headerFault(of: file), fault.isForeign, number == 0 {", first="BadBytesTests"),
    Mutation(
        "repair-trusts-manifest", "a repair trusts a manifest that has lost its end",
        "Repair/StoreRepair+Files.swift",
        "if trustsManifest, try !isWholeManifest(present)",
        "if trustsManifest, false", first="BadBytesTests"),
    Mutation(
        "repair-tombstones", "a repair forgets removals of ranges",
        "Repair/StoreRepair+Segments.swift",
        "if !tombstones.isEmpty { try open()?.append(rangeTombstones: tombstones) }",
        "", first="BadBytesTests"),
    Mutation(
        "repair-losses-untold", "a repair does not tell which records are gone",
        "Repair/StoreRepair+Segments.swift",
        "for loss in salvage.lost { lose(file, loss.offset, loss.message) }",
        "", first="DamageTests"),
    Mutation(
        "repair-log-losses-untold", "a repair does not tell which changes are gone",
        "Repair/StoreRepair+Logs.swift",
        "lose(file, range.lowerBound, \"\\(range.count) bytes of changes fail their checksum\")",
        "_ = range", first="BadBytesTests"),
    Mutation(
        "salvage-skips", "a repair leaves out the block behind a damaged one",
        "Verify/SegmentSalvage.swift",
        "offset += StoredBlock.alignment",
        "offset += 4096", first="SegmentDamageTests"),
    Mutation(
        "salvage-layout", "a repair knows no blocks but those with digests",
        "Verify/SegmentSalvage.swift",
        "BlockLayout.allCases.first { $0.headerSize == Int(offset) }",
        "offset == BlockLayout.digested.headerSize ? .digested : nil", first="SegmentDamageTests"),
    Mutation(
        "repair-numberless-order", "of two records without a number a repair takes the older file's",
        "Repair/StoreRepair+Order.swift",
        "fileNumber($0) > fileNumber($1)",
        "fileNumber($0) < fileNumber($1)", first="RepairOrderTests"),
    Mutation(
        "repair-salvaged-order", "of two records without a number a repair takes the one that it has salvaged",
        "Repair/StoreRepair+Order.swift",
        "fileNumber($0) > fileNumber($1)",
        "$0.number > $1.number", first="RepairOrderTests"),
    Mutation(
        "repair-output-newest", "a repair takes a compaction's output for newer than all that it knows",
        "Repair/StoreRepair+Order.swift",
        "info.smallestSequence <= known.lastSequence",
        "info.greatestSequence <= known.lastSequence", first="RepairLostEditsTests"),
    Mutation(
        "repair-merges-all", "a repair merges segments that share no key with those whose order is lost",
        "Repair/StoreRepair+Order.swift",
        "placed.contains { $0.mayShareKeys(with: info) }",
        "!placed.isEmpty", first="RepairLostEditsTests"),
    Mutation(
        "repair-output-needless", "a repair keeps a compaction's output that holds nothing new",
        "Repair/StoreRepair+Segments.swift",
        "if info.smallestSequence > 0, numbers",
        "if info.smallestSequence > .greatest, numbers", first="RepairLostEditsTests"),
    Mutation(
        "repair-output-unnumbered", "a repair leaves out records that have lost their numbers",
        "Repair/StoreRepair+Segments.swift",
        "if info.smallestSequence > 0, numbers",
        "if numbers", first="RepairLostEditsTests"),
    Mutation(
        "repair-input-damaged", "a repair leaves out what a damaged segment has lost",
        "Repair/StoreRepair+Segments.swift",
        "numbers.allSatisfy({ next.segments[$0] != nil })",
        "numbers.allSatisfy({ present.contains(.segment($0)) })", first="RepairLostEditsTests"),
    Mutation(
        "repair-unknown-inputs", "a repair leaves out the output of a compaction whose inputs it does not know",
        "Repair/StoreRepair+Segments.swift",
        "info.number < known.nextFileNumber && ",
        "", first="RepairLostEditsTests"),
    Mutation(
        "inputs-newest-first", "of what a compaction has read, the newest is removed first",
        "Compaction/CompactionPlan.swift",
        "let runs = inputs.reversed().map {",
        "let runs = inputs.map {", first="RepairLostEditsTests"),
    Mutation(
        "inputs-behind-stuck", "an input of a compaction that cannot be removed does not keep the newer ones",
        "Manifest/ObsoleteFiles.swift",
        "            guard groups[0].isEmpty else { return }\n", "            groups[0] = []\n",
        first="RepairLostEditsTests|VersionSetTests"),
    Mutation(
        "removals-not-synced", "the removals of a compaction's inputs may take effect in any order",
        "Manifest/ObsoleteFiles.swift",
        "            if groups.count > 1, try !syncRemovalsOfGroup() { return }\n", "",
        first="RepairLostEditsTests|VersionSetTests"),
    Mutation(
        "leftovers-newest-first", "of what a compaction has read, an opening removes the newest first",
        "Manifest/ManifestState.swift",
        "($0[0].level, $1[0].run) > ($1", "($0[0].level, $1[0].run) < ($1",
        first="RepairLostEditsTests"),
    Mutation(
        "repair-newer-wins", "a repair takes an older version for the newest",
        "Repair/StoreRepair+Order.swift",
        "($0.element.sequence, $0.offset) < ($1.element.sequence, $1.offset)",
        "($0.offset, 0) < ($1.offset, 0)", first="RepairOrderTests"),
    # Transactions and the feed of changes.
    Mutation(
        "commit-unchecked", "a commit is not compared with what others have changed", "Write/WritePath+Batch.swift",
        "if let check, try !isUnchanged(check) { return 0 }",
        "_ = check", first="TransactionConflictTests"),
    Mutation(
        "key-read-not-noted", "a commit does not compare the keys that were read", "Transaction/TransactionState.swift",
        "if found == nil, checksReads { state.reads.insert(key) }",
        "", first="TransactionConflictTests"),
    Mutation(
        "frozen-read-not-noted", "a commit does not compare the keys that were read in an earlier state",
        "API/FrozenTransaction.swift", "try state.noteRead(key)", "try state.checkActive()",
        first="FrozenTransactionTests"),
    Mutation(
        "scan-not-recorded", "a commit does not compare the ranges that were scanned",
        "Transaction/TransactionIterator.swift",
        "transaction.updateScan(number, read)", "_ = (number, read)", first="TransactionConflictTests"),
    Mutation(
        "end-of-scan-not-recorded", "a commit does not compare the range behind the last entry of a scan",
        "Transaction/TransactionIterator.swift",
        "            note(through: nil)\n", "",
        first="TransactionConflictTests"),
    Mutation(
        "old-scan-misplaced", "a long scan is recorded in the place of another one",
        "Transaction/ReadSet.swift",
        "        firstScan += scans.count\n", "", first="ReadSetTests"),
    Mutation(
        "deleted-range-not-compared", "under snapshot isolation a removal of a range conflicts with nothing",
        "Transaction/WriteBuffer.swift",
        "for range in deleted.ranges { keys.insert(range) }", "", first="TransactionConflictTests"),
    Mutation(
        "replaced-write-lost", "a savepoint that throws does not restore the writes that it has replaced",
        "Transaction/WriteBuffer.swift",
        "_ = writes.set(last.write, in: payload)", "_ = last", first="WriteBufferTests"),
    Mutation(
        "spilled-rolled-back", "a roll-back over a scratch file keeps one part too much",
        "Transaction/TransactionBatch.swift",
        "tail.append(encoded: Bytes(rebasing: parts[end.part].bytes[..<end.tail.byteCount]), end.tail)",
        "tail.append(encoded: parts[end.part].bytes, parts[end.part].end)", first="TransactionModelTests"),
    Mutation(
        "ingestion-unpaused", "writers go on while a large transaction is written to segments",
        "Write/WritePath+Ingestion.swift",
        "            state.isPaused = true\n", "", first="TransactionIngestionTests"),
    Mutation(
        "ingestion-unchecked", "a large transaction commits whatever has changed",
        "Write/WritePath+Ingestion.swift",
        "if let check, try !isUnchanged(check) { return false }", "", first="TransactionIngestionTests"),
    Mutation(
        "savepoint-keeps-writes", "a savepoint that throws keeps its writes", "Transaction/TransactionState.swift",
        "if !$0.hasEnded { $0.writes.rollBack(to: mark) }", "_ = $0.hasEnded", first="TransactionTests"),
    Mutation(
        "flush-unseen", "a commit does not notice that a flush has taken changes out of memory",
        "Write/WritePath+Background.swift",
        "max(state.flushedSequence, sealed.table.greatestSequence)", "max(state.flushedSequence, 0)",
        first="TransactionConflictTests"),
    Mutation(
        "watch-after-super-version", "a long check follows the commits from its end on, and not from its beginning",
        "Transaction/CommitCheck.swift",
        "        checked = sequence\n        return true",
        "        checked = sequence\n        watch?.position = subscribe()\n"
        "        feed.unsubscribe()\n        return true", first="CommitCheckTests"),
    Mutation(
        "checked-too-far", "a long check vouches for what came while it ran", "Transaction/CommitCheck.swift",
        "        checked = sequence\n", "        checked = path.visible\n",
        first="CommitCheckTests"),
    Mutation(
        "lost-commits-ignored", "a check takes commits that have left the feed for harmless",
        "Transaction/ReadIndex.swift",
        "if commit.payload == nil { return nil }", "", first="CommitCheckTests"),
    Mutation(
        "removal-unchecked-in-memory", "a scan does not conflict with a removal of a range, in memory",
        "Transaction/ChangeSearch.swift",
        "if tree.hasRangeTombstones, rangeTombstones.hasTombstone(over: range, after: sequence) { return true }", "",
        first="ConflictModelTests"),
    Mutation(
        "removal-unchecked-in-segments", "a read does not conflict with a removal of a range, in a segment",
        "Transaction/ChangeSearch.swift",
        "if rangeTombstones.newestCovering(key, visible: .greatest) > sequence { return true }", "",
        first="CommitCheckTests"),
    Mutation(
        "turn-not-taken", "a transaction that conflicts again and again is no better off than others",
        "Transaction/TransactionRetry.swift",
        "conflicts >= Self.conflictsBeforeTurn", "conflicts > 1_000_000", first="StarvationTests"),
    Mutation(
        "nobody-gives-way", "no commit gives way to who has conflicted again and again",
        "Transaction/RetryTurn.swift",
        "guard isTaken else { return }", "if isTaken || !isTaken { return }", first="StarvationTests"),
    Mutation(
        "turn-for-two", "two transactions have the turn at a time", "Transaction/RetryTurn.swift",
        "if serving == ticket { return true }", "if serving + 1 >= ticket { return true }", first="RetryTurnTests"),
    Mutation(
        "event-told-twice", "a feed that begins in the past begins with what its subscriber has seen",
        "Transaction/FeedCursor.swift",
        "where record.last > sequence {", "where record.last >= sequence {", first="ChangeFeedTests"),
    Mutation(
        "gap-untold", "a subscriber is not told of changes that the logs do not hold any more",
        "Transaction/FeedCursor.swift",
        "            events += skip(to: record.first - 1)\n", "", first="ChangeFeedHistoryTests"),
    Mutation(
        "lost-changes-untold", "a subscriber is not told that a crash has taken what it has seen",
        "Transaction/FeedCursor.swift",
        "firstEvent = since > replayEnd ? .missed(from: replayEnd + 1, through: since) : nil", "firstEvent = nil",
        first="ChangeFeedHistoryTests"),
    Mutation(
        "waits-remembered", "a feed remembers waits that are over", "Transaction/ChangeFeed.swift",
        "if body == nil, state.waiterIDs.contains(waiterID) {", "if body == nil {", first="ChangeFeedHistoryTests"),
    Mutation(
        "batch-told-in-parts", "a commit in the feed lacks its last change", "Transaction/CommitRecord.swift",
        "return changes.isEmpty ? nil : .commit(changes, through: last)",
        "return changes.isEmpty ? nil : .commit(changes.count > 2 ? changes.dropLast() : changes, through: last)",
        first="ChangeFeedHistoryTests"),
]
