public import Foundation

/// What a repository tells its caller, whatever database is behind it.
public enum CRUDRepositoryError: Error, Hashable, Sendable {
    /// There is no item under the identifier.
    case recordNotFound(id: String)
    /// There is an item under the identifier already.
    case recordAlreadyExists(id: String)
    /// The database failed; the reason is a sentence for people.
    case databaseError(reason: String)

    /// The database failed, and nothing more is known.
    public static var databaseError: CRUDRepositoryError { .databaseError(reason: "") }
}

extension CRUDRepositoryError: LocalizedError {
    /// What happened, in a sentence.
    public var errorDescription: String? {
        switch self {
        case .recordNotFound(let id): "There is no record under the identifier \(Self.quoted(id))."
        case .recordAlreadyExists(let id): "There is already a record under the identifier \(Self.quoted(id))."
        case .databaseError(let reason) where reason.isEmpty: "The database failed."
        case .databaseError(let reason): "The database failed: \(reason)"
        }
    }

    /// What the caller can do about it.
    public var recoverySuggestion: String? {
        switch self {
        case .recordNotFound: "Create the record first, or check the spelling of its identifier."
        case .recordAlreadyExists: "Update the record instead, or choose another identifier."
        case .databaseError: nil
        }
    }

    /// An identifier fit for a line of a log: control characters escaped, and not longer than a screen.
    private static func quoted(_ id: String) -> String {
        let limit = 80
        let text = String(id.unicodeScalars.prefix(limit)).debugDescription
        return id.unicodeScalars.count > limit ? "\(text)… (\(id.utf8.count) bytes)" : text
    }
}
