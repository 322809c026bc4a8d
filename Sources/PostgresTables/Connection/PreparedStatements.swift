#if PostgreSQL
/// The prepared statements of one connection, by text. A new one replaces the least recently used.
struct PreparedStatements {
    /// A statement that the server has prepared under a name.
    final class Entry {
        let name: String
        let text: String
        /// The types of the parameters. With other types the server would misread the values.
        let types: [PostgresType]
        fileprivate var lastUse = 0
        /// Whether the server has acknowledged the statement.
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
    /// Statements that are still prepared on the server but no longer used.
    private(set) var retired: [Entry] = []

    init(capacity: Int) { self.capacity = capacity }

    var count: Int { entries.count }

    /// The entry of a statement, a new one for an unknown text. Nil if the statement must run unprepared.
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

    /// Removes an entry. A later round trip deallocates it on the server.
    mutating func retire(_ entry: Entry) {
        guard entries[entry.text] === entry else { return }
        entries[entry.text] = nil
        if entry.isReady { retired.append(entry) }
    }

    /// Removes all entries.
    mutating func retireAll() { for entry in entries.values { retire(entry) } }

    /// Drops all entries because the server no longer has any.
    mutating func forgetAll() {
        entries = [:]
        retired = []
    }

    /// Marks an entry as prepared on the server. If it was retired meanwhile, the next round trip deallocates it.
    mutating func acknowledge(_ entry: Entry) {
        entry.isReady = true
        if entries[entry.text] !== entry { retired.append(entry) }
    }

    /// Drops a retired entry that the server has deallocated.
    mutating func forget(_ entry: Entry) { retired.removeAll { $0 === entry } }
}
#endif
