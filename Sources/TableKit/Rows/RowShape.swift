/// How the rows of one table are read as the columns of one structure, whatever layout each of them has.
///
/// A row names its layout. Columns are matched by the catalogue's ids, so a row that was written before a column came, went
/// or was renamed is read as it should be: with the default that the column came with, or NULL.
public final class RowShape: Sendable {
    /// The structure whose columns are read.
    public let structure: TableStructure
    private let columns: [[ShapeColumn]]

    /// The shape of rows that all have the structure's own layout, number 0.
    public convenience init(_ structure: TableStructure) {
        self.init(structure, columns: [structure.layout.slots.map(ShapeColumn.slot)])
    }

    /// - Parameters:
    ///   - structure: the columns to read.
    ///   - columns: for each layout, by number, where each of the structure's columns is.
    public init(_ structure: TableStructure, columns: [[ShapeColumn]]) {
        self.structure = structure
        self.columns = columns
    }

    /// Where each of the structure's columns is in a row, by the layout that the row names.
    /// - Throws: ``CRUDDecoderError`` with ``TableErrorCode/corrupt`` where the row has no header, or the layout is unknown.
    func columns(of row: RawSpan) throws(CRUDDecoderError) -> [ShapeColumn] {
        guard row.byteCount >= RowLayout.headerBytes else { throw RowSlot.shortRow }
        let number = unsafe row.unsafeLoadUnaligned(fromByteOffset: 2, as: UInt16.self)
        return try columns(inLayout: UInt16(littleEndian: number))
    }

    /// Where each of the structure's columns is in rows of a layout.
    /// - Throws: ``CRUDDecoderError`` with ``TableErrorCode/corrupt`` where the layout is unknown.
    public func columns(inLayout number: UInt16) throws(CRUDDecoderError) -> [ShapeColumn] {
        guard Int(number) < columns.count, columns[Int(number)].count == structure.columns.count else {
            throw CRUDDecoderError(
                "The row has layout \(number), which the catalogue does not know.", code: .corrupt,
                table: structure.name)
        }
        return columns[Int(number)]
    }
}

/// Where a column is found in the rows of one layout.
public enum ShapeColumn: Sendable, Hashable {
    /// In this slot.
    case slot(RowSlot)
    /// Not in the row, which is older than the column: this value stands for it.
    case absent(ColumnValue)
    /// Nowhere: the table lacks the column. Reading it throws, but for an optional property, which is nil.
    case missing
}
