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
        /// The JSON value `null`: NULL in every column but one of JSON.
        case null
    }

    /// The text without quotes and escapes; nested values keep theirs.
    var text: String
    var kind = Kind.plain
    /// A JSON string with its quotes and escapes; nil if it has no escapes.
    var token: String?

    init(_ text: String, _ kind: Kind = .plain, token: String? = nil) {
        self.text = text
        self.kind = kind
        self.token = token
    }
}
