/// Which database: what an application changes to change its database.
public protocol DatabaseConfigurationProtocol: Sendable {
    /// The engine that a `Database` of this configuration uses.
    var engine: any TableEngine { get }

    /// A configuration from the parts of a URL, as drivers of servers take them. Engines that know no servers use `name`.
    init(
        url: String?, name: String?, host: String?, port: Int?, user: String?, pass: String?
    ) throws

    /// Ends the use of the database by this configuration and its copies. Again: does nothing.
    func close() throws

    /// As the synchronous form, for tasks.
    func close() async throws
}

extension DatabaseConfigurationProtocol {
    /// Does nothing: for engines that keep nothing open.
    public func close() throws {}

    /// Does nothing: for engines that keep nothing open.
    public func close() async throws {}
}
