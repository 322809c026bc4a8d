#if PostgreSQL
import TableKit
import TableSQL

/// The prepared statements of one connection, by text. A new one replaces the least recently used.
struct PreparedStatements {
    /// A statement that the server has prepared under a name.
    final class Entry {
        let name: String
        let text: StatementText
        /// The types of the parameters. With other types the server would misread the values.
        let types: [PostgresType]
        /// The name with its null character, for the library.
        let cName: ContiguousArray<CChar>
        /// How to read the columns of its results, once they are known.
        var decoders: [CellDecoder] = []
        fileprivate var lastUse = 0
        fileprivate var isRetired = false
        /// Whether the server has acknowledged the statement.
        fileprivate(set) var isReady = false

        fileprivate init(name: String, text: StatementText, types: [PostgresType]) {
            self.name = name
            cName = name.utf8CString
            self.text = text
            self.types = types
        }
    }

    private let capacity: Int
    private var entries: [StatementText: Entry] = [:]
    private var uses = 0
    /// The last look-up, and its statement: finds the entry without its text.
    private var recent: (lookup: RowLookup, entry: Entry)?
    private var names = 0
    /// Statements that are still prepared on the server but no longer used.
    private(set) var retired: [Entry] = []

    init(capacity: Int) { self.capacity = capacity }

    var count: Int { entries.count }

    /// The entry of a statement, a new one for an unknown text. Nil if the statement must run unprepared.
    mutating func entry(_ text: String, types: @autoclosure () -> [PostgresType]) -> Entry? {
        guard capacity > 0 else { return nil }
        uses += 1
        let text = StatementText(text)
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

    /// The entry of a look-up; nil until the server has prepared its statement.
    mutating func entry(_ lookup: RowLookup) -> Entry? {
        if let recent, recent.lookup === lookup, !recent.entry.isRetired {
            uses += 1
            recent.entry.lastUse = uses
            return recent.entry
        }
        guard let entry = entry(lookup.text, types: lookup.types.map(\.postgresType)), entry.isReady else { return nil }
        recent = (lookup, entry)
        return entry
    }

    /// Removes an entry. A later round trip deallocates it on the server.
    mutating func retire(_ entry: Entry) {
        guard entries[entry.text] === entry else { return }
        entries[entry.text] = nil
        entry.isRetired = true
        if entry.isReady { retired.append(entry) }
    }

    /// Removes all entries.
    mutating func retireAll() { for entry in entries.values { retire(entry) } }

    /// Drops all entries because the server no longer has any.
    mutating func forgetAll() {
        for entry in entries.values { entry.isRetired = true }
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
