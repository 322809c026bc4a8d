/// The items of a ``CRUDCollection`` with their identifiers, ascending by the identifiers' UTF-8 bytes.
///
/// At most one page of items is in memory. Each iteration reads the items anew.
public struct CRUDItems<Repository: CRUDCollection, Item: CRUDRepository.Item>: AsyncSequence, Sendable {
    /// An identifier and its item.
    public typealias Element = (id: CRUDRepository.ItemIdentifier, item: Item)

    let repository: Repository

    /// Starts at the first identifier.
    public func makeAsyncIterator() -> Iterator { Iterator(repository: repository) }

    /// Iterates over the items.
    public struct Iterator: AsyncIteratorProtocol {
        private let repository: Repository
        private var page: [Element] = []
        private var position = 0
        // Small at first, so that the first item comes soon. Then larger, because some repositories list all
        // identifiers for each page.
        private var limit = 32
        private var last: CRUDRepository.ItemIdentifier?
        private var isAtEnd = false

        init(repository: Repository) { self.repository = repository }

        /// The next identifier and item; nil at the end.
        /// - Throws: the error of the repository or its decoder.
        public mutating func next() async throws -> Element? {
            if position == page.count {
                if isAtEnd { return nil }
                try Task.checkCancellation()
                isAtEnd = true
                page = try await repository.items(of: Item.self, after: last, limit: limit)
                position = 0
                guard let end = page.last else { return nil }
                isAtEnd = false
                last = end.id
                limit = Swift.min(limit * 2, 1024)
            }
            defer { position += 1 }
            return page[position]
        }
    }
}
