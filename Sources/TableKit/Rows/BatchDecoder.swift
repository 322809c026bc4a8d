/// Decodes the batches of a query: parents with the arrays that joins fill. Used by one thread at a time.
///
/// A joined property gets an array, empty if no rows match. All other array properties are nil.
public final class BatchDecoder<T: Decodable> {
    private let parents: ItemDecoder<T>
    private let children: [ChildDecoder]

    /// A decoder.
    /// - Parameters:
    ///   - query: the query. Its first source is the structure of `T`.
    ///   - children: for each of ``Query/joins`` the decoder of its rows. No other decoder may use them.
    public init(_ query: Query, children: [ChildDecoder] = []) {
        let parents = ItemDecoder<T>.take(query.sources[0])
        self.parents = parents
        self.children = children
        // The readers of tables with joined arrays, by source.
        var readers = [0: parents.reader]
        for (join, child) in zip(query.joins, children) {
            guard let (reader, arrays) = child.open(query.sources[join.source]) else { continue }
            readers[join.source] = reader
            guard let parent = readers[join.parent], let number = parent.names.numbers[join.property],
                number >= parent.columnCount
            else { continue }
            parent.arrays[number - parent.columnCount] = arrays
        }
    }

    deinit { parents.giveBack() }

    /// Appends the items of a batch.
    /// - Throws: ``CRUDDecoderError`` with table and column, and the errors of the type's `init(from:)`. `items` then
    ///   has the items before the one that failed.
    public func decode(_ batch: RowBatch, into items: inout [T]) throws {
        try decodeChildren(batch)
        try parents.decode(batch.rows, shape: batch.shape, into: &items)
    }

    /// Replaces the items of a queue by those of a batch.
    /// - Throws: see ``decode(_:into:)``.
    func decode(_ batch: RowBatch, into items: ItemQueue<T>) throws {
        try decodeChildren(batch)
        try parents.decode(batch.rows, shape: batch.shape, into: items)
    }

    private func decodeChildren(_ batch: RowBatch) throws {
        // A join follows the join that it starts from, so the reverse order decodes children before their parents.
        for (child, joined) in zip(children, batch.joined).reversed() { try child.decode(joined) }
    }
}
