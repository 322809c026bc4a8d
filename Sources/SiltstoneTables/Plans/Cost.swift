/// The costs of plan steps in microseconds. Rough values suffice: a plan affects time, never results.
enum Cost {
    /// To seek the start of a range.
    static let seek = 0.8
    /// To scan and filter a row.
    static let row = 0.03
    /// To scan an index entry.
    static let entry = 0.04
    /// To fetch a row by its key, in a batch.
    static let fetch = 0.3
    /// To fetch a row by its key, alone.
    static let point = 0.4
    /// To sort a row.
    static let sort = 0.4
    /// To compare a row with a full heap.
    static let heap = 0.06
    /// To insert a row into a hash table.
    static let hash = 0.15
}
