import CRUDKit

/// The failure of a check.
struct Violation: Error {
    let detail: String

    init(_ detail: String) { self.detail = detail }
}

/// Fails the check unless a condition holds.
func require(_ condition: Bool, _ detail: @autoclosure () -> String) throws {
    if !condition { throw Violation(detail()) }
}

/// Fails the check unless `body` throws `recordNotFound` for the identifier.
func requireNotFound(_ id: String, _ what: String, _ body: () async throws -> Void) async throws {
    do {
        try await body()
    } catch CRUDRepositoryError.recordNotFound(let other) {
        return try require(
            sameBytes(other, id), "\(what) \(quoted(id)) threw recordNotFound for \(quoted(other)).")
    } catch {
        throw Violation("\(what) \(quoted(id)) threw \(error) instead of recordNotFound.")
    }
    throw Violation("\(what) \(quoted(id)) did not throw recordNotFound.")
}

/// Fails the check unless `body` throws `recordAlreadyExists` for the identifier.
func requireAlreadyExists(_ id: String, _ what: String, _ body: () async throws -> Void) async throws {
    do {
        try await body()
    } catch CRUDRepositoryError.recordAlreadyExists(let other) {
        return try require(
            sameBytes(other, id), "\(what) \(quoted(id)) threw recordAlreadyExists for \(quoted(other)).")
    } catch {
        throw Violation("\(what) \(quoted(id)) threw \(error) instead of recordAlreadyExists.")
    }
    throw Violation("\(what) \(quoted(id)) did not throw recordAlreadyExists.")
}

/// Whether two strings have the same UTF-8.
func sameBytes(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }

/// An identifier for messages, escaped and shortened.
func quoted(_ id: String) -> String {
    let text = String(id.unicodeScalars.prefix(60)).unicodeScalars.map { $0.escaped(asASCII: true) }.joined()
    return "\"\(text)\"" + (id.unicodeScalars.count > 60 ? "… (\(id.utf8.count) bytes)" : "")
}

extension CRUDRepository {
    /// Fails the check unless the identifier has this item.
    func expect<T: CRUDRepository.Item & Equatable>(_ item: T, id: String, _ when: String) async throws {
        let found: T
        do { found = try await read(id: id) } catch {
            throw Violation("read of \(quoted(id)) \(when) threw \(error).")
        }
        try require(found == item, "read of \(quoted(id)) \(when) returned \(found) instead of \(item).")
    }

    /// Fails the check unless read, update and delete all report the identifier as missing.
    func expectMissing(id: String) async throws {
        try await requireNotFound(id, "read of") { let _: String = try await read(id: id) }
        try await requireNotFound(id, "update of") { try await update(id: id, item: "updated") }
        try await requireNotFound(id, "read, after a failed update, of") { let _: String = try await read(id: id) }
        try await requireNotFound(id, "delete of") { try await delete(id: id) }
    }
}
