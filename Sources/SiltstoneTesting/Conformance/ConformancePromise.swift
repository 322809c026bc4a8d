/// A promise of every repository; see `CRUDRepository`.
public enum ConformancePromise: String, CaseIterable, Sendable, Hashable {
    /// A created item is read back, whatever its type.
    case createdIsReadBack = "what was created is read back, whatever its type"
    /// Creating an identifier that exists throws recordAlreadyExists and changes nothing.
    case createRefusesExisting = "create of an identifier that exists throws recordAlreadyExists and changes nothing"
    /// Reading, updating and deleting a missing identifier throw recordNotFound and change nothing.
    case missingIsNotFound = "read, update and delete of a missing identifier throw recordNotFound and change nothing"
    /// An update replaces the whole item.
    case updateReplaces = "update replaces the whole item"
    /// A delete removes the item, and its identifier can be used again.
    case deleteRemoves = "delete removes the item, and its identifier can be used again"
    /// An item that cannot be encoded changes nothing.
    case failedEncodingChangesNothing = "an item that cannot be encoded changes nothing"
    /// An item that cannot be decoded as the requested type stays unchanged.
    case failedDecodingChangesNothing = "an item that cannot be decoded as the type asked for stays as it is"
    /// Any string is a distinct identifier.
    case anyIdentifierIsItsOwn = "any string is an identifier of its own"
    /// Canonically equivalent identifiers with different bytes are distinct.
    case equivalentIdentifiersAreTwo = "canonically equivalent identifiers that differ in their UTF-8 are two"
    /// Tables do not see each other's items, whatever their names.
    case tablesAreIsolated = "tables do not see each other's items, whatever their names and identifiers"
    /// Two repositories of one table see the same items.
    case tableIsShared = "two repositories of one table see the same items"
    /// Of concurrent creates of one identifier, exactly one succeeds, and its item is stored.
    case oneCreateWins = "of several creates of one identifier at once, exactly one succeeds, and its item is stored"
    /// Of concurrent deletes of one identifier, exactly one succeeds.
    case oneDeleteWins = "of several deletes of one identifier at once, exactly one succeeds"
    /// An update beside a delete does not bring the item back.
    case deletedStaysDeleted = "an update of an identifier beside its delete does not bring the item back"
    /// Concurrent operations on different identifiers do not disturb each other.
    case concurrentOperationsAreIndependent = "operations on several identifiers at once do not disturb each other"
    /// exists and upsert agree with the four operations.
    case existsAndUpsertAgree = "exists and upsert agree with the four operations"
    /// Identifiers are listed once each, ordered by their UTF-8, also page by page. Only for collections.
    case listingIsCompleteAndOrdered = "identifiers and items are listed once each in the order of their UTF-8"
    /// Batches create and delete all their items, or name the identifier that prevents it.
    case batchesAreComplete = "batches create and delete all their items, and name the identifier that hinders them"
    /// Batches that are refused change nothing. Only for a `RecordRepository`, which promises it.
    case refusedBatchesChangeNothing = "a batch that one of its identifiers prevents changes nothing"
}

/// A broken promise, with details.
public struct ConformanceFailure: Error, Sendable, CustomStringConvertible {
    /// The promise.
    public let promise: ConformancePromise
    /// The expected and the actual behaviour.
    public let detail: String

    /// The promise and the actual behaviour.
    public var description: String { "Broken promise: \(promise.rawValue). \(detail)" }
}
