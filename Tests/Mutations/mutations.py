"""The faults that are put into the engine on purpose, one at a time, to see whether the tests notice.

Each is a name, what is wrong then, the file below Sources/Siltstone, the text that is replaced by another one, and the
suite that is tried first. The text must occur exactly once, so that a fault cannot silently go out of date.
"""

from typing import NamedTuple


class Mutation(NamedTuple):
    name: str
    what: str
    file: str
    old: str
    new: str
    first: str = "CrashPointTests"


MUTATIONS = [
    # Durability: what is not synced, or in the wrong order.
    Mutation(
        "log-not-synced", "a sync of the log makes no call", "Log/LogWriter+Sync.swift",
        "do throws(FileSystemError) { try file.syncFully() } catch { throw fail(StoreError(error)) }\n", "\n"),
    Mutation(
        "acknowledged-early", "a synced write does not wait for its sync", "Log/GroupCommit.swift",
        "if durable >= ticket { return }\n        var semaphore", "if durable <= ticket { return }\n        var semaphore"),
    Mutation(
        "values-not-synced", "large values are not synced before the log that points to them",
        "Store/ValueFileAppender.swift",
        "do throws(FileSystemError) { try file.syncFully() } catch {\n                let error = StoreError(error)\n"
        "                failure = error\n                throw error\n            }\n", ""),
    Mutation(
        "segment-not-synced", "a segment is named before its bytes are durable", "Segment/SegmentOutput.swift",
        "        try flush()\n        try storeErrors { () throws(FileSystemError) in try file.syncFully() }",
        "        try flush()"),
    Mutation(
        "segment-name-not-synced", "a segment is named before its own name is durable", "Store/Engine+Flush.swift",
        "if !infos.isEmpty { try syncDirectory() }", ""),
    Mutation(
        "log-name-not-synced", "a log is used before its name is durable", "Store/Engine+Files.swift",
        "                try syncDirectory()\n                var edit = VersionEdit()\n                edit.addedLogs = [number]",
        "                var edit = VersionEdit()\n                edit.addedLogs = [number]"),
    Mutation(
        "edit-not-synced", "files are removed before the edit that drops them is durable", "Manifest/Manifest.swift",
        "        try writer.append(edit: edit)\n        try certain { () throws(StoreError) in try writer.sync() }",
        "        try writer.append(edit: edit)"),
    Mutation(
        "current-not-synced", "CURRENT is renamed before its bytes are durable", "Manifest/CurrentFile.swift",
        "        try file.syncFully()\n", ""),
    Mutation(
        "rename-not-synced", "the renaming of CURRENT is not made durable", "Manifest/CurrentFile.swift",
        "try fileSystem.rename(temporary, to: path) }\n"
        "        try fileSystem.retrying { () throws(FileSystemError) in try fileSystem.syncDirectory(directory) }",
        "try fileSystem.rename(temporary, to: path) }"),
    Mutation(
        "directory-not-synced", "a new store's directory is not durable when its first write is acknowledged",
        "Store/StoreOpener.swift",
        "        try syncParent()\n", ""),
    Mutation(
        "checkpoint-not-synced", "a checkpoint's directory is not durable when it is reported", "Store/Engine+Checkpoint.swift",
        "        try syncParent(of: path)\n", ""),
    Mutation(
        "recovery-not-synced", "what recovery found is not made durable before more is built on it", "Log/LogWriter.swift",
        "            try file.rewrite(min(proven, end)..<end)\n            try file.syncFully()\n",
        "            try file.rewrite(min(proven, end)..<end)\n"),
    Mutation(
        "not-rewritten", "what a failed sync left in the page cache is built upon", "Log/LogWriter.swift",
        "            try file.rewrite(min(proven, end)..<end)\n", "",
        first="FailedSyncTests"),
    Mutation(
        "recovered-values-not-synced", "the values of recovered frames are not made durable", "Store/LogRecovery.swift",
        "        try syncValueFiles()\n        var tables", "        var tables"),
    Mutation(
        "removed-early", "a flushed log is removed before the segment is named", "Store/Engine+Flush.swift",
        "        do {\n            // The segment's pointers must not outlive their values.",
        "        if let log = sealed.log { obsolete.remove([.log(log.number)]) }\n        do {\n"
        "            // The segment's pointers must not outlive their values."),
    Mutation(
        "originals-not-synced", "what a repair puts aside is not durable when it returns", "Store/StoreRepair+Finish.swift",
        "        try syncDirectory(aside)\n        report.damagedFiles = files",
        "        report.damagedFiles = files", first="RepairCrashTests"),
    Mutation(
        "losses-not-synced", "the list of what is gone is not durable when a repair returns",
        "Store/StoreRepair+Finish.swift",
        "            try file.syncFully()\n            try file.close()", "            try file.close()",
        first="RepairCrashTests"),
    # Recovery.
    Mutation(
        "tail-not-cut", "a torn tail stays on disk", "Log/LogWriter.swift",
        "            if size > end {\n", "            if false, size > end {\n",
        first="LogWriterTests"),
    Mutation(
        "frame-checksum", "the checksum of a frame is not compared", "Log/Frame.swift",
        "guard checksum == CRC32.checksum(body, continuing: header.checksum(file: file, offset: offset)) else {",
        "guard checksum == CRC32.checksum(body, continuing: header.checksum(file: file, offset: offset)) || checksum != 0 else {",
        first="BadBytes"),
    Mutation(
        "frame-chain", "a frame need not follow the one before it", "Log/FrameReader.swift",
        "if frame.previous != lastChecksum { throw .notChained }", "",
        first="LogReaderTests|BadBytes"),
    Mutation(
        "log-link", "a log goes on though the one before has lost its end", "Store/LogRecovery.swift",
        "if link.log == previous.number, link.end > UInt64(previous.end) { return (log, true) }\n"
        "                    guard link.log == previous.number, link.end == UInt64(previous.end),\n"
        "                        link.checksum == previous.lastChecksum\n                    else {",
        "guard link.log == previous.number else {",
        first="RecoveryTests"),
    Mutation(
        "damage-is-torn", "damage before synced frames is cut off like a torn tail", "Log/LogTail.swift",
        "if frame.syncedMark > end {", "if frame.syncedMark > end, false {",
        first="RecoveryTests|LogReaderTests"),
    Mutation(
        "missing-value", "a frame counts whose value is missing", "Store/LogRecovery.swift",
        "if let missing = try missingValue(batch, frame, reader) {",
        "if let missing = try missingValue(batch, frame, reader), false {"),
    Mutation(
        "lost-current", "a directory whose CURRENT is lost is taken for a new store", "Store/StoreOpener.swift",
        "        try refuseLostCurrent()\n        guard configuration.createIfMissing",
        "        guard configuration.createIfMissing",
        first="OpeningTests|DamageTests"),
    Mutation(
        "missing-file", "a file that the manifest names and that is gone is not missed", "Store/StoreOpener.swift",
        "        try checkPresence(state, present)\n", "",
        first="OpeningTests|DamageTests"),
    Mutation(
        "later-log-ignored", "what a later log proves of an earlier one that lost its end is not looked at",
        "Store/LogRecovery.swift",
        "                try requireNoProof(&reader, (path, previous.end))\n", "",
        first="RecoveryTests"),
    Mutation(
        "unnamed-log", "a log with changes that the manifest has lost is taken for a leftover", "Store/StoreOpener.swift",
        "        try recovery.checkUnnamedLogs(present, manifest: number)\n", "",
        first="RecoveryTests|DamageTests"),
    # Checksums and identities.
    Mutation(
        "block-checksum", "the checksum of a block is not compared", "Segment/SegmentReader+Blocks.swift",
        "guard checksum == bytes.integer(at: 0) else {", "guard checksum == bytes.integer(at: 0) || true else {",
        first="SegmentDamage|DamageTests"),
    Mutation(
        "page-checksum", "the checksum of a page of the point index is not compared", "Segment/SegmentReader+Blocks.swift",
        "guard CRC32.checksum(bytes) == layout.checksum(ofPage: page) else {",
        "guard CRC32.checksum(bytes) == layout.checksum(ofPage: page) || true else {",
        first="SegmentDamage|DamageTests"),
    Mutation(
        "value-checksum", "the checksum of a large value is not compared", "Segment/ValueFileReader.swift",
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
        "tombstone-early", "a tombstone goes while older data lies below", "Compaction/RetentionFilter.swift",
        "if isOldest, record.kind == .tombstone { return nil }", "if stripe == 0, record.kind == .tombstone { return nil }",
        first="StoreModel|RetentionFilter"),
    Mutation(
        "range-tombstone-early", "a range tombstone goes while older data lies below", "Compaction/RetentionFilter.swift",
        "tombstones.tombstones.filter { !(isBottom && stripe(of: $0.sequence) == 0) }",
        "tombstones.tombstones.filter { !(stripe(of: $0.sequence) == 0) }",
        first="StoreModel|RetentionFilter"),
    Mutation(
        "snapshot-ignored", "compactions do not look at open snapshots", "Store/Engine+Flush.swift",
        "snapshots: snapshots.live(), isBottom: isBottom", "snapshots: [], isBottom: isBottom",
        first="StoreModel|HeldSnapshot"),
    Mutation(
        "newest-dropped", "of two versions the older one survives a compaction", "Compaction/RetentionFilter.swift",
        "            if stripe == self.stripe { return nil }\n",
        "            if stripe == self.stripe { return record.kind == .value ? record.sequence : nil }\n",
        first="StoreModel|RetentionFilter"),
    Mutation(
        "value-file-early", "a value file goes while a memtable refers to it", "Store/Engine+Files.swift",
        "for table in state.pointee.sealed + [state.pointee.active] { used.formUnion(table.valueFiles) }\n", "",
        first="HistoryTests|StoreModel|HeldSnapshot"),
    Mutation(
        "batch-values-forgotten", "a memtable does not know the value files of its batches", "Store/Engine+Write.swift",
        "        state.pointee.active.valueFiles.formUnion(valueFiles)\n", ""),
    Mutation(
        "full-values-not-synced", "a value file that is full is left without a sync", "Store/Engine+Write.swift",
        "            try syncValues(current)\n", ""),
    Mutation(
        "mark-too-far", "a log vouches for frames whose values are not synced yet", "Store/Engine+Write.swift",
        "for (log, end) in logs { try log.sync(upTo: end) }", "for (log, _) in logs { try log.sync() }",
        first="ConcurrentPowerLossTests"),
    # Failures.
    Mutation(
        "sync-retried", "after a failed sync writes go on", "Log/LogWriter+Space.swift",
        "if space.failure == nil { space.failure = error }", "",
        first="FaultTests"),
    Mutation(
        "short-write", "a short write is taken for a whole one", "FileSystem/File+Loops.swift",
        "            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])\n"
        "            let count = try retryingInterrupted { () throws(FileSystemError) in try write(rest, at: offset + done) }\n",
        "            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])\n"
        "            _ = try retryingInterrupted { () throws(FileSystemError) in try write(rest, at: offset + done) }\n"
        "            let count = rest.count\n",
        first="FaultSweep|FaultTests|LogWriterTests"),
    Mutation(
        "interrupted", "an interrupted call is not made again", "FileSystem/File+Loops.swift",
        "do { return try body() } catch { if !error.isInterrupted { throw error } }", "return try body()",
        first="FaultSweep"),
    Mutation(
        "full-disk-for-ever", "a full disk ends all writing", "Store/Engine+Write.swift",
        "if error.code != .noSpace, state.pointee.failure == nil { state.pointee.failure = error }",
        "if state.pointee.failure == nil { state.pointee.failure = error }",
        first="FaultTests"),
    # Visibility.
    Mutation(
        "batch-visible-early", "readers see the beginning of a batch", "Store/Engine+Read.swift",
        "            let visible = sequence ?? visible.load(ordering: .acquiring)\n            var pin = BlockPin()\n"
        "            defer { withExtendedLifetime(pin) {} }\n            guard let record",
        "            let visible = sequence ?? .greatest\n            var pin = BlockPin()\n"
        "            defer { withExtendedLifetime(pin) {} }\n            guard let record",
        first="HistoryTests|ConcurrencyTests"),
    Mutation(
        "condition-unchecked", "a condition is not looked at again under the lock", "Store/Engine+Write.swift",
        "            try refresh(&known, key, condition)\n", "",
        first="HistoryTests|ConcurrencyTests"),
]
