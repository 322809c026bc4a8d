import Siltstone
import TableKit

/// Applies schema changes to a transaction's catalogue, and writes the changed descriptions.
struct SchemaEditor {
    let transaction: Transaction
    let engine: SiltstoneEngine
    /// The current catalogue, with the changes so far.
    private(set) var catalogue: Catalogue
    /// Tables whose rows with the greatest number may have been deleted.
    private(set) var tablesToMark: Set<UInt64> = []
    /// As in ``RowWriter``.
    private(set) var rowChanges: [UInt64: Int] = [:]
    private var tables: [String: TableDescription]
    /// As in ``Catalogue``.
    private var referring: [String: Set<String>]
    private var nextTable: UInt64

    init(_ transaction: Transaction, _ engine: SiltstoneEngine, _ catalogue: Catalogue) {
        self.transaction = transaction
        self.engine = engine
        self.catalogue = catalogue
        tables = catalogue.tables
        referring = catalogue.referring
        nextTable = catalogue.nextTable
    }

    /// Applies a change.
    mutating func apply(_ change: SchemaChange) throws {
        switch change {
        case .createTable(let structure): try create(structure)
        case .dropTable(let name): try drop(name)
        case .renameTable(let name, let new): try rename(name, to: new)
        case .addColumn(let table, let column): try add(column, to: table)
        case .dropColumn(let table, let column): try dropColumn(column, of: table)
        case .renameColumn(let table, let column, let new): try rename(column, of: table, to: new)
        case .createIndex(let definition): try create(definition)
        case .dropIndex(let table, let columns): try dropIndex(columns, of: table)
        }
    }

    // MARK: Writing

    /// Writes the description of a table, and creates the catalogue with it.
    /// - Parameter name: the name that the table has had in the catalogue; nil if it has not changed.
    @discardableResult
    private mutating func put(_ definition: TableDefinition, named name: String? = nil) throws -> TableDescription {
        let known = catalogue.tables[name ?? definition.name]
        let table = TableDescription(definition, known?.id == definition.id ? known?.statistics : nil)
        try transaction.put(KeySpace.description(definition.id), definition.encoded())
        set(table, named: definition.name)
        try finish()
        return table
    }

    /// Replaces the table with a name, or removes it.
    private mutating func set(_ table: TableDescription?, named name: String) {
        for parent in tables[name]?.referredTables ?? [] { referring[parent]?.remove(name) }
        tables[name] = table
        for parent in table?.referredTables ?? [] { referring[parent, default: []].insert(name) }
    }

    /// Stores the statistics of a table, if it still exists.
    mutating func put(_ statistics: TableStatistics, of id: UInt64) throws {
        guard let table = catalogue.table(numbered: id) else { return }
        try transaction.put(KeySpace.statistics(id), statistics.encoded)
        set(TableDescription(table.definition, statistics), named: table.name)
        try finish()
    }

    private mutating func finish() throws {
        catalogue = Catalogue(
            version: engine.catalogues.nextVersion, nextTable: nextTable, tables: tables, referring: referring)
        try transaction.put(KeySpace.version, catalogue.encodedVersion)
    }

    // MARK: Tables

    private mutating func create(_ structure: TableStructure) throws {
        guard tables[structure.name] == nil else {
            throw CRUDSQLExeError("The table exists.", code: .exists, table: structure.name)
        }
        try check(structure)
        try checkReferences(of: structure)
        var columns: [ColumnDescription] = []
        for (number, column) in structure.columns.enumerated() {
            columns.append(ColumnDescription(id: UInt64(number) + 1, column: try sound(column, in: structure.name)))
        }
        let id = engine.catalogues.takeTable(notBelow: nextTable)
        var definition = TableDefinition(
            id: id, name: structure.name, columns: columns,
            primaryKey: structure.primaryKey.map { UInt64($0) + 1 }, layouts: [], nextColumn: UInt64(columns.count) + 1)
        definition.addLayout()
        for column in columns where column.column.foreignKey != nil { definition.addAutomaticIndex(column.id) }
        nextTable = id + 1
        try put(definition)
    }

    private func check(_ structure: TableStructure) throws {
        guard Set(structure.columns.map(\.name)).count == structure.columns.count else {
            throw CRUDSQLExeError("Two columns have one name.", code: .argument, table: structure.name)
        }
        guard !structure.columns.isEmpty else {
            throw CRUDSQLExeError("A table needs a column.", code: .unsupported, table: structure.name)
        }
        for column in structure.primaryKey where structure.columns[column].type == .json {
            throw CRUDSQLExeError(
                "A nested value cannot be a key.", code: .unsupported, table: structure.name,
                column: structure.columns[column].name)
        }
    }

    /// Converts a column's default to the column's type.
    private func sound(_ column: Column, in table: String) throws -> Column {
        var column = column
        if let value = column.defaultValue {
            guard let fitting = value.fitting(column.type) else {
                throw CRUDSQLExeError(
                    "The default \(value.readable) is no value of the column's type.", code: .type, table: table,
                    column: column.name)
            }
            column.defaultValue = fitting.isNull ? nil : fitting
        }
        return column
    }

    private mutating func drop(_ name: String) throws {
        let table = try catalogue.table(name)
        let isReferred = try catalogue.references(to: name).contains { child, column in
            try child.id != table.id && isReferring(child, column)
        }
        if isReferred { try deleteRows(of: table) }
        try transaction.deleteRange(prefix: KeySpace.table(table.id))
        for key in [
            KeySpace.description(table.id), KeySpace.rowNumber(table.id), KeySpace.statistics(table.id),
        ] { try transaction.delete(key) }
        for index in table.indexes where !index.isReady {
            try transaction.delete(KeySpace.build(table.id, index.description.id))
        }
        set(nil, named: name)
        try finish()
    }

    /// Deletes the rows of a table one by one, so that foreign keys act as on a delete.
    private mutating func deleteRows(of table: TableDescription) throws {
        let writer = RowWriter(transaction, engine, catalogue, hasTurn: false)
        let structure = table.structure
        _ = try writer.delete(DeleteStatement(structure), try catalogue.binding(structure))
        try writer.finishChecks()
        tablesToMark.formUnion(writer.tablesToMark)
        rowChanges.merge(writer.rowChanges, uniquingKeysWith: +)
    }

    /// True if a row of a table has a value in a referring column.
    private func isReferring(_ child: TableDescription, _ column: Int) throws -> Bool {
        let plan = catalogue.writePlan(child)
        var isReferring = false
        try transaction.forEach(prefix: child.rowPrefix) { _, row in
            isReferring =
                switch try plan.columns(of: row)[column] {
                case .slot(let slot): try !slot.isNull(in: row)
                case .absent(let value): !value.isNull
                case .missing: false
                }
            return !isReferring
        }
        return isReferring
    }

    private mutating func rename(_ name: String, to new: String) throws {
        var definition = try catalogue.table(name).definition
        guard tables[new] == nil else { throw CRUDSQLExeError("The table exists.", code: .exists, table: new) }
        try checkReferences(to: new, by: try catalogue.table(name).structure)
        set(nil, named: name)
        definition.name = new
        try put(definition, named: name)
        for child in catalogue.referring[name, default: []].sorted() {
            guard let table = catalogue.tables[child] else { continue }
            var definition = table.definition
            for column in definition.columns.indices
            where definition.columns[column].column.foreignKey?.table == name {
                definition.columns[column].column.foreignKey?.table = new
            }
            if definition != table.definition { try put(definition) }
        }
    }

    // MARK: Columns

    private mutating func add(_ column: Column, to name: String) throws {
        let table = try catalogue.table(name)
        var definition = table.definition
        guard definition.position(named: column.name) == nil else {
            throw CRUDSQLExeError("The column exists.", code: .exists, table: name, column: column.name)
        }
        let column = try sound(column, in: name)
        if !column.isOptional, column.defaultValue == nil, try !isEmpty(table) {
            throw CRUDSQLExeError(
                "The table has rows, so a new column needs a default, or must be optional.", code: .notNull,
                table: name, column: column.name)
        }
        try checkReference(by: column, of: name)
        let id = definition.nextColumn
        definition.nextColumn += 1
        definition.columns.append(
            ColumnDescription(id: id, column: column, initialValue: column.defaultValue ?? .null))
        try definition.addLayout(orThrow: name)
        if column.foreignKey != nil { definition.addAutomaticIndex(id) }
        let changed = try put(definition)
        try checkDefault(of: column, in: changed)
        if column.foreignKey != nil, let index = changed.indexes.last { try build(index, of: changed) }
    }

    private mutating func dropColumn(_ column: String, of name: String) throws {
        var definition = try catalogue.table(name).definition
        let position = try self.position(column, in: definition)
        let id = definition.columns[position].id
        guard !definition.primaryKey.contains(id) else {
            throw CRUDSQLExeError("A column of the key cannot go.", code: .unsupported, table: name, column: column)
        }
        guard definition.columns.count > 1 else {
            throw CRUDSQLExeError("A table needs a column.", code: .unsupported, table: name, column: column)
        }
        definition.columns.remove(at: position)
        for index in definition.indexes where index.columns.contains(id) {
            try eraseIndex(index.id, of: &definition)
        }
        try definition.addLayout(orThrow: name)
        try put(definition)
    }

    private mutating func rename(_ column: String, of name: String, to new: String) throws {
        var definition = try catalogue.table(name).definition
        let position = try self.position(column, in: definition)
        guard definition.position(named: new) == nil else {
            throw CRUDSQLExeError("The column exists.", code: .exists, table: name, column: new)
        }
        definition.columns[position].column.name = new
        try put(definition)
    }

    private func position(_ column: String, in definition: TableDefinition) throws -> Int {
        guard let position = definition.position(named: column) else {
            throw CRUDSQLExeError(
                "The table has no such column.", code: .noColumn, table: definition.name, column: column)
        }
        return position
    }

    /// True if a table has no rows.
    func isEmpty(_ table: TableDescription) throws -> Bool {
        var isEmpty = true
        try transaction.forEachKey(prefix: table.rowPrefix, limit: 1) { _ in
            isEmpty = false
            return false
        }
        return isEmpty
    }

    // MARK: Indexes

    private mutating func create(_ index: IndexDefinition) throws {
        try addIndex(index)
        let table = try catalogue.table(index.table)
        // An older one may still be in construction. Its build on another thread then ends with this one.
        guard let new = table.unfinishedIndex(index) else { return }
        try build(new, of: table)
        try makeReady(new.description.id, in: index.table)
    }

    /// Adds an index in construction to the catalogue.
    ///
    /// A unique index in construction does not serve as a plain one, because duplicates may end its build.
    /// - Returns: its number; nil if it exists, or if an automatic index now serves as it.
    @discardableResult
    mutating func addIndex(_ index: IndexDefinition) throws -> UInt64? {
        var definition = try catalogue.table(index.table).definition
        var columns: [UInt64] = []
        for name in index.columns {
            let column = definition.columns[try position(name, in: definition)]
            guard column.column.type != .json else {
                throw CRUDSQLExeError(
                    "A nested value cannot be indexed.", code: .unsupported, table: index.table, column: name)
            }
            columns.append(column.id)
        }
        guard !columns.isEmpty, Set(columns).count == columns.count else {
            throw CRUDSQLExeError(
                "An index needs columns, each once.", code: .argument, table: index.table,
                column: index.columns.joined(separator: ", "))
        }
        let twins = definition.indexes.indices.filter { definition.indexes[$0].columns == columns }
        let twin = twins.first {
            let twin = definition.indexes[$0]
            return twin.isUnique == index.isUnique || twin.isUnique && twin.state == .ready
        }
        if let twin {
            guard definition.indexes[twin].isAutomatic else { return nil }
            definition.indexes[twin].isAutomatic = false
            definition.indexes[twin].name = index.sqlName
            try put(definition)
            return nil
        }
        let id = definition.nextIndex
        definition.nextIndex += 1
        definition.indexes.append(
            IndexDescription(
                id: id, name: index.sqlName, columns: columns, isUnique: index.isUnique, state: .building))
        try put(definition)
        return id
    }

    /// Removes the other indexes of an index's columns, which it replaces. A plain index does not replace a unique one.
    private mutating func removeTwins(of id: UInt64, in name: String) throws {
        var definition = try catalogue.table(name).definition
        guard let index = definition.indexes.first(where: { $0.id == id }) else { return }
        let twins = definition.indexes.filter {
            $0.columns == index.columns && $0.id != id && (index.isUnique || !$0.isUnique)
        }
        if twins.isEmpty { return }
        for twin in twins { try eraseIndex(twin.id, of: &definition) }
        try put(definition)
    }

    /// Makes a completed index available to queries.
    mutating func makeReady(_ id: UInt64, in name: String) throws {
        var definition = try catalogue.table(name).definition
        guard let position = definition.indexes.firstIndex(where: { $0.id == id }) else { return }
        definition.indexes[position].state = .ready
        try transaction.delete(KeySpace.build(definition.id, id))
        try put(definition)
        try removeTwins(of: id, in: name)
    }

    /// Removes an index and its entries.
    mutating func removeIndex(_ id: UInt64, in name: String) throws {
        var definition = try catalogue.table(name).definition
        try eraseIndex(id, of: &definition)
        try put(definition)
    }

    private mutating func dropIndex(_ columns: [String], of name: String) throws {
        var definition = try catalogue.table(name).definition
        let ids = try columns.map { definition.columns[try position($0, in: definition)].id }
        let found = definition.indexes.filter { $0.columns == ids && !$0.isAutomatic }
        guard !found.isEmpty else {
            throw CRUDSQLExeError(
                "The table has no such index.", code: .noIndex, table: name, column: columns.joined(separator: ", "))
        }
        let isNeeded = ids.count == 1 && definition.columns.contains { $0.id == ids[0] && $0.column.foreignKey != nil }
        for index in found {
            if isNeeded, !index.isUnique, index.state == .ready,
                let position = definition.indexes.firstIndex(where: { $0.id == index.id })
            {
                // The foreign key still needs the index.
                definition.indexes[position].isAutomatic = true
            } else {
                try eraseIndex(index.id, of: &definition)
            }
        }
        let added =
            isNeeded && !definition.indexes.contains { $0.columns == ids } ? definition.addAutomaticIndex(ids[0]) : nil
        let table = try put(definition)
        if let added, let index = table.indexes.first(where: { $0.description.id == added }) {
            try build(index, of: table)
        }
    }

    private func eraseIndex(_ id: UInt64, of definition: inout TableDefinition) throws {
        definition.indexes.removeAll { $0.id == id }
        try transaction.deleteRange(prefix: KeySpace.index(definition.id, id))
        try transaction.delete(KeySpace.build(definition.id, id))
    }

    /// Adds the entries of all rows of the table, in this transaction.
    private func build(_ index: TableDescription.Index, of table: TableDescription) throws {
        let writer = IndexEntries(transaction, catalogue.writePlan(table), index)
        try transaction.forEach(prefix: table.rowPrefix) { key, row in
            try writer.add(key, row)
            return true
        }
        try writer.finish()
    }
}

extension TableDefinition {
    /// Adds a layout for the current columns, if the newest one differs.
    fileprivate mutating func addLayout() {
        let layout = columns.map { LayoutColumn(id: $0.id, type: $0.column.type) }
        if layouts.last != layout { layouts.append(layout) }
    }

    fileprivate mutating func addLayout(orThrow name: String) throws {
        addLayout()
        guard layouts.count <= Int(UInt16.max) + 1 else {
            throw CRUDSQLExeError("The table has had all the columns it can have.", code: .unsupported, table: name)
        }
    }

    /// Adds an index that finds the referring rows, unless one exists.
    /// - Returns: its number, if it was added.
    @discardableResult
    fileprivate mutating func addAutomaticIndex(_ column: UInt64) -> UInt64? {
        if primaryKey == [column] || indexes.contains(where: { $0.columns == [column] }) { return nil }
        let id = nextIndex
        nextIndex += 1
        indexes.append(
            IndexDescription(id: id, name: "reference_\(column)", columns: [column], isUnique: false, isAutomatic: true)
        )
        return id
    }
}
