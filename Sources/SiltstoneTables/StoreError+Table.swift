import Siltstone
import TableKit

extension StoreError {
    /// The error as an error of tables.
    var asTableError: CRUDSQLExeError {
        let code: TableErrorCode =
            switch self.code {
            case .conflict: .conflict
            case .transactionEnded: .transaction
            case .closed, .locked, .notFound, .notAStore, .unsupportedFormat, .permissionDenied: .unavailable
            case .corrupt: .corrupt
            case .tooLarge, .invalidArgument: .argument
            default: .engine
            }
        return CRUDSQLExeError(description, code: code)
    }
}
