import TableKit

/// The mapping between the columns of a structure and those of its table. Created once for each structure and version
/// of the catalogue.
final class TableBinding: Sendable {
    let structure: TableStructure
    let table: TableDescription
    /// For each column of the structure, its position in the table. Nil: the table lacks it.
    let positions: [Int?]
    /// For each column of the table, its number in the structure. Nil: the structure lacks it.
    let numbers: [Int?]
    /// Reads stored rows as the structure's columns.
    let shape: RowShape
    /// The columns of the table's key, in key order, without those that the structure's key lacks.
    let keyParts: [KeyPart]
    /// The numbers of the key's columns in the structure. Nil if it lacks one, or if the table has no key.
    let keyColumns: [Int]?
    /// True if the structure's key names exactly the columns of the table's key, in any order. Otherwise ``rowKey(_:)``
    /// cannot find a row by the structure's key.
    let hasTablesKey: Bool
    /// True if the structure's layout equals the newest layout except for its number.
    let hasNewestSlots: Bool
    /// The columns of all tables that refer to this one.
    let references: [(table: TableDescription, column: Int)]

    /// A column of a table's key.
    struct KeyPart: Sendable {
        let type: ColumnType
        /// Its index in the structure's key, which may have another order.
        let place: Int
    }

    init(_ structure: TableStructure, _ table: TableDescription, in catalogue: Catalogue) {
        self.structure = structure
        self.table = table
        let byName = Dictionary(
            table.columns.enumerated().map { ($1.column.name, $0) }, uniquingKeysWith: { first, _ in first })
        let positions = structure.columns.map { byName[$0.name] }
        self.positions = positions
        numbers = table.columns.map { structure.number(of: $0.column.name) }
        shape = RowShape(structure, columns: table.shapeColumns(positions))
        let keys = table.primaryKey.compactMap { structure.number(of: table.columns[$0].column.name) }
        keyColumns = !keys.isEmpty && keys.count == table.primaryKey.count ? keys : nil
        keyParts = table.primaryKey.compactMap { position in
            let column = table.columns[position].column
            let place = structure.primaryKey.firstIndex { structure.columns[$0].name == column.name }
            return place.map { KeyPart(type: column.type, place: $0) }
        }
        hasTablesKey =
            !table.primaryKey.isEmpty && keyParts.count == table.primaryKey.count
            && keyParts.count == structure.primaryKey.count
        hasNewestSlots =
            positions == table.columns.indices.map(Optional.some)
            && structure.layout.hasSameSlots(as: table.newestLayout)
        references = catalogue.references(to: table.name)
    }

    /// The numbers of an index's columns in the structure. Nil for missing ones.
    func columns(of index: TableDescription.Index) -> [Int?] { index.columns.map { numbers[$0] } }
}

extension TableDescription {
    /// For each layout, by number, the positions of columns in its rows.
    /// - Parameter positions: the columns' positions in ``columns``. Nil: the table lacks the column.
    func shapeColumns(_ positions: [Int?]) -> [[ShapeColumn]] {
        zip(definition.layouts, layouts).map { columns, layout in
            positions.map { position in
                guard let position else { return .missing }
                guard let slot = columns.firstIndex(where: { $0.id == self.columns[position].id }) else {
                    return .absent(self.columns[position].initialValue)
                }
                return .slot(layout.slots[slot])
            }
        }
    }
}

extension TableBinding {
    /// Encodes the key of a row from the values of the structure's key, which must be the table's (``hasTablesKey``).
    /// Returns nil if no row can have them: a value is NULL, or does not fit its column's type.
    /// - Throws: `TableErrorCode.argument` if the number of values is wrong.
    func rowKey(_ values: [ColumnValue]) throws -> KeyEncoder? {
        try checkCount(of: values)
        let key = KeyEncoder(table.rowPrefix)
        for part in keyParts {
            guard let value = values[part.place].fitting(part.type), !value.isNull else { return nil }
            key.append(value)
        }
        return key
    }

    /// The query for the rows whose columns of the structure's key have these values.
    /// - Throws: `TableErrorCode.argument` if the number of values is wrong.
    func keyQuery(_ values: [ColumnValue]) throws -> Query {
        try checkCount(of: values)
        var query = Query(structure)
        query.predicate = .and(
            zip(structure.primaryKey, values).map { .compare(ColumnReference(column: $0), .equal, $1) })
        query.isDistinct = false
        query.limit = RowLimit(count: 1)
        return query
    }

    private func checkCount(of values: [ColumnValue]) throws {
        guard values.count == structure.primaryKey.count else {
            throw CRUDSQLExeError(
                "The key has \(structure.primaryKey.count) columns, but \(values.count) values were given.",
                code: .argument, table: table.name)
        }
    }
}
