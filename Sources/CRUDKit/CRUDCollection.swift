/// A repository that knows what it holds: it can list, count and change many items at once, and be used from several
/// tasks.
///
/// Only ``ids(after:limit:)`` has to be implemented; the rest follows from it and from the four operations, and can be
/// implemented better where the database helps.
public protocol CRUDCollection: CRUDRepository, Sendable {
    /// Whether there is an item under an identifier, of whatever type.
    func exists(id: CRUDRepository.ItemIdentifier) async throws -> Bool

    /// Stores an item under an identifier, whether or not that is in use.
    func upsert<T: CRUDRepository.Item>(id: CRUDRepository.ItemIdentifier, item: T) async throws

    /// How many items there are.
    func count() async throws -> Int

    /// One page of the identifiers in use, ascending by their UTF-8 bytes.
    /// - Parameters:
    ///   - identifier: the page begins with the first identifier after this one, which need not exist; nil for the
    ///     first page.
    ///   - limit: the most identifiers to return. A page that is shorter is the last.
    func ids(after identifier: CRUDRepository.ItemIdentifier?, limit: Int) async throws -> [CRUDRepository
        .ItemIdentifier]

    /// One page of identifiers and items, all of one type, ascending by the identifiers' UTF-8 bytes.
    ///
    /// A page that is empty is the last; a shorter one need not be, as items may be deleted while they are read.
    /// - Parameters:
    ///   - type: what to decode the items as.
    ///   - identifier: the page begins with the first identifier after this one; nil for the first page.
    ///   - limit: the most items to return; above 0.
    /// - Throws: whatever the decoder throws for an item of another type.
    func items<T: CRUDRepository.Item>(
        of type: T.Type, after identifier: CRUDRepository.ItemIdentifier?, limit: Int
    ) async throws -> [(id: CRUDRepository.ItemIdentifier, item: T)]

    /// Creates several items. A repository says whether it does so atomically; without a better implementation items
    /// are created one after the other, and those before a failed one stay.
    /// - Throws: ``CRUDRepositoryError/recordAlreadyExists(id:)`` for an identifier that is in use or comes twice.
    func createAll<T: CRUDRepository.Item>(_ items: [(id: CRUDRepository.ItemIdentifier, item: T)]) async throws

    /// Deletes several items. A repository says whether it does so atomically; without a better implementation items
    /// are deleted one after the other, and those before a failed one are gone.
    /// - Throws: ``CRUDRepositoryError/recordNotFound(id:)`` for an identifier that is not in use or comes twice.
    func deleteAll(ids: [CRUDRepository.ItemIdentifier]) async throws
}

extension CRUDCollection {
    /// Counts the identifiers page by page.
    public func count() async throws -> Int {
        try await ids().count
    }

    /// Reads the items of a page of identifiers one by one, without those that are deleted meanwhile.
    public func items<T: CRUDRepository.Item>(
        of type: T.Type, after identifier: CRUDRepository.ItemIdentifier?, limit: Int
    ) async throws -> [(id: CRUDRepository.ItemIdentifier, item: T)] {
        var items: [(id: CRUDRepository.ItemIdentifier, item: T)] = []
        var last = identifier
        // An empty page would say that there are no more: a page whose items are all gone is followed by the next.
        while items.isEmpty {
            let ids = try await ids(after: last, limit: limit)
            guard let final = ids.last else { break }
            last = final
            for id in ids {
                do { items.append((id, try await read(id: id))) } catch CRUDRepositoryError.recordNotFound {}
            }
        }
        return items
    }
}

extension CRUDCollection {
    /// All identifiers in use, ascending by their UTF-8 bytes.
    /// - Complexity: all of them are in memory at once; ``ids(after:limit:)`` goes page by page.
    public func ids() async throws -> [CRUDRepository.ItemIdentifier] {
        let limit = 1024
        var ids = try await ids(after: nil, limit: limit)
        var page = ids.count
        while page == limit {
            let more = try await self.ids(after: ids.last, limit: limit)
            ids += more
            page = more.count
        }
        return ids
    }

    /// All items with their identifiers, ascending by the identifiers' UTF-8 bytes.
    ///
    /// Pairs and not a dictionary: as keys of a dictionary, `String` would merge identifiers that are canonically
    /// equivalent and yet two.
    /// - Throws: whatever the decoder throws for an item of another type.
    /// - Complexity: all of them are in memory at once; ``items(of:)`` goes page by page.
    public func all<T: CRUDRepository.Item>(
        of type: T.Type = T.self
    ) async throws -> [(id: CRUDRepository.ItemIdentifier, item: T)] {
        var all: [(id: CRUDRepository.ItemIdentifier, item: T)] = []
        for try await entry in items(of: type) { all.append(entry) }
        return all
    }

    /// The items with their identifiers, ascending by the identifiers' UTF-8 bytes, read page by page as the loop
    /// goes on.
    ///
    /// ```swift
    /// for try await (id, client) in repository.items(of: Client.self) { print(id, client.name) }
    /// ```
    ///
    /// Items that are created or deleted meanwhile may or may not be seen; every other is seen exactly once.
    public func items<T: CRUDRepository.Item>(of type: T.Type) -> CRUDItems<Self, T> {
        CRUDItems(repository: self)
    }
}
