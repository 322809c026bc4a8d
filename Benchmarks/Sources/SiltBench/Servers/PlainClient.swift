/// A program that uses the C library of a server itself, as a careful one would: statements prepared once, parameters and
/// results in binary form, calls that block, buffers that are used again. It does not guard against a silent server, and
/// cannot be cancelled.
protocol PlainClient: AnyObject {
    /// Connects, and prepares its statements.
    init(_ address: String) throws
    /// The row of a key.
    func find(_ id: Int) throws -> Player?
    /// Inserts all, or none.
    func insert(_ players: [Player]) throws
    /// Ends the connection.
    func close()
}
