/// Encodes items as rows in a structure's own layout. Used by one thread at a time.
public final class RowEncoder<T: Encodable> {
    /// The structure of the rows.
    public let structure: TableStructure
    private let items: ItemEncoder

    /// An encoder.
    /// - Parameter structure: the structure of `T`.
    public init(_ structure: TableStructure) {
        self.structure = structure
        items = CoderPools.encoders.take(RowEncoder.key(structure)) { ItemEncoder(structure) }
    }

    deinit { CoderPools.encoders.give(items, RowEncoder.key(structure)) }

    private static func key(_ structure: TableStructure) -> CoderPool<ItemEncoder>.Key {
        CoderPool.Key(type: ObjectIdentifier(T.self), structure: ObjectIdentifier(structure))
    }

    /// Appends an item as a row. Columns that `encode(to:)` omits are NULL; array properties that joins fill are
    /// skipped. The engine checks NOT NULL, because it fills in keys and defaults.
    /// - Throws: ``CRUDEncoderError`` if a value does not fit its column, and the errors of `encode(to:)`. `rows` is
    ///   then unchanged.
    public func append(_ item: T, to rows: inout RowBuffer) throws {
        items.writer.begin()
        try item.encode(to: items.writer)
        try items.writer.finish(&rows)
    }
}

/// The owner of a writer.
final class ItemEncoder {
    let writer: RowWriter

    init(_ structure: TableStructure) { writer = RowWriter(structure) }

    deinit { writer.close() }
}
