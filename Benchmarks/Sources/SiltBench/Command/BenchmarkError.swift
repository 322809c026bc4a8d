/// Why a benchmark cannot go on.
struct BenchmarkError: Error, CustomStringConvertible {
    /// What went wrong, for a human.
    let description: String

    init(_ description: String) { self.description = description }
}
