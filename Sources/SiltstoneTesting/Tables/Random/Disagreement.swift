/// Databases do not agree.
public struct Disagreement: Error, CustomStringConvertible {
    /// What each of them gave, and to which question.
    public let description: String

    /// A disagreement.
    public init(description: String) { self.description = description }
}
