/// Databases gave different results.
public struct Disagreement: Error, CustomStringConvertible {
    /// The query and the result of each database.
    public let description: String

    /// Creates the error.
    public init(description: String) { self.description = description }
}
