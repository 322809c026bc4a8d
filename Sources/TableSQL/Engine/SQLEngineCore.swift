import TableKit

/// What the sessions of one engine share.
package final class SQLEngineCore: Sendable {
    package let dialect: any SchemaDialect
    package let threads: WorkerThreads
    package let catalogue = CatalogueCache()
    package let watch = TableWatch()
    /// Makes a connection outside of the pool.
    let connect: @Sendable () throws -> any SQLConnection

    package init(
        _ dialect: any SchemaDialect, _ threads: WorkerThreads,
        connect: @escaping @Sendable () throws -> any SQLConnection
    ) {
        self.dialect = dialect
        self.threads = threads
        self.connect = connect
    }

    /// Notes an error that says that the catalogue is not as it was read.
    func note(_ error: SQLConnectionError) {
        switch error.code {
        case .noTable, .noColumn, .exists: catalogue.forget()
        default: break
        }
    }
}
