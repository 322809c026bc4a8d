/// Chooses the next compaction.
///
/// Levelled, with flushed runs gathering in level 0: few runs to ask for a reader, and each byte rewritten a bounded
/// number of times. A purely tiered order rewrites less but leaves more runs, and holds twice the space at its greatest
/// merges. Within a level the segment with the least overlap below goes first (fewest bytes rewritten for each byte
/// moved), and one that overlaps nothing is moved without being read, which makes sequential loads free.
struct CompactionPicker: Sendable {
    /// Flushed runs that start a compaction.
    var flushedRunLimit = 4
    /// Bytes that level 1 may have; each further level may have ``fanout`` times as many.
    var levelOneBytes: Int
    var fanout = 8
    /// How many times as many bytes as an idle store has flushed may be written anew to merge them.
    var idleRatio = 10
    /// Part of a value file that is garbage before its live values are written anew.
    var garbageLimit = 0.5
    /// Part of a segment's records that are tombstones before it is compacted for that alone.
    var tombstoneLimit = 0.5

    func levelLimit(_ level: Int) -> Int {
        var limit = max(levelOneBytes, 1)
        for _ in 1..<max(1, level) {
            let (product, overflow) = limit.multipliedReportingOverflow(by: fanout)
            limit = overflow ? .max : product
        }
        return limit
    }

    /// The most urgent compaction; nil where nothing needs one.
    /// - Parameters:
    ///   - valueFileBytes: bytes of each sealed value file that may be collected.
    ///   - oldestSnapshot: what is newer may still be seen without what came after it.
    func pick(
        _ version: Version, valueFileBytes: [UInt64: Int], oldestSnapshot: SequenceNumber
    ) -> CompactionPlan? {
        pickErased(version, oldestSnapshot) ?? pickFlushed(version) ?? pickLevel(version) ?? pickTombstones(
            version, oldestSnapshot)
            ?? pickGarbage(version, valueFileBytes)
    }

    /// Segments all of whose keys were removed since, by range tombstones that no snapshot is older than. They are dropped: what
    /// they hide below is hidden by those tombstones, too.
    private func pickErased(_ version: Version, _ oldestSnapshot: SequenceNumber) -> CompactionPlan? {
        if version.rangeTombstones.isEmpty { return nil }
        let erased = version.runs.compactMap { run -> Run? in
            let segments = run.segments.filter { segment in
                version.rangeTombstones.covers(
                    from: segment.info.firstKey, through: segment.info.lastKey,
                    newerThan: segment.info.greatestSequence, upTo: oldestSnapshot)
            }
            return segments.isEmpty ? nil : Run(number: run.number, segments: segments)
        }
        if erased.isEmpty { return nil }
        return CompactionPlan(
            inputs: erased, outputLevel: 0, outputRun: nil, isBottom: false, isDrop: true, reason: .erased)
    }

    /// All flushed runs with what they meet in level 1.
    private func pickFlushed(_ version: Version) -> CompactionPlan? {
        guard let flushed = version.levels.first, flushed.count >= flushedRunLimit else { return nil }
        let segments = flushed.flatMap(\.segments)
        // Small ones, as an idle store makes them, may be twice as many before they are worth what they meet.
        let isSmall = 8 * version.bytes(ofLevel: 0) < version.bytes(ofLevel: 1)
        if isSmall, flushed.count < 2 * flushedRunLimit { return nil }
        // A sequential load flushes runs that meet nothing: the oldest can simply go down.
        if let oldest = flushed.last, let move = trivialMove(version, of: oldest, level: 0) { return move }
        return plan(version, inputs: flushed, from: segments, outputLevel: 1, reason: .flushedRuns)
    }

    /// The flushed runs of a store that is idle, with what they meet in level 1: where there are several runs to ask, and
    /// they have a tenth of what would be written anew, so that a byte costs no more than between any two levels.
    func pickForIdle(_ version: Version) -> CompactionPlan? {
        guard let flushed = version.levels.first, let range = Self.range(flushed.flatMap(\.segments)) else {
            return nil
        }
        let met = version.overlapping(level: 1, from: range.first, to: range.last).reduce(0) { $0 + $1.info.fileBytes }
        guard flushed.count > 1 || met > 0, idleRatio * version.bytes(ofLevel: 0) >= met else { return nil }
        return plan(version, inputs: flushed, from: flushed.flatMap(\.segments), outputLevel: 1, reason: .idle)
    }

    private func trivialMove(_ version: Version, of run: Run, level: Int) -> CompactionPlan? {
        guard run.segments.count == 1, let segment = run.segments.first else { return nil }
        let (first, last) = (segment.info.firstKey, segment.info.lastKey)
        guard version.overlapping(level: level + 1, from: first, to: last).isEmpty else { return nil }
        return CompactionPlan(
            inputs: [run], outputLevel: level + 1, outputRun: version.run(ofLevel: level + 1)?.number,
            isBottom: false, isTrivialMove: true, reason: .levelSize)
    }

    /// The level that is furthest over its limit gives a segment to the next.
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
        return plan(version, inputs: [input], from: [cheapest], outputLevel: best.level + 1, reason: .levelSize)
    }

    private func overlapRatio(_ version: Version, _ segment: SegmentReader, below level: Int) -> Double {
        let met = version.overlapping(level: level + 1, from: segment.info.firstKey, to: segment.info.lastKey)
        return Double(met.reduce(0) { $0 + $1.info.fileBytes }) / Double(max(1, segment.info.fileBytes))
    }

    /// A segment that is mostly tombstones goes down, so that scans do not have to walk over them for long.
    ///
    /// Not while a snapshot could keep the tombstones alive: the same segment would be chosen again and again.
    private func pickTombstones(_ version: Version, _ oldestSnapshot: SequenceNumber) -> CompactionPlan? {
        for level in 1..<max(1, version.levels.count) {
            guard let run = version.run(ofLevel: level) else { continue }
            for segment in run.segments {
                let dead = segment.info.tombstoneCount + segment.info.rangeTombstoneCount
                guard segment.info.greatestSequence <= oldestSnapshot else { continue }
                guard Double(dead) > tombstoneLimit * Double(max(1, segment.info.recordCount)) else { continue }
                let isLast = level == version.deepestLevel
                let input = Run(number: run.number, segments: [segment])
                return plan(
                    version, inputs: [input], from: [segment], outputLevel: isLast ? level : level + 1,
                    reason: .tombstones)
            }
        }
        return nil
    }

    /// A value file that is mostly garbage has its live values moved, by rewriting a segment that refers to it in place.
    private func pickGarbage(_ version: Version, _ valueFileBytes: [UInt64: Int]) -> CompactionPlan? {
        let referenced = version.referencedValueBytes()
        let candidates = valueFileBytes.compactMap { number, bytes -> (UInt64, Double)? in
            guard let live = referenced[number], bytes > 0 else { return nil }
            let garbage = 1 - Double(live) / Double(bytes)
            return garbage > garbageLimit ? (number, garbage) : nil
        }
        guard let worst = candidates.max(by: { $0.1 < $1.1 })?.0 else { return nil }
        for (level, runs) in version.levels.enumerated() {
            for run in runs {
                guard let segment = run.segments.first(where: { $0.info.valueFiles.contains { $0.file == worst } })
                else { continue }
                return CompactionPlan(
                    inputs: [Run(number: run.number, segments: [segment])], outputLevel: level, outputRun: run.number,
                    isBottom: false, relocating: [worst], reason: .valueGarbage)
            }
        }
        return nil
    }

    /// Everything that meets `[from, to]`, into the deepest level; nil where there is nothing.
    func pickRange(
        _ version: Version, from: [UInt8]?, to: [UInt8]?, valueFileBytes: [UInt64: Int]
    ) -> CompactionPlan? {
        let output = max(1, version.deepestLevel)
        var from = from
        var to = to
        var chosen: [[SegmentReader]] = []
        var count = -1
        // A segment that sticks out of the range widens it, in all levels, until nothing sticks out any more.
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
        let referenced = version.referencedValueBytes()
        let dirty = valueFileBytes.filter { number, bytes in
            Double(referenced[number] ?? 0) < 0.9 * Double(bytes)
        }
        return CompactionPlan(
            inputs: inputs, outputLevel: output, outputRun: version.run(ofLevel: output)?.number, isBottom: true,
            relocating: Set(dirty.keys), reason: .requested)
    }

    /// Adds what the inputs meet in the output level, and finds out whether anything lies below.
    private func plan(
        _ version: Version, inputs: [Run], from segments: [SegmentReader], outputLevel: Int,
        reason: CompactionPlan.Reason
    ) -> CompactionPlan? {
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
            inputs: inputs, outputLevel: outputLevel, outputRun: outputRun?.number, isBottom: !below, reason: reason)
    }

    private static func range(_ segments: [SegmentReader]) -> (first: [UInt8], last: [UInt8])? {
        guard var first = segments.first?.info.firstKey, var last = segments.first?.info.lastKey else { return nil }
        for segment in segments.dropFirst() {
            if segment.info.firstKey.lexicographicallyPrecedes(first) { first = segment.info.firstKey }
            if last.lexicographicallyPrecedes(segment.info.lastKey) { last = segment.info.lastKey }
        }
        return (first, last)
    }
}

extension Version {
    /// The one run of a level below the first.
    func run(ofLevel level: Int) -> Run? {
        level > 0 && level < levels.count ? levels[level].first : nil
    }
}
