/// Describes one compaction: its input segments and the level and run of its output.
struct CompactionPlan: Sendable {
    /// Runs, or parts of runs, newest first.
    var inputs: [Run]
    /// The level of the output.
    var outputLevel: Int
    /// The number of the run that the output joins; nil for a new run.
    var outputRunNumber: UInt64?
    /// If true, no segment outside of the inputs has older data in their key range (a bottommost-level compaction), and
    /// the merge drops tombstones. False also if nobody has looked.
    var isBottom = false
    /// Value files whose live values the compaction relocates, because much of them is garbage. A requested compaction
    /// has a lower threshold than the configured one.
    var relocating: Set<UInt64> = []
    /// Trivial move: the inputs are a single segment, which overlaps nothing in the output level. The manifest records
    /// its new level and run. The file is not rewritten.
    var isTrivialMove = false
    /// Why the picker chose this compaction.
    var reason: Reason

    enum Reason: Sendable {
        /// Level 0 has too many runs.
        case flushedRuns
        /// A level exceeds its size limit. Also the reason of every trivial move.
        case levelSize
        /// A caller has requested a manual compaction.
        case requested
        /// A value file has too much garbage.
        case valueGarbage
        /// A segment has too many tombstones.
        case tombstones
        /// Deletion compaction: newer range tombstones cover all keys of the segments. The manifest removes the segments
        /// without reading them. The inputs may be of several levels, and the output's level is ignored.
        case deletedRange
        /// The store is idle, and merging the runs of level 0 is cheap.
        case idle
    }

    var segments: [SegmentReader] { inputs.flatMap(\.segments) }

    /// The files of the inputs in the order of their removal, the oldest run first
    /// (``ObsoleteFiles/remove(inOrder:)``).
    ///
    /// An inner array is a group of files that may be removed in any order. Not for a trivial move, whose file stays.
    ///
    /// A crash can leave a part of the files, and damage of the manifest can then lose the edit that drops them. A repair
    /// compares the versions of a key by their sequence numbers. The output of a bottommost-level compaction has lost
    /// these numbers, and the tombstones. So an old version in the inputs must not outlive a newer one: each run is a group
    /// of its own. Any other output still has the newest versions with their numbers, so its inputs are one group.
    var obsoleteFiles: [[StoreFile]] {
        let runs = inputs.reversed().map { run in run.segments.map { StoreFile.segment($0.info.number) } }
        return isBottom ? runs : [runs.flatMap { $0 }]
    }

    var inputBytes: Int { inputs.reduce(0) { $0 + $1.fileBytes } }
}
