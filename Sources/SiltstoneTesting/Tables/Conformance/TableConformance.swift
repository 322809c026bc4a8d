public import TableKit

/// Checks that an engine keeps the promises of typed tables. Works with any test framework or none.
///
/// ```swift
/// private let conformance = TableConformance { try MyDatabaseConfiguration(freshDirectory()) }
///
/// @Test(arguments: TableConformance<MyDatabaseConfiguration>.promises)
/// func keeps(promise: String) async throws { try await conformance.check(promise) }
/// ```
public struct TableConformance<C: DatabaseConfigurationProtocol>: Sendable {
    /// Makes the configuration of an empty database without other users.
    public typealias MakeConfiguration = @Sendable () throws -> C

    typealias Check = @Sendable (Database<C>) async throws -> Void

    private let makeConfiguration: MakeConfiguration

    /// Creates the checks.
    public init(_ makeConfiguration: @escaping MakeConfiguration) { self.makeConfiguration = makeConfiguration }

    private static var checks: [(promise: String, check: Check)] {
        classicCreates + classicChanges + classicSelects + classicJoins + classicTypes + databaseEdges + createEdges
            + findEdges + changeEdges + selectEdges + conditionEdges + orderEdges + joinEdges + typeEdges + keyEdges
            + limitEdges + beyondEdges + transactionEdges
    }

    /// The promises, as sentences.
    public static var promises: [String] { checks.map(\.promise) }

    /// Checks one promise on a new database.
    /// - Throws: ``TableConformanceFailure`` if it is broken.
    public func check(_ promise: String) async throws {
        if let failure = await failure(of: promise) { throw failure }
    }

    /// Checks every promise, even after a failure.
    /// - Returns: the failures; none for a conforming engine.
    public func failures() async -> [TableConformanceFailure] {
        var failures: [TableConformanceFailure] = []
        for promise in Self.promises {
            if let failure = await failure(of: promise) { failures.append(failure) }
        }
        return failures
    }

    /// Checks one promise.
    /// - Returns: the failure; nil if the promise is kept.
    public func failure(of promise: String) async -> TableConformanceFailure? {
        guard let check = Self.checks.first(where: { $0.promise == promise })?.check else {
            return TableConformanceFailure(promise: promise, detail: "There is no such promise.")
        }
        do {
            try await check(Database(configuration: try makeConfiguration()))
            return nil
        } catch let violation as Violation {
            return TableConformanceFailure(promise: promise, detail: violation.detail)
        } catch {
            return TableConformanceFailure(promise: promise, detail: "Unexpected error: \(error)")
        }
    }
}

/// A broken promise of typed tables, with details.
public struct TableConformanceFailure: Error, Sendable, CustomStringConvertible {
    /// The promise.
    public let promise: String
    /// The expected and the actual behaviour.
    public let detail: String

    /// The promise and the actual behaviour.
    public var description: String { "Broken promise: \(promise). \(detail)" }
}

/// Fails the check unless two values are equal.
func requireEqual<T: Equatable>(_ found: T, _ expected: T, _ what: @autoclosure () -> String = "") throws {
    if found != expected { throw Violation("\(what()) gave \(found) instead of \(expected).") }
}

/// Fails the check unless `body` throws a `TableError` with this code.
@discardableResult
func requireError(
    _ code: TableErrorCode, _ what: @autoclosure () -> String = "The statement", _ body: () throws -> Void
) throws -> any TableError {
    do { try body() } catch let error as any TableError {
        if error.code == code { return error }
        throw Violation("\(what()) threw \(error) instead of an error of code \(code).")
    } catch {
        throw Violation("\(what()) threw \(error), which is no error of tables.")
    }
    throw Violation("\(what()) did not throw an error of code \(code).")
}

/// Unwraps a value. Fails the check if it is nil.
func required<T>(_ value: T?, _ what: @autoclosure () -> String) throws -> T {
    guard let value else { throw Violation("\(what()) is missing.") }
    return value
}
