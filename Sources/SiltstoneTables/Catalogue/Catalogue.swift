import Siltstone
package import TableKit

/// An immutable snapshot of all tables. A schema change creates the next one.
package final class Catalogue: Sendable {
    /// The version. Each schema change gets a new one.
    package let version: UInt64
    /// The number of the next table.
    package let nextTable: UInt64
    /// The tables, by name.
    package let tables: [String: TableDescription]
    /// The names of the tables that refer to each table, by its name. They may include the table itself.
    let referring: [String: Set<String>]
    private let bindings = Locked<[ObjectIdentifier: TableBinding]>([:])
    private let accesses = Locked<[ObjectIdentifier: TableAccess]>([:])
    private let writePlans = Locked<[UInt64: TableWritePlan]>([:])

    package init(version: UInt64 = 0, nextTable: UInt64 = 1, tables: [String: TableDescription] = [:]) {
        self.version = version
        self.nextTable = nextTable
        self.tables = tables
        var referring: [String: Set<String>] = [:]
        for table in tables.values {
            for parent in table.referredTables { referring[parent, default: []].insert(table.name) }
        }
        self.referring = referring
    }

    /// Creates the catalogue after a change of some tables. What did not change is shared.
    init(version: UInt64, nextTable: UInt64, tables: [String: TableDescription], referring: [String: Set<String>]) {
        self.version = version
        self.nextTable = nextTable
        self.tables = tables
        self.referring = referring
    }

    /// Returns the table with this name.
    /// - Throws: `TableErrorCode.noTable`.
    package func table(_ name: String) throws(CRUDSQLExeError) -> TableDescription {
        guard let table = tables[name] else {
            throw CRUDSQLExeError("The table does not exist. Create it first.", code: .noTable, table: name)
        }
        return table
    }

    /// The tables, by id.
    package var ordered: [TableDescription] { tables.values.sorted { $0.id < $1.id } }

    /// Returns the table with this number.
    /// - Complexity: O(number of tables)
    func table(numbered id: UInt64) -> TableDescription? { tables.values.first { $0.id == id } }

    /// Returns the columns that refer to a table, of all tables, by id.
    /// - Complexity: O(columns of the tables that refer to it).
    package func references(to name: String) -> [(table: TableDescription, column: Int)] {
        let children = referring[name, default: []].compactMap { tables[$0] }
        return children.sorted { $0.id < $1.id }.flatMap { table in
            table.columns.indices.filter { table.columns[$0].column.foreignKey?.table == name }.map { (table, $0) }
        }
    }

    /// Returns the binding of a structure to the table with its name.
    /// - Throws: `TableErrorCode.noTable`.
    /// - Complexity: O(1) after the first call.
    func binding(_ structure: TableStructure) throws -> TableBinding {
        let id = ObjectIdentifier(structure)
        if let binding = bindings.withLock({ $0[id] }) { return binding }
        let binding = TableBinding(structure, try table(structure.name), in: self)
        bindings.withLock { $0[id] = binding }
        return binding
    }

    /// Returns the planner's view of a structure's table.
    /// - Throws: `TableErrorCode.noTable`.
    /// - Complexity: O(1) after the first call.
    func access(_ structure: TableStructure) throws -> TableAccess {
        let id = ObjectIdentifier(structure)
        if let access = accesses.withLock({ $0[id] }) { return access }
        let access = TableAccess(try binding(structure))
        accesses.withLock { $0[id] = access }
        return access
    }

    /// Returns the write plan of a table.
    /// - Complexity: O(1) after the first call.
    func writePlan(_ table: TableDescription) -> TableWritePlan {
        if let plan = writePlans.withLock({ $0[table.id] }) { return plan }
        let plan = TableWritePlan(table, in: self)
        writePlans.withLock { $0[table.id] = plan }
        return plan
    }

    // MARK: In the store

    private static let format: UInt8 = 1

    /// The encoded version, as stored.
    var encodedVersion: [UInt8] {
        var out = CatalogueWriter()
        out.byte(Self.format)
        out.word(version)
        out.number(nextTable)
        return out.bytes
    }

    /// Decodes a stored version.
    private static func decoded(_ bytes: [UInt8]) throws -> (version: UInt64, nextTable: UInt64) {
        var input = CatalogueReader(bytes)
        guard try input.byte() == format else {
            throw CRUDDecoderError("The catalogue was written by a newer release.", code: .corrupt)
        }
        return (try input.word(), try input.number())
    }

    /// True if the catalogue has this version.
    /// - Parameter stored: the version, as stored; nil in a store without tables.
    func isCurrent(_ stored: [UInt8]?) throws -> Bool {
        try stored.map { try Self.decoded($0).version } ?? 0 == version
    }

    /// Loads a reader's catalogue. Returns `known` if it has the same version.
    static func load(from reader: some KeyValueReader, known: Catalogue?) throws -> Catalogue {
        let stored = try reader.get(KeySpace.version)
        if let known, try known.isCurrent(stored) { return known }
        guard let stored else { return Catalogue() }
        let (version, nextTable) = try decoded(stored)
        var statistics: [UInt64: [UInt8]] = [:]
        try reader.forEach(prefix: KeySpace.allStatistics) { key, value in
            var offset = KeySpace.allStatistics.count
            statistics[try OrderedVarint.read(key, at: &offset)] = unsafe value.withUnsafeBytes { unsafe Array($0) }
            return true
        }
        var tables: [String: TableDescription] = [:]
        try reader.forEach(prefix: KeySpace.descriptions) { key, value in
            var offset = KeySpace.descriptions.count
            let id = try OrderedVarint.read(key, at: &offset)
            let definition = try unsafe TableDefinition(id: id, value.withUnsafeBytes { unsafe Array($0) })
            // Unchanged tables keep their derived objects.
            if let old = known?.tables[definition.name], old.definition == definition,
                old.statistics?.encoded == statistics[id]
            {
                tables[definition.name] = old
            } else {
                let statistics = statistics[id].flatMap { TableStatistics($0) }
                tables[definition.name] = TableDescription(definition, statistics)
            }
            return true
        }
        return Catalogue(version: version, nextTable: nextTable, tables: tables)
    }
}

extension TableDescription {
    /// The names of the tables to which its columns refer.
    var referredTables: [String] { columns.compactMap { $0.column.foreignKey?.table } }
}
