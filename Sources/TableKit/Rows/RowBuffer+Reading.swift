extension RowBuffer {
    /// The values of a row, one for each column of the shape's structure: the general way, for SQL and tools.
    /// - Throws: ``CRUDDecoderError``: ``TableErrorCode/corrupt``; ``TableErrorCode/noColumn`` where the table lacks a column
    ///   that is not optional.
    public func values(ofRow row: Int, _ shape: RowShape) throws(CRUDDecoderError) -> [ColumnValue] {
        try withRow(row) { bytes throws(CRUDDecoderError) in
            var values: [ColumnValue] = []
            for (column, place) in zip(shape.structure.columns, try shape.columns(of: bytes)) {
                switch place {
                case .slot(let slot): values.append(try slot.value(in: bytes))
                case .absent(let value): values.append(value)
                case .missing where column.isOptional: values.append(.null)
                case .missing:
                    throw CRUDDecoderError(
                        "The table lacks the column.", code: .noColumn, table: shape.structure.name, column: column.name
                    )
                }
            }
            return values
        }
    }
}
