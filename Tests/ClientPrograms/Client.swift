/// The structure that the client programs store; the specification leaves it to its reader.
struct Client: Codable {
    var name: String
}
