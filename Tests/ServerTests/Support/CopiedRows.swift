#if PostgreSQL || MySQL
import TableKit
import Testing

/// A table whose rows are inserted together and found by key: the ways on which cells are copied without values.
struct CopiedRows {
    private let engine: any TableEngine
    private let structure: TableStructure
    private let values: [ColumnValue]

    /// Makes the table `copies`, and inserts a row for each value and one for NULL.
    init(_ values: [ColumnValue], _ type: ColumnType, in engine: any TableEngine) throws {
        self.engine = engine
        self.values = values + [.null]
        structure = TableStructure(
            name: "copies",
            columns: [
                Column("id", .int64), Column("v", type, isOptional: true), Column("t", .string, isOptional: true),
            ],
            primaryKey: [0])
        let session = try engine.begin(.serial)
        try session.alter(.createTable(structure))
        try session.commit()
        var rows = RowBuffer()
        for number in self.values.indices { try rows.append(row(number), layout: structure.layout) }
        let change = try engine.beginChange()
        let result = try change.insert(InsertStatement(structure, rows: rows))
        try change.commit()
        #expect(result.count == self.values.count)
        #expect(result.lastInsertID == Int64(self.values.count - 1))
    }

    private func row(_ number: Int) -> [ColumnValue] {
        [.integer(Int64(number)), values[number], number % 2 == 0 ? .null : .text("\(number)")]
    }

    /// Finds every row and no other one. The first look-up makes the plan, the second prepares the statement.
    func check() throws {
        for _ in 0..<3 {
            for number in values.indices {
                var found: [ColumnValue] = []
                let isFound = try engine.withRow(structure, key: [.integer(Int64(number))]) { row, shape in
                    var copy = RowBuffer()
                    copy.append(row)
                    found = try copy.values(ofRow: 0, shape)
                }
                #expect(isFound && found.count == 3)
                #expect(zip(found, row(number)).allSatisfy { areIdentical($0, $1) }, "\(found), not \(row(number))")
            }
            #expect(try !engine.withRow(structure, key: [.integer(-1)]) { _, _ in })
        }
    }
}
#endif
