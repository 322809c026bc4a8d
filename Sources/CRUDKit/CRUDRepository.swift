/// A table of items under identifiers, whatever keeps it: memory, files, a database.
///
/// The four operations of the name, each for any `Codable` type. Code that is written against this protocol can change
/// its database by changing one initializer. Every repository of this package, and every adapter that passes the
/// conformance checks of `SiltstoneTesting`, keeps these promises:
///
/// - ``create(id:item:)`` of an identifier that exists throws ``CRUDRepositoryError/recordAlreadyExists(id:)`` and
///   changes nothing. Of several that run at once for one identifier, exactly one succeeds.
/// - ``read(id:)``, ``update(id:item:)`` and ``delete(id:)`` of an identifier that does not exist throw
///   ``CRUDRepositoryError/recordNotFound(id:)``.
/// - What was acknowledged is read back, until it is updated or deleted.
/// - An operation that throws, because an item cannot be encoded, say, has changed nothing.
/// - An identifier may be any string: empty, long, with slashes, dots or null characters. Two identifiers are one and
///   the same only if their UTF-8 is; `String` itself also equates composed and decomposed characters, and so must not
///   be a dictionary's key.
/// - Tables do not see each other's items, whatever their names.
///
/// ```swift
/// let repository = FileSystemRepository(directoryName: "Clients")
/// try await repository.create(id: "client", item: Client(name: "Chill Client"))
/// let client: Client = try await repository.read(id: "client")
/// ```
public protocol CRUDRepository {
    /// What can be stored.
    typealias Item = Codable
    /// What an item is stored under: any string, compared by its UTF-8.
    typealias ItemIdentifier = String

    /// Stores an item under an identifier that is not in use.
    /// - Throws: ``CRUDRepositoryError/recordAlreadyExists(id:)``, or whatever the encoder or the database throws.
    func create<T: CRUDRepository.Item>(id: CRUDRepository.ItemIdentifier, item: T) async throws

    /// The item under an identifier.
    /// - Throws: ``CRUDRepositoryError/recordNotFound(id:)``, or whatever the decoder or the database throws.
    func read<T: CRUDRepository.Item>(id: CRUDRepository.ItemIdentifier) async throws -> T

    /// Puts an item in the place of the one that is stored, which may have been of another type.
    /// - Throws: ``CRUDRepositoryError/recordNotFound(id:)``, or whatever the encoder or the database throws.
    func update<T: CRUDRepository.Item>(id: CRUDRepository.ItemIdentifier, item: T) async throws

    /// Removes the item under an identifier.
    /// - Throws: ``CRUDRepositoryError/recordNotFound(id:)``, or whatever the database throws.
    func delete(id: CRUDRepository.ItemIdentifier) async throws
}
