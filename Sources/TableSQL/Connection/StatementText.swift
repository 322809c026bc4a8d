/// The text of a statement, as a key of the statements that a connection has prepared.
///
/// Two texts are equal if their bytes are. `String` would not do: it takes a composed letter and a decomposed one for
/// equal, and a statement about the one would be run for the other. (The two have the same hash.)
package struct StatementText: Hashable, Sendable {
    /// The text.
    package let text: String

    /// Makes a key.
    package init(_ text: String) { self.text = text }

    package static func == (one: StatementText, other: StatementText) -> Bool {
        one.text.utf8.elementsEqual(other.text.utf8)
    }
}
