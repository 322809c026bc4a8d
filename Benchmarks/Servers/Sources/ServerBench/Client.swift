/// One way to a database: the interface of tables, or the database's own C library as a careful program would use it.
///
/// Both do the same: the same statements, in transactions of the same isolation, over one connection.
protocol Client: AnyObject {
    /// The row of a key, decoded.
    func find(_ id: Int) throws -> Item?
    /// Stores rows in one transaction.
    func insert(_ items: [Item]) throws
    /// Removes all rows.
    func removeAll() throws
    func close() throws
}

/// A database with the ways to it.
struct Contestant {
    var name: String
    var tables: any Client
    /// The plain library; nil where there is none to compare with.
    var plain: (any Client)?
    /// Stops the server.
    var stop: () -> Void = {}
}

struct BenchmarkFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
