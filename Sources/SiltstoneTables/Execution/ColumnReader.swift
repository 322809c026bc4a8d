import TableKit

/// Reads one column of rows. Used by one thread at a time.
final class ColumnReader {
    private let column: Int
    private let shape: RowShape
    /// The position of the column in the last layout.
    private var place: ShapeColumn?
    private var layout: UInt16 = 0

    init(_ column: Int, shape: RowShape) {
        self.column = column
        self.shape = shape
    }

    /// The slot of the column in a row, or its constant value if the row is older than the column.
    @inline(__always)
    func place(in row: RawSpan) throws -> ShapeColumn {
        guard row.byteCount >= RowLayout.headerBytes else { throw RowSlot.damaged(shape) }
        let number = unsafe UInt16(littleEndian: row.unsafeLoadUnaligned(fromByteOffset: 2, as: UInt16.self))
        if let place, number == layout { return place }
        let found = try shape.columns(inLayout: number)[column]
        (place, layout) = (found, number)
        return found
    }

    /// The column's value.
    func value(in row: RawSpan) throws -> ColumnValue {
        switch try place(in: row) {
        case .slot(let slot): try slot.value(in: row)
        case .absent(let value): value
        case .missing: throw CRUDSQLGenError.missingColumn(shape.structure.name)
        }
    }
}
