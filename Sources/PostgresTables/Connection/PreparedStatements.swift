#if PostgreSQL
/// The statements that one connection has prepared, by text. The least recently used is given up for a new one.
struct PreparedStatements {
    /// A statement that the server knows by a name.
    final class Entry {
        let name: String
        let text: String
        /// The types of the parameters. A text with others is not this statement: its values would be misread.
        let types: [PostgresType]
        fileprivate var lastUse = 0
        /// Whether the server has acknowledged it.
        fileprivate(set) var isReady = false

        fileprivate init(name: String, text: String, types: [PostgresType]) {
            self.name = name
            self.text = text
            self.types = types
        }
    }

    private let capacity: Int
    private var entries: [String: Entry] = [:]
    private var uses = 0
    private var names = 0
    /// Statements that the server still has prepared, and that are not used again.
    private(set) var retired: [Entry] = []

    init(capacity: Int) { self.capacity = capacity }

    var count: Int { entries.count }

    /// The entry of a statement, a new one where the text is not prepared; nil where it should run without.
    mutating func entry(_ text: String, types: @autoclosure () -> [PostgresType]) -> Entry? {
        guard capacity > 0 else { return nil }
        uses += 1
        if let entry = entries[text] {
            guard entry.types == types() else { return nil }
            entry.lastUse = uses
            return entry
        }
        if entries.count >= capacity, let oldest = entries.values.min(by: { $0.lastUse < $1.lastUse }) {
            retire(oldest)
        }
        names += 1
        let entry = Entry(name: "s\(names)", text: text, types: types())
        entry.lastUse = uses
        entries[text] = entry
        return entry
    }

    /// Gives an entry up; what the server knows of it goes with a later round trip.
    mutating func retire(_ entry: Entry) {
        guard entries[entry.text] === entry else { return }
        entries[entry.text] = nil
        if entry.isReady { retired.append(entry) }
    }

    /// Gives all up.
    mutating func retireAll() { for entry in entries.values { retire(entry) } }

    /// The server has none of them any more.
    mutating func forgetAll() {
        entries = [:]
        retired = []
    }

    /// The server has an entry. One that was given up meanwhile goes with the next round trip.
    mutating func acknowledge(_ entry: Entry) {
        entry.isReady = true
        if entries[entry.text] !== entry { retired.append(entry) }
    }

    /// The server has forgotten a retired entry.
    mutating func forget(_ entry: Entry) { retired.removeAll { $0 === entry } }
}
#endif
