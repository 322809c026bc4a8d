import TableKit

/// The requested tables and repositories of a move, each once. Both nil: everything.
struct MoveChoice {
    let tables: [String]?
    let repositories: [String]?

    /// Drops repetitions. The names of repositories are compared by their bytes.
    init(tables: [String]? = nil, repositories: [String]? = nil) {
        self.tables = tables.map { Self.unique($0) { $0 } }
        self.repositories = repositories.map { Self.unique($0) { Array($0.utf8) } }
    }

    private static func unique<Key: Hashable>(_ names: [String], _ key: (String) -> Key) -> [String] {
        var seen: Set<Key> = []
        return names.filter { seen.insert(key($0)).inserted }
    }

    var isAll: Bool { tables == nil && repositories == nil }
}

/// The source's catalogue, and the chosen parts of it.
struct MovePlan {
    let tables: [MovedTable]
    let repositories: [String]
    let catalogue: [TableInfo]
    /// The columns that only tables of other programs have.
    let foreign: ForeignColumns

    /// Chooses the parts of a source.
    /// - Parameters:
    ///   - session: reads the source.
    ///   - origin: the source's place, for errors.
    ///   - acceptsRounding: whether numbers with more digits than a double holds may be rounded.
    /// - Throws: ``ToolError`` if the source cannot be moved so, whatever the target.
    init(
        _ session: any TableSession, of source: any MoveEndpoint, at origin: String, _ choice: MoveChoice,
        acceptsRounding: Bool
    ) throws {
        let catalogue = try session.tables()
        if let ledger = catalogue.first(where: { $0.structure.name == MoveLedger.tableName }) {
            throw ToolError(
                .usage,
                MoveLedger.isLedger(ledger.structure)
                    ? "\(origin) is itself the target of a move that is not finished"
                    : "\(origin) has a table \(MoveLedger.tableName) that no move has made; rename it, since a move "
                        + "needs the name")
        }
        let own = source.ownTables(catalogue)
        let tables =
            try choice.isAll
            ? own
            : (choice.tables ?? []).map { name in
                if let table = own.first(where: { $0.structure.name == name }) { return table }
                throw ToolError(.usage, "\(origin) has no table '\(name)'")
            }
        repositories = try choice.isAll ? source.repositoryNames(catalogue) : choice.repositories ?? []
        for name in choice.repositories ?? [] where try !source.hasRepository(name, catalogue) {
            throw ToolError(.usage, "\(origin) has no repository '\(name)'")
        }
        if tables.isEmpty, repositories.isEmpty {
            throw ToolError(.usage, "\(origin) has no tables and no repositories")
        }
        foreign = ForeignColumns(tables)
        if !acceptsRounding { try foreign.refuseRounding() }
        self.tables = try MoveOrder.sorted(tables)
        self.catalogue = catalogue
    }

    /// Throws unless an earlier plan has the same tables with the same columns, keys and indexes, and the same
    /// repositories. MariaDB does not show a table, or shows it without its key and indexes, in the moment in which an
    /// ALTER renames its files.
    func refuseChanges(since earlier: MovePlan, at origin: String) throws {
        let (before, now) = (earlier.tablesByName, tablesByName)
        var changed = Set(before.keys).union(now.keys).filter { name in
            guard let table = before[name], let other = now[name] else { return true }
            return !table.hasSameStructure(as: other)
        }.map { "table " + $0 }
        changed += Set(earlier.repositories).symmetricDifference(repositories).map { "repository '\($0)'" }
        if changed.isEmpty { return }
        throw ToolError(
            .negative,
            "the tables of \(origin) are changing (\(changed.sorted().joined(separator: ", "))); run the command again")
    }

    private var tablesByName: [String: MovedTable] {
        Dictionary(tables.map { ($0.source.name, $0) }) { first, _ in first }
    }
}
