/// One value of an imported row, as text.
struct ImportedCell: Hashable {
    /// The syntax of the value in the file.
    enum Kind {
        /// A CSV field, or a JSON number, true or false.
        case plain
        /// A JSON string, which is text whatever it contains.
        case string
        /// A JSON object or array.
        case nested
    }

    /// The text without quotes and escapes; nested values keep theirs.
    var text: String
    var kind = Kind.plain

    init(_ text: String, _ kind: Kind = .plain) {
        self.text = text
        self.kind = kind
    }
}
