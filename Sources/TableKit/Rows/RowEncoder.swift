/// Encodes items as rows of a structure's own layout. Used by one thread at a time.
public final class RowEncoder<T: Encodable> {
    /// The structure of the rows.
    public let structure: TableStructure
    private let items: ItemEncoder

    /// An encoder.
    /// - Parameter structure: that of `T`.
    public init(_ structure: TableStructure) {
        self.structure = structure
        items = CoderPools.encoders.take(RowEncoder.key(structure)) { ItemEncoder(structure) }
    }

    deinit { CoderPools.encoders.give(items, RowEncoder.key(structure)) }

    private static func key(_ structure: TableStructure) -> CoderPool<ItemEncoder>.Key {
        CoderPool.Key(type: ObjectIdentifier(T.self), structure: ObjectIdentifier(structure))
    }

    /// Appends an item as a row. Columns that the item's `encode(to:)` leaves out are NULL; array properties of sub-tables
    /// are passed over. Whether columns may be NULL is for the engine to check, which knows what keys and defaults fill in.
    /// - Throws: ``CRUDEncoderError`` where a value does not fit its column, and what `encode(to:)` throws; `rows` is
    ///   unchanged then.
    public func append(_ item: T, to rows: inout RowBuffer) throws {
        items.writer.begin()
        try item.encode(to: items.writer)
        try items.writer.finish(&rows)
    }
}

/// Owns a writer.
final class ItemEncoder {
    let writer: RowWriter

    init(_ structure: TableStructure) { writer = RowWriter(structure) }

    deinit { writer.close() }
}
