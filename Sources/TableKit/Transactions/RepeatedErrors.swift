/// Counts how often the same error comes in succession, where another program has changed the schema in between. A name
/// that is taken by something outside of the catalogue gives the same error every time, so trying again must end.
package struct RepeatedErrors {
    private var last: String?
    private var repetitions = 0
    private static let maximumRepetitions = 3

    package init() {}

    /// Counts an error.
    /// - Returns: true if it has come too often to try again.
    package mutating func isLasting(_ error: any TableError) -> Bool {
        repetitions = error.description == last ? repetitions + 1 : 1
        last = error.description
        return repetitions == Self.maximumRepetitions
    }
}
