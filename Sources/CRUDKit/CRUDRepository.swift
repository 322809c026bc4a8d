/// A table of items under identifiers, in memory, files or a database.
///
/// The protocol has four operations: create, read, update and delete, each for any `Codable` type. Code against it
/// changes its database by changing one initializer. Every repository of this package, and every adapter that passes
/// the conformance checks of `SiltstoneTesting`, keeps these promises:
///
/// - ``create(id:item:)`` of an identifier that exists throws ``CRUDRepositoryError/recordAlreadyExists(id:)`` and
///   changes nothing. Of concurrent calls for one identifier, exactly one succeeds.
/// - ``read(id:)``, ``update(id:item:)`` and ``delete(id:)`` of an identifier that does not exist throw
///   ``CRUDRepositoryError/recordNotFound(id:)``.
/// - An acknowledged item can be read until it is updated or deleted.
/// - An operation that throws, for instance because an item cannot be encoded, has changed nothing. The exception is
///   ``CRUDRepositoryError/unknownOutcome(reason:)``: the connection to a server was lost, or the disk failed, after
///   the change had begun. The change may have taken place, or not; of a batch in files, perhaps a part.
/// - An identifier may be any string: empty, long, with slashes, dots or null characters. A database may refuse one of
///   thousands of bytes with an error of its own, before anything changes. Two identifiers are equal only if their
///   UTF-8 bytes are. `String` also equates composed and decomposed characters, so it must not be a dictionary's key.
/// - Tables do not see each other's items, whatever their names.
///
/// ```swift
/// let repository = FileSystemRepository(directoryName: "Clients")
/// try await repository.create(id: "client", item: Client(name: "Chill Client"))
/// let client: Client = try await repository.read(id: "client")
/// ```
public protocol CRUDRepository {
    /// An item that can be stored.
    typealias Item = Codable
    /// The key of an item: any string, compared by its UTF-8 bytes.
    typealias ItemIdentifier = String

    /// Stores an item under a new identifier.
    /// - Throws: ``CRUDRepositoryError/recordAlreadyExists(id:)``, or an error of the encoder or the database.
    func create<T: CRUDRepository.Item>(id: CRUDRepository.ItemIdentifier, item: T) async throws

    /// The item under an identifier.
    /// - Throws: ``CRUDRepositoryError/recordNotFound(id:)``, or an error of the decoder or the database.
    func read<T: CRUDRepository.Item>(id: CRUDRepository.ItemIdentifier) async throws -> T

    /// Replaces the item under an identifier, which may have had another type.
    /// - Throws: ``CRUDRepositoryError/recordNotFound(id:)``, or an error of the encoder or the database.
    func update<T: CRUDRepository.Item>(id: CRUDRepository.ItemIdentifier, item: T) async throws

    /// Removes the item under an identifier.
    /// - Throws: ``CRUDRepositoryError/recordNotFound(id:)``, or an error of the database.
    func delete(id: CRUDRepository.ItemIdentifier) async throws
}
