/// Encodes items as rows of a structure's own layout. Used by one thread at a time.
public final class RowEncoder<T: Encodable> {
    /// The structure of the rows.
    public let structure: TableStructure
    private let writer: RowWriter

    /// An encoder.
    /// - Parameter structure: that of `T`.
    public init(_ structure: TableStructure) {
        self.structure = structure
        writer = RowWriter(structure)
    }

    deinit { writer.close() }

    /// Appends an item as a row. Columns that the item's `encode(to:)` leaves out are NULL; array properties of sub-tables
    /// are passed over. Whether columns may be NULL is for the engine to check, which knows what keys and defaults fill in.
    /// - Throws: ``CRUDEncoderError`` where a value does not fit its column, and what `encode(to:)` throws; `rows` is
    ///   unchanged then.
    public func append(_ item: T, to rows: inout RowBuffer) throws {
        writer.begin()
        try item.encode(to: writer)
        try writer.finish(&rows)
    }
}
