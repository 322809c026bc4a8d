/// Chooses the next compaction: levelled, with flushed runs collecting in level 0.
///
/// Levelled compaction keeps the number of sorted runs that a read checks small and bounds how often a byte is
/// rewritten. A purely tiered scheme rewrites less, but leaves more runs and needs twice the space during its largest
/// merges. Within a level the picker takes the segment with the smallest ratio of overlapping bytes in the next level
/// to its own bytes (RocksDB's `kMinOverlappingRatio`). A segment without overlap becomes a trivial move, so sequential
/// loads rewrite nothing until the store is idle.
///
/// A version lists its runs newest first: level 0 from the newest flush to the oldest, then one run for each deeper
/// level.
struct CompactionPicker: Sendable {
    /// Level-0 trigger: this many flushed runs start a compaction (RocksDB: `level0_file_num_compaction_trigger`).
    var flushedRunLimit = 4
    /// Maximum bytes of level 1 (RocksDB: `max_bytes_for_level_base`).
    var levelOneBytes: Int
    /// Level size multiplier: each deeper level may hold this many times the bytes of the one above (RocksDB:
    /// `max_bytes_for_level_multiplier`).
    var fanout = 8
    /// An idle compaction may rewrite at most this many bytes of level 1 for each byte of level 0. The value is close
    /// to ``fanout``, which is about what a compaction between two deeper levels rewrites.
    var idleRatio = 10
    /// Garbage threshold of value files: if their garbage exceeds this fraction of the live bytes, the values of the files
    /// with the most garbage are relocated. Level 0 may hide further garbage (``flushedValueLimit``), and both together
    /// stay below a quarter.
    var garbageLimit = 0.12
    /// If level 0 refers to a larger fraction of all values, it is merged into level 1, where the values are whose keys
    /// it overwrites.
    var flushedValueLimit = 0.08
    /// Tombstone threshold: a segment with a larger fraction of tombstones is compacted for that reason alone.
    var tombstoneLimit = 0.5

    /// Maximum bytes of a level from 1 on.
    func levelLimit(_ level: Int) -> Int {
        var limit = max(levelOneBytes, 1)
        for _ in 1..<max(1, level) {
            let (product, overflow) = limit.multipliedReportingOverflow(by: fanout)
            limit = overflow ? .max : product
        }
        return limit
    }

    /// The picker for a full disk, on which space is worth more than writing.
    var forFullDisk: CompactionPicker {
        var picker = self
        picker.idleRatio = 1 << 20
        (picker.garbageLimit, picker.tombstoneLimit) = (0.02, 0.02)
        return picker
    }

    /// The most urgent compaction; nil if none is due.
    /// - Parameters:
    ///   - valueFileBytes: size of each value file that may be collected, in bytes.
    ///   - releasedValueBytes: by number of the segment, the bytes of values that only released snapshots have seen.
    ///   - oldestSnapshot: sequence number of the oldest live snapshot; `.greatest` if there is none. What a newer
    ///     change has hidden must be kept, because a snapshot may read it.
    ///   - spaceBytes: free disk space.
    func pick(
        _ version: Version, valueFileBytes: [UInt64: Int], releasedValueBytes: [UInt64: Int] = [:],
        oldestSnapshot: SequenceNumber, spaceBytes: Int = .max
    ) -> CompactionPlan? {
        let picks = [
            { pickDeleted(version, oldestSnapshot) },
            { pickFlushed(version) },
            { pickLevel(version) },
            { pickTombstones(version, oldestSnapshot) },
            { pickReleased(version, releasedValueBytes) },
            { pickGarbage(version, valueFileBytes, spaceBytes) },
        ]
        // A merge that has no room would fail, and a less urgent one may make the room.
        var tooLarge: CompactionPlan?
        for pick in picks {
            guard let plan = pick() else { continue }
            if plan.isTrivialMove || plan.reason == .deletedRange || plan.inputBytes <= spaceBytes { return plan }
            tooLarge = tooLarge ?? plan
        }
        return tooLarge
    }

    /// Drops a segment when newer range tombstones cover all its keys and no snapshot predates those tombstones (a
    /// deletion compaction). Older versions in lower levels stay hidden by the same tombstones.
    private func pickDeleted(_ version: Version, _ oldestSnapshot: SequenceNumber) -> CompactionPlan? {
        if version.rangeTombstones.isEmpty { return nil }
        let deleted = version.runs.compactMap { run -> Run? in
            let segments = run.segments.filter { segment in
                version.rangeTombstones.covers(
                    from: segment.info.firstKey, through: segment.info.lastKey,
                    newerThan: segment.info.greatestSequence, upTo: oldestSnapshot)
            }
            return segments.isEmpty ? nil : Run(number: run.number, segments: segments)
        }
        if deleted.isEmpty { return nil }
        return CompactionPlan(inputs: deleted, outputLevel: 0, reason: .deletedRange)
    }

    /// Merges all level-0 runs with the overlapping segments of level 1.
    private func pickFlushed(_ version: Version) -> CompactionPlan? {
        guard let flushed = version.levels.first, !flushed.isEmpty else { return nil }
        let hidesValues = hidesValues(version, flushed)
        guard flushed.count >= flushedRunLimit || hidesValues else { return nil }
        // An idle store flushes small runs. If level 0 holds less than an eighth of the bytes of level 1, twice as many
        // runs may collect, because each merge would rewrite much of level 1 for few new bytes. The test uses the
        // size of the complete level 1 and not only of the overlap.
        let isSmall = 8 * version.bytes(ofLevel: 0) < version.bytes(ofLevel: 1)
        if isSmall, !hidesValues, flushed.count < 2 * flushedRunLimit { return nil }
        // A sequential load flushes runs that overlap nothing. The oldest run then becomes a trivial move.
        if let oldest = flushed.last, let move = trivialMove(version, of: oldest, level: 0) { return move }
        return plan(version, inputs: flushed, outputLevel: 1, reason: .flushedRuns)
    }

    /// True if the runs of level 0 may hide much garbage in value files, and a merge costs less than the values did.
    private func hidesValues(_ version: Version, _ flushed: [Run]) -> Bool {
        let segments = flushed.flatMap(\.segments)
        let values = segments.flatMap(\.info.valueFiles).reduce(0) { $0 + $1.bytes }
        guard Double(values) > flushedValueLimit * Double(version.liveValueBytes), let range = Self.range(segments)
        else { return false }
        let met = version.overlapping(level: 1, from: range.first, to: range.last).reduce(0) { $0 + $1.info.fileBytes }
        return (flushed.count > 1 || met > 0) && values >= met + version.bytes(ofLevel: 0)
    }

    /// Merges the level-0 runs of an idle store with the overlapping segments of level 1.
    ///
    /// Returns a plan if both conditions hold. First, a read would check fewer runs afterwards: level 0 has several
    /// runs, or level 1 overlaps the only one. Second, the overlap has at most ``idleRatio`` times the bytes of level
    /// 0, so that the merge costs about as much per byte as one between two deeper levels.
    func pickForIdle(_ version: Version) -> CompactionPlan? {
        guard let flushed = version.levels.first, let range = Self.range(flushed.flatMap(\.segments)) else {
            return nil
        }
        let met = version.overlapping(level: 1, from: range.first, to: range.last).reduce(0) { $0 + $1.info.fileBytes }
        guard flushed.count > 1 || met > 0, idleRatio * version.bytes(ofLevel: 0) >= met else { return nil }
        return plan(version, inputs: flushed, outputLevel: 1, reason: .idle)
    }

    /// A trivial move of a run to the next level; nil unless it is a single segment without overlap there.
    private func trivialMove(_ version: Version, of run: Run, level: Int) -> CompactionPlan? {
        guard run.segments.count == 1, let segment = run.segments.first else { return nil }
        let (first, last) = (segment.info.firstKey, segment.info.lastKey)
        guard version.overlapping(level: level + 1, from: first, to: last).isEmpty else { return nil }
        return CompactionPlan(
            inputs: [run], outputLevel: level + 1, outputRunNumber: version.run(ofLevel: level + 1)?.number,
            isTrivialMove: true, reason: .levelSize)
    }

    /// Takes the level with the highest ratio of bytes to its limit, if that exceeds 1, and compacts one of its
    /// segments into the next level.
    private func pickLevel(_ version: Version) -> CompactionPlan? {
        var best: (level: Int, score: Double)?
        for level in 1..<max(1, version.levels.count) {
            let score = Double(version.bytes(ofLevel: level)) / Double(levelLimit(level))
            if score > 1, score > best?.score ?? 1 { best = (level, score) }
        }
        guard let best, let run = version.run(ofLevel: best.level) else { return nil }
        let cheapest = run.segments.min { a, b in
            overlapRatio(version, a, below: best.level) < overlapRatio(version, b, below: best.level)
        }
        guard let cheapest else { return nil }
        let input = Run(number: run.number, segments: [cheapest])
        if let move = trivialMove(version, of: input, level: best.level) { return move }
        return plan(version, inputs: [input], outputLevel: best.level + 1, reason: .levelSize)
    }

    /// Bytes of the overlap in the next level for each byte of the segment.
    private func overlapRatio(_ version: Version, _ segment: SegmentReader, below level: Int) -> Double {
        let met = version.overlapping(level: level + 1, from: segment.info.firstKey, to: segment.info.lastKey)
        return Double(met.reduce(0) { $0 + $1.info.fileBytes }) / Double(max(1, segment.info.fileBytes))
    }

    /// Compacts a segment that is mostly tombstones into the next level, so that scans need not skip them for long. In
    /// the deepest level, rewrites the segment in place.
    ///
    /// Skips a segment while a snapshot could keep the tombstones alive, because the picker would choose the same
    /// segment again and again.
    private func pickTombstones(_ version: Version, _ oldestSnapshot: SequenceNumber) -> CompactionPlan? {
        for (placed, segment) in version.placedSegments where placed.level > 0 {
            let dead = segment.info.tombstoneCount + segment.info.rangeTombstoneCount
            guard segment.info.greatestSequence <= oldestSnapshot else { continue }
            guard Double(dead) > tombstoneLimit * Double(max(1, segment.info.recordCount)) else { continue }
            let isLast = placed.level == version.deepestLevel
            let input = Run(number: placed.run, segments: [segment])
            return plan(
                version, inputs: [input], outputLevel: isLast ? placed.level : placed.level + 1, reason: .tombstones)
        }
        return nil
    }

    /// Rewrites, in place, a segment with values that only released snapshots have seen, if they are too many.
    private func pickReleased(_ version: Version, _ released: [UInt64: Int]) -> CompactionPlan? {
        let live = version.liveValueBytes
        guard Double(released.values.reduce(0, +)) > garbageLimit * Double(live) else { return nil }
        return planInPlace(version, relocating: []) { released[$0.number] != nil }
    }

    /// Relocates the live values of the value files with the most garbage by rewriting, in place, one segment that refers
    /// to them. Takes as many files as make the relocated values outweigh the rewritten segments, but none whose live
    /// values have no room on the disk.
    private func pickGarbage(
        _ version: Version, _ valueFileBytes: [UInt64: Int], _ spaceBytes: Int
    ) -> CompactionPlan? {
        let referenced = version.referencedValueBytes
        // Files to which nothing refers need no relocation. The header is no garbage.
        var files: [(number: UInt64, live: Int, garbage: Int, part: Double)] = []
        for (number, bytes) in valueFileBytes {
            guard let live = referenced[number], case let garbage = bytes - FileHeader.size - live, garbage > 0 else {
                continue
            }
            files.append((number, live, garbage, Double(garbage) / Double(bytes)))
        }
        let rewritten = version.allSegments.reduce(0) { $0 + ($1.info.valueFiles.isEmpty ? 0 : $1.info.fileBytes) }
        let live = version.liveValueBytes + rewritten
        guard Double(files.reduce(0) { $0 + $1.garbage }) > garbageLimit * Double(live) else { return nil }
        var chosen: Set<UInt64> = []
        var relocated = 0
        let room = spaceBytes - (version.allSegments.map(\.info.fileBytes).max() ?? 0)
        for file in files.sorted(by: { $0.part > $1.part })
        where relocated <= rewritten && file.live <= room - relocated {
            chosen.insert(file.number)
            relocated += file.live
        }
        return planInPlace(version, relocating: chosen) { $0.valueFiles.contains { chosen.contains($0.file) } }
    }

    /// The rewriting of the first segment that fulfils a condition; nil if there is none.
    private func planInPlace(
        _ version: Version, relocating: Set<UInt64>, where condition: (SegmentInfo) -> Bool
    ) -> CompactionPlan? {
        version.placedSegments.first { condition($0.reader.info) }.map { placed, segment in
            CompactionPlan(
                inputs: [Run(number: placed.run, segments: [segment])], outputLevel: placed.level,
                outputRunNumber: placed.run, relocating: relocating, reason: .valueGarbage)
        }
    }

    /// Manual compaction of all segments that overlap `[from, to]`, into the deepest level. A nil bound is open. Also
    /// relocates the live values of value files with more than a tenth of garbage. Returns nil if no segment overlaps.
    func pickRange(
        _ version: Version, from: [UInt8]?, to: [UInt8]?, valueFileBytes: [UInt64: Int]
    ) -> CompactionPlan? {
        let output = max(1, version.deepestLevel)
        var from = from
        var to = to
        var chosen: [[SegmentReader]] = []
        var count = -1
        // A segment that extends beyond the range widens the range for all levels. Repeats until no further segment
        // overlaps.
        while true {
            chosen = version.runs.map { $0.overlapping(from: from, to: to) }
            let total = chosen.reduce(0) { $0 + $1.count }
            if total == count { break }
            count = total
            guard let range = Self.range(chosen.flatMap { $0 }) else { return nil }
            if let known = from { from = range.first.lexicographicallyPrecedes(known) ? range.first : known }
            if let known = to { to = known.lexicographicallyPrecedes(range.last) ? range.last : known }
        }
        let inputs = zip(version.runs, chosen).filter { !$0.1.isEmpty }.map { Run(number: $0.number, segments: $1) }
        let referenced = version.referencedValueBytes
        let dirty = valueFileBytes.filter { number, bytes in
            Double(referenced[number] ?? 0) < 0.9 * Double(bytes)
        }
        return CompactionPlan(
            inputs: inputs, outputLevel: output, outputRunNumber: version.run(ofLevel: output)?.number, isBottom: true,
            relocating: Set(dirty.keys), reason: .requested)
    }

    /// Adds the overlapping segments of the output level to the inputs. Sets `isBottom` if no deeper level overlaps the
    /// result (bottommost level).
    /// - Returns: nil if the inputs have no segments.
    private func plan(
        _ version: Version, inputs: [Run], outputLevel: Int, reason: CompactionPlan.Reason
    ) -> CompactionPlan? {
        let segments = inputs.flatMap(\.segments)
        guard let range = Self.range(segments) else { return nil }
        let chosen = Set(segments.map(\.info.number))
        let met = version.overlapping(level: outputLevel, from: range.first, to: range.last)
            .filter { !chosen.contains($0.info.number) }
        var inputs = inputs
        let outputRun = version.run(ofLevel: outputLevel)
        if !met.isEmpty, let outputRun { inputs.append(Run(number: outputRun.number, segments: met)) }
        let whole = Self.range(segments + met) ?? range
        let below = ((outputLevel + 1)..<max(outputLevel + 1, version.levels.count)).contains { level in
            !version.overlapping(level: level, from: whole.first, to: whole.last).isEmpty
        }
        return CompactionPlan(
            inputs: inputs, outputLevel: outputLevel, outputRunNumber: outputRun?.number, isBottom: !below,
            reason: reason)
    }

    /// The smallest and the largest key of some segments; nil if there are none.
    private static func range(_ segments: [SegmentReader]) -> (first: [UInt8], last: [UInt8])? {
        guard let first = segments.map(\.info.firstKey).min(by: { $0.lexicographicallyPrecedes($1) }),
            let last = segments.map(\.info.lastKey).max(by: { $0.lexicographicallyPrecedes($1) })
        else { return nil }
        return (first, last)
    }
}

extension Version {
    /// The only run of a level from 1 on; nil for level 0 and for levels that do not exist.
    func run(ofLevel level: Int) -> Run? {
        level > 0 && level < levels.count ? levels[level].first : nil
    }
}
