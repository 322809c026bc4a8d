/// Decodes single rows as they lie in memory. Used by one thread at a time.
public final class RowDecoder<T: Decodable> {
    /// The structure of `T`.
    public let structure: TableStructure
    private let items: ItemDecoder<T>

    /// A decoder.
    /// - Parameter structure: that of `T`.
    public init(_ structure: TableStructure) {
        self.structure = structure
        items = ItemDecoder.take(structure)
    }

    deinit { items.giveBack() }

    /// The item that a row holds. Array properties of sub-tables are nil.
    /// - Throws: ``CRUDDecoderError``, which names table and column, and what the type's `init(from:)` throws.
    public func decode(_ row: RawSpan, shape: RowShape) throws -> T { try items.decode(row, shape: shape) }
}
