import TableKit

/// The interface of tables.
final class TableClient: Client {
    private let configuration: any DatabaseConfigurationProtocol
    private let database: Database
    private let table: Table<Item, Database>

    init(_ configuration: any DatabaseConfigurationProtocol) throws {
        self.configuration = configuration
        database = Database(configuration: configuration)
        try database.create(Item.self)
        table = database.table(Item.self)
    }

    func find(_ id: Int) throws -> Item? { try table.find(id) }
    func insert(_ items: [Item]) throws { try table.insert(items) }
    func removeAll() throws { try table.delete() }
    func close() throws { try configuration.close() }
}
