#if PostgreSQL || MySQL
import Foundation
import TableKit
import TableSQL
import TestServers

extension SQLConnection {
    /// The rows of a statement.
    func rows(
        _ text: String, _ parameters: [SQLStatement.Parameter] = [], as types: [ColumnType], isRepeated: Bool = true
    ) throws -> [[ColumnValue]] {
        try execute(SQLStatement(text, parameters, results: types, isRepeated: isRepeated)).rows
    }

    func run(_ text: String, _ parameters: [SQLStatement.Parameter] = []) throws {
        _ = try execute(SQLStatement(text, parameters, isRepeated: false))
    }
}

/// The error of kind `SQLConnectionError` that a body throws.
func connectionError(_ body: () throws -> Void) throws -> SQLConnectionError {
    do { try body() } catch let error as SQLConnectionError { return error }
    throw ServerFailure("No SQLConnectionError was thrown.")
}

/// Whether two values are the same to the last bit: NaN is itself, -0 is not 0.
func areIdentical(_ left: ColumnValue, _ right: ColumnValue) -> Bool {
    switch (left, right) {
    case (.real(let a), .real(let b)): a.bitPattern == b.bitPattern
    case (.date(let a), .date(let b)):
        a.timeIntervalSinceReferenceDate.bitPattern == b.timeIntervalSinceReferenceDate.bitPattern
    case (.text(let a), .text(let b)), (.json(let a), .json(let b)): Array(a.utf8) == Array(b.utf8)
    default: left == right
    }
}
#endif
