/// A statement that creates the table of a type and the tables of its array properties.
public struct Create: Sendable {
    /// The policy for existing tables.
    public let policy: TableCreatePolicy
    /// The tables: the type's first, then those of array properties.
    let structures: [TableStructure]

    init<A: Codable>(_ type: A.Type, primaryKey: [PartialKeyPath<A>] = [], policy: TableCreatePolicy) throws {
        self.policy = policy
        let top = try TableStructure.of(type, primaryKey: primaryKey)
        var found = [top]
        if !policy.contains(.shallow) { try Self.collect(of: top, into: &found) }
        structures = found
    }

    private static func collect(of structure: TableStructure, into found: inout [TableStructure]) throws {
        for property in structure.subTables {
            let child = try TableStructure.of(any: unsafe property.element)
            if found.contains(where: { $0.name == child.name }) { continue }
            found.append(child)
            try collect(of: child, into: &found)
        }
    }

    /// Creates, drops and changes tables.
    func run(in session: any TableSession) throws {
        if policy.contains(.dropTable) {
            // Children refer to their parents, so they are dropped first.
            try session.changingSchema {
                for structure in structures.reversed() where try session.table(named: structure.name) != nil {
                    try alter(session, .dropTable(structure.name), "DROP TABLE \(structure.name)")
                }
            }
        }
        try session.changingSchema {
            for structure in structures { try create(structure, in: session) }
        }
    }

    /// Creates a table or, by the policy, reconciles it.
    private func create(_ structure: TableStructure, in session: any TableSession) throws {
        if let table = try session.table(named: structure.name) {
            if policy.contains(.reconcileTable) { try reconcile(table.structure, with: structure, in: session) }
        } else {
            try alter(session, .createTable(structure), "CREATE TABLE \(structure.name)")
        }
    }

    private func reconcile(
        _ table: TableStructure, with structure: TableStructure, in session: any TableSession
    ) throws {
        for column in structure.columns where table.number(of: column.name) == nil {
            try alter(
                session, .addColumn(table: table.name, column), "ALTER TABLE \(table.name) ADD \(column.name)")
        }
        for column in table.columns where structure.number(of: column.name) == nil {
            try alter(
                session, .dropColumn(table: table.name, column.name),
                "ALTER TABLE \(table.name) DROP \(column.name)")
        }
    }

    private func alter(_ session: any TableSession, _ change: SchemaChange, _ text: String) throws {
        CRUDLogging.logQuery(text)
        try session.alter(change)
    }
}
