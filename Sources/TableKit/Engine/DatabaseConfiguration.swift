/// Selects the database of an application and its engine.
public protocol DatabaseConfigurationProtocol: Sendable {
    /// The engine that a `Database` of this configuration uses.
    var engine: any TableEngine { get }

    /// A configuration from the parts of a server's URL. Engines without a server use `name`.
    init(
        url: String?, name: String?, host: String?, port: Int?, user: String?, pass: String?
    ) throws

    /// Ends the use of the database by this configuration and its copies. A second call does nothing.
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
