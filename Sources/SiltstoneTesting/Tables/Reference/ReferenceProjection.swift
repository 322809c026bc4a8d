import TableKit

/// Maps the rows of a table to the columns of a structure, by name.
struct ReferenceProjection {
    let structure: TableStructure
    /// For each column of the structure, its number in the catalogue; nil if the table lacks it.
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

    /// A row's values, with NULL for columns that the table lacks.
    func values(_ row: [ColumnValue]) -> [ColumnValue] { places.map { $0.map { row[$0] } ?? .null } }

    /// Appends a row in the layout of ``shape``.
    func append(_ row: [ColumnValue], to buffer: inout RowBuffer) throws {
        try buffer.append(values(row), layout: layout)
    }

    /// The result of a change of these rows.
    func result(of rows: [(key: ValueTuple, values: [ColumnValue])], isReturning: Bool) throws -> ChangeResult {
        var result = ChangeResult()
        result.count = rows.count
        if isReturning {
            result.shape = shape
            for (_, values) in rows { try append(values, to: &result.rows) }
        }
        return result
    }

    /// Throws if the table lacks one of these columns of the structure.
    func check(_ columns: some Sequence<Int>) throws { try structure.check(columns, in: places) }
}
