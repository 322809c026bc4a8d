/// Decodes the batches of a query: parents, with the arrays that joins fill. Used by one thread at a time.
///
/// A property that is joined has an array, empty where no rows belong to it; all other array properties are nil.
public final class BatchDecoder<T: Decodable> {
    private let parents: ItemDecoder<T>
    private let children: [ChildDecoder]

    /// A decoder.
    /// - Parameters:
    ///   - query: the query. Its first source is the structure of `T`.
    ///   - children: for each of ``Query/joins`` the decoder of its rows. Not used by any other decoder.
    public init(_ query: Query, children: [ChildDecoder] = []) {
        let parents = ItemDecoder<T>.take(query.sources[0])
        self.parents = parents
        self.children = children
        // The readers of the tables that have arrays to fill, by source.
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
    /// - Throws: ``CRUDDecoderError``, which names table and column, and what a type's `init(from:)` throws; `items` has
    ///   the items before the one that failed.
    public func decode(_ batch: RowBatch, into items: inout [T]) throws {
        try decodeChildren(batch)
        try parents.decode(batch.rows, shape: batch.shape, into: &items)
    }

    /// Puts the items of a batch into a queue, instead of those that are left in it.
    /// - Throws: as the other form.
    func decode(_ batch: RowBatch, into items: ItemQueue<T>) throws {
        try decodeChildren(batch)
        try parents.decode(batch.rows, shape: batch.shape, into: items)
    }

    private func decodeChildren(_ batch: RowBatch) throws {
        // A join comes after the one that it starts from: in reverse, children are there before their parents.
        for (child, joined) in zip(children, batch.joined).reversed() { try child.decode(joined) }
    }
}
