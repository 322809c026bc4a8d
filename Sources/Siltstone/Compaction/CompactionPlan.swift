/// What one compaction does: which segments it reads, and where its output goes.
struct CompactionPlan: Sendable {
    /// Runs, or parts of runs, newest first.
    var inputs: [Run]
    /// The level of the output.
    var outputLevel: Int
    /// The run that the output becomes part of; nil for a new one.
    var outputRun: UInt64?
    /// Whether no older data lies below the inputs, so that tombstones may go.
    var isBottom: Bool
    /// Value files whose live values are to be written anew, because most of the file is garbage.
    var relocating: Set<UInt64> = []
    /// A single segment that meets nothing at its destination is not rewritten: it only changes place in the manifest.
    var isTrivialMove = false
    /// Segments that hold nothing but what was removed since are dropped without being read.
    var isDrop = false
    /// Why it was chosen, for statistics.
    var reason: Reason

    enum Reason: String, Sendable, Codable {
        case flushedRuns, levelSize, requested, valueGarbage, tombstones, erased, idle
    }

    var segments: [SegmentReader] { inputs.flatMap(\.segments) }
    var inputBytes: Int { inputs.reduce(0) { $0 + $1.fileBytes } }
}
