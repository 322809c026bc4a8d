import TableKit

/// What the sessions of one engine share.
package final class SQLEngineCore: Sendable {
    package let dialect: any SchemaDialect
    package let threads: WorkerThreads
    package let catalogue = CatalogueCache()
    package let watch = TableWatch()

    package init(_ dialect: any SchemaDialect, _ threads: WorkerThreads) {
        self.dialect = dialect
        self.threads = threads
    }

    /// Notes an error that says that the catalogue is not as it was read.
    func note(_ error: SQLConnectionError) {
        switch error.code {
        case .noTable, .noColumn, .exists: catalogue.forget()
        default: break
        }
    }
}
