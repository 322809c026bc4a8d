extension RowBuffer {
    /// The values of a row, one for each column of the shape's structure. A general, slow form for SQL and tools.
    /// - Throws: ``CRUDDecoderError``: ``TableErrorCode/corrupt``; ``TableErrorCode/noColumn`` if the table lacks a
    ///   column that is not optional.
    public func values(ofRow row: Int, _ shape: RowShape) throws(CRUDDecoderError) -> [ColumnValue] {
        try withRow(row) { bytes throws(CRUDDecoderError) in
            try shape.values(shape.structure.columns.indices, in: bytes)
        }
    }
}

extension RowShape {
    /// The values of some columns of a row, by column number.
    /// - Throws: ``CRUDDecoderError``: ``TableErrorCode/corrupt``; ``TableErrorCode/noColumn`` if the table lacks a
    ///   column that is not optional.
    func values(_ columns: some Collection<Int>, in row: RawSpan) throws(CRUDDecoderError) -> [ColumnValue] {
        let places = try self.columns(of: row)
        var values: [ColumnValue] = []
        values.reserveCapacity(columns.count)
        for column in columns {
            switch places[column] {
            case .slot(let slot): values.append(try slot.value(in: row))
            case .absent(let value): values.append(value)
            case .missing where structure.columns[column].isOptional: values.append(.null)
            case .missing:
                throw CRUDDecoderError(
                    "The table lacks the column.", code: .noColumn, table: structure.name,
                    column: structure.columns[column].name)
            }
        }
        return values
    }
}
