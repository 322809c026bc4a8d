/// The mapping of a table's rows to the columns of one structure, for every layout of the table.
///
/// A row names its layout. Columns are matched by catalogue ids. A row written before a column was added, dropped or
/// renamed therefore reads correctly: an added column has its default at the time, or NULL.
public final class RowShape: Sendable {
    /// The structure whose columns are read.
    public let structure: TableStructure
    private let columns: [[ShapeColumn]]

    /// The shape of rows in the structure's own layout, number 0.
    public convenience init(_ structure: TableStructure) {
        self.init(structure, columns: [structure.layout.slots.map(ShapeColumn.slot)])
    }

    /// - Parameters:
    ///   - structure: the columns to read.
    ///   - columns: for each layout, by number, the position of each of the structure's columns.
    public init(_ structure: TableStructure, columns: [[ShapeColumn]]) {
        self.structure = structure
        self.columns = columns
    }

    /// The positions of the structure's columns in a row, by the layout in its header.
    /// - Throws: ``CRUDDecoderError`` with ``TableErrorCode/corrupt`` if the header or the layout is invalid.
    func columns(of row: RawSpan) throws(CRUDDecoderError) -> [ShapeColumn] {
        guard row.byteCount >= RowLayout.headerBytes else { throw RowSlot.shortRow }
        let number = unsafe row.unsafeLoadUnaligned(fromByteOffset: 2, as: UInt16.self)
        return try columns(inLayout: UInt16(littleEndian: number))
    }

    /// The positions of the structure's columns in rows of a layout.
    /// - Throws: ``CRUDDecoderError`` with ``TableErrorCode/corrupt`` if the layout is unknown.
    public func columns(inLayout number: UInt16) throws(CRUDDecoderError) -> [ShapeColumn] {
        guard Int(number) < columns.count, columns[Int(number)].count == structure.columns.count else {
            throw CRUDDecoderError(
                "The row has layout \(number), which the catalogue does not know.", code: .corrupt,
                table: structure.name)
        }
        return columns[Int(number)]
    }
}

/// The position of a column in the rows of one layout.
public enum ShapeColumn: Sendable, Hashable {
    /// The column has this slot.
    case slot(RowSlot)
    /// The row is older than the column. This value replaces it.
    case absent(ColumnValue)
    /// The table lacks the column. Reading it throws, except for an optional property, which is nil.
    case missing
}
