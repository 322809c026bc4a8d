/// A repository that can list and count its items, change many at once, and be used from several tasks.
///
/// Only ``ids(after:limit:)`` must be implemented. The other functions have default implementations, which a database
/// can replace by better ones.
public protocol CRUDCollection: CRUDRepository, Sendable {
    /// Whether an item of any type exists under an identifier.
    func exists(id: CRUDRepository.ItemIdentifier) async throws -> Bool

    /// Stores an item under an identifier, new or not.
    func upsert<T: CRUDRepository.Item>(id: CRUDRepository.ItemIdentifier, item: T) async throws

    /// The number of items.
    func count() async throws -> Int

    /// A page of identifiers, ascending by their UTF-8 bytes.
    /// - Parameters:
    ///   - identifier: the page starts at the first identifier after this one, which need not exist; nil for the first
    ///     page.
    ///   - limit: the most identifiers to return. A shorter page is the last.
    func ids(after identifier: CRUDRepository.ItemIdentifier?, limit: Int) async throws -> [CRUDRepository
        .ItemIdentifier]

    /// A page of identifiers and items, all of one type, ascending by the identifiers' UTF-8 bytes.
    ///
    /// An empty page is the last. A shorter one need not be, because items may be deleted during the read.
    /// - Parameters:
    ///   - type: the type of the items.
    ///   - identifier: the page starts at the first identifier after this one; nil for the first page.
    ///   - limit: the most items to return; above 0.
    /// - Throws: the decoder's error for an item of another type.
    func items<T: CRUDRepository.Item>(
        of type: T.Type, after identifier: CRUDRepository.ItemIdentifier?, limit: Int
    ) async throws -> [(id: CRUDRepository.ItemIdentifier, item: T)]

    /// Creates several items. Repositories document whether this is atomic. The default implementation creates items
    /// one after the other, and keeps those before a failure.
    /// - Throws: ``CRUDRepositoryError/recordAlreadyExists(id:)`` for an identifier that exists or is repeated.
    func createAll<T: CRUDRepository.Item>(_ items: [(id: CRUDRepository.ItemIdentifier, item: T)]) async throws

    /// Deletes several items. Repositories document whether this is atomic. The default implementation deletes items
    /// one after the other, and does not restore those before a failure.
    /// - Throws: ``CRUDRepositoryError/recordNotFound(id:)`` for an identifier that does not exist or is repeated.
    func deleteAll(ids: [CRUDRepository.ItemIdentifier]) async throws
}

extension CRUDCollection {
    /// Counts the identifiers page by page.
    public func count() async throws -> Int {
        try await ids().count
    }

    /// Reads the items of a page of identifiers one by one. Skips items that are deleted meanwhile.
    public func items<T: CRUDRepository.Item>(
        of type: T.Type, after identifier: CRUDRepository.ItemIdentifier?, limit: Int
    ) async throws -> [(id: CRUDRepository.ItemIdentifier, item: T)] {
        var items: [(id: CRUDRepository.ItemIdentifier, item: T)] = []
        var last = identifier
        // An empty page means the end, so a page whose items are all deleted is followed by the next.
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
    /// All identifiers, ascending by their UTF-8 bytes.
    /// - Complexity: O(*n*) memory; ``ids(after:limit:)`` reads page by page.
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
    /// Pairs, because a dictionary with `String` keys would merge identifiers that are canonically equivalent but
    /// differ in their bytes.
    /// - Throws: the decoder's error for an item of another type.
    /// - Complexity: O(*n*) memory; ``items(of:)`` reads page by page.
    public func all<T: CRUDRepository.Item>(
        of type: T.Type = T.self
    ) async throws -> [(id: CRUDRepository.ItemIdentifier, item: T)] {
        var all: [(id: CRUDRepository.ItemIdentifier, item: T)] = []
        for try await entry in items(of: type) { all.append(entry) }
        return all
    }

    /// The items with their identifiers, ascending by the identifiers' UTF-8 bytes, read page by page during the loop.
    ///
    /// ```swift
    /// for try await (id, client) in repository.items(of: Client.self) { print(id, client.name) }
    /// ```
    ///
    /// Items that are created or deleted meanwhile may be missing; every other item appears exactly once.
    public func items<T: CRUDRepository.Item>(of type: T.Type) -> CRUDItems<Self, T> {
        CRUDItems(repository: self)
    }
}
