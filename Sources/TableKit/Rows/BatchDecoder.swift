/// Decodes the batches of a query: parents, with the arrays that joins fill. Used by one thread at a time.
///
/// A property that is joined has an array, empty where no rows belong to it; all other array properties are nil.
public final class BatchDecoder<T: Decodable> {
    /// A decoder.
    /// - Parameters:
    ///   - query: the query. Its first source is the structure of `T`.
    ///   - children: for each of ``Query/joins`` the decoder of its rows. Not used by any other decoder.
    public init(_ query: Query, children: [ChildDecoder] = []) {}

    /// Appends the items of a batch.
    /// - Throws: ``CRUDDecoderError``, which names table and column, and what a type's `init(from:)` throws; `items` has
    ///   the items before the one that failed.
    public func decode(_ batch: RowBatch, into items: inout [T]) throws {
        throw CRUDDecoderError("Batches are not decoded yet.")
    }
}
