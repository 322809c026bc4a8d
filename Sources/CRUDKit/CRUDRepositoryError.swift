public import Foundation

/// The errors of repositories, independent of the database.
public enum CRUDRepositoryError: Error, Hashable, Sendable {
    /// No item exists under the identifier.
    case recordNotFound(id: String)
    /// An item exists under the identifier.
    case recordAlreadyExists(id: String)
    /// The database failed; the reason is a sentence for people.
    case databaseError(reason: String)
    /// The connection to a server was lost, or the disk failed, while a change was committed: the change may have taken
    /// place, or not. It may also be visible now and be lost in a crash. The reason is a sentence for people.
    case unknownOutcome(reason: String)

    /// The database failed for an unknown reason.
    public static var databaseError: CRUDRepositoryError { .databaseError(reason: "") }
}

extension CRUDRepositoryError: LocalizedError {
    /// A description of the error, as a sentence.
    public var errorDescription: String? {
        switch self {
        case .recordNotFound(let id): "There is no record under the identifier \(Self.quoted(id))."
        case .recordAlreadyExists(let id): "There is already a record under the identifier \(Self.quoted(id))."
        case .databaseError(let reason) where reason.isEmpty: "The database failed."
        case .databaseError(let reason): "The database failed: \(reason)"
        case .unknownOutcome(let reason): "It is unknown whether the change took place: \(reason)"
        }
    }

    /// Advice for the caller.
    public var recoverySuggestion: String? {
        switch self {
        case .recordNotFound: "Create the record first, or check the spelling of its identifier."
        case .recordAlreadyExists: "Update the record instead, or choose another identifier."
        case .databaseError: nil
        case .unknownOutcome: "Read the record before you repeat the change."
        }
    }

    /// An identifier for one line of a log: control characters escaped, at most 80 scalars.
    private static func quoted(_ id: String) -> String {
        let limit = 80
        let text = String(id.unicodeScalars.prefix(limit)).debugDescription
        return id.unicodeScalars.count > limit ? "\(text)… (\(id.utf8.count) bytes)" : text
    }
}
