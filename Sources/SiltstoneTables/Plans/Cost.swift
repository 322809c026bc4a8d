/// What the steps of plans cost, in microseconds. Plans differ in time, never in results, so about right is enough.
enum Cost {
    /// To reach the beginning of a range.
    static let seek = 0.8
    /// A row that a walk passes, filtered.
    static let row = 0.03
    /// An index entry that a walk passes.
    static let entry = 0.04
    /// A row by its key, of a batch.
    static let fetch = 0.3
    /// A row by its key, alone.
    static let point = 0.4
    /// A row that is sorted.
    static let sort = 0.4
    /// A row beside a full heap.
    static let heap = 0.06
    /// A row that is put into a hash.
    static let hash = 0.15
}
