import TableKit

/// The rows of a table as a structure has them: columns are matched by name.
struct ReferenceProjection {
    let structure: TableStructure
    /// The number in the catalogue of each of the structure's columns. Nil: the table lacks it.
    let places: [Int?]
    let shape: RowShape
    private let layout: RowLayout

    init(_ structure: TableStructure, of table: ReferenceTable) {
        self.structure = structure
        let places = structure.columns.map { table.structure.number(of: $0.name) }
        self.places = places
        let layout = RowLayout(
            number: 0,
            types: zip(places, structure.columns).map { place, column in
                place.map { table.structure.columns[$0].type } ?? column.type
            })
        self.layout = layout
        shape = RowShape(
            structure,
            columns: [zip(places, layout.slots).map { place, slot in place == nil ? .missing : .slot(slot) }])
    }

    /// A row's values. Columns that the table lacks are NULL.
    func values(_ row: [ColumnValue]) -> [ColumnValue] { places.map { $0.map { row[$0] } ?? .null } }

    /// Appends a row, as the shape reads it.
    func append(_ row: [ColumnValue], to buffer: inout RowBuffer) throws {
        try buffer.append(values(row), layout: layout)
    }

    /// Throws where the table lacks one of the structure's columns.
    func check(_ columns: some Sequence<Int>) throws {
        for column in columns {
            guard structure.columns.indices.contains(column) else {
                throw CRUDSQLExeError("Column number \(column) is none.", code: .noColumn, table: structure.name)
            }
            guard places[column] == nil else { continue }
            throw CRUDSQLExeError(
                "The table has no such column.", code: .noColumn, table: structure.name,
                column: structure.columns[column].name)
        }
    }
}
