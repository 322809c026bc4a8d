/// Decodes single rows without copying them. Used by one thread at a time.
public final class RowDecoder<T: Decodable> {
    /// The structure of `T`.
    public let structure: TableStructure
    private let items: ItemDecoder<T>

    /// A decoder.
    /// - Parameter structure: the structure of `T`.
    public init(_ structure: TableStructure) {
        self.structure = structure
        items = ItemDecoder.take(structure)
    }

    deinit { items.giveBack() }

    /// Decodes a row. Array properties that joins fill are nil.
    /// - Throws: ``CRUDDecoderError`` with table and column, and the errors of the type's `init(from:)`.
    public func decode(_ row: RawSpan, shape: RowShape) throws -> T { try items.decode(row, shape: shape) }
}
