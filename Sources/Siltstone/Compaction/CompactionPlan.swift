/// Describes one compaction: its input segments and the level and run of its output.
struct CompactionPlan: Sendable {
    /// Runs, or parts of runs, newest first.
    var inputs: [Run]
    /// The level of the output.
    var outputLevel: Int
    /// The run that the output joins; nil for a new run.
    var outputRun: UInt64?
    /// True if no older data exists below the inputs (bottommost level), so that tombstones can be dropped.
    var isBottom: Bool
    /// Value files whose live values the compaction relocates, because the files exceed the garbage threshold.
    var relocating: Set<UInt64> = []
    /// Trivial move: one segment without overlap at its destination. Only its level in the manifest changes; its
    /// file is not rewritten.
    var isTrivialMove = false
    /// Deletion compaction: the segments hold only deleted keys and are dropped without being read.
    var isDrop = false
    /// Why the picker chose it.
    var reason: Reason

    /// One case for each `pick` function of ``CompactionPicker``. `requested` is a manual compaction. A trivial move is
    /// always `levelSize`.
    enum Reason: String, Sendable, Codable {
        case flushedRuns, levelSize, requested, valueGarbage, tombstones, erased, idle
    }

    var segments: [SegmentReader] { inputs.flatMap(\.segments) }
    var inputBytes: Int { inputs.reduce(0) { $0 + $1.fileBytes } }
}
