/// One value of an imported row, as the file spells it.
struct ImportedCell: Hashable {
    /// How the file writes it.
    enum Kind {
        /// A field of CSV; a number, true or false of JSON.
        case plain
        /// A string of JSON: text, whatever it looks like.
        case string
        /// An object or an array of JSON.
        case nested
    }

    /// The text without quotes and escapes; that of nested values as it stands.
    var text: String
    var kind = Kind.plain

    /// A cell.
    init(_ text: String, _ kind: Kind = .plain) {
        self.text = text
        self.kind = kind
    }
}
