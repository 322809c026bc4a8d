/// The item that repositories keep: what an application would have, some 300 bytes of JSON.
struct Customer: Codable, Equatable, Sendable {
    struct Address: Codable, Equatable, Sendable {
        var street: String
        var city: String
        var postcode: Int
    }

    var id: String
    var name: String
    var email: String
    var age: Int
    var balance: Double
    var isActive: Bool
    var tags: [String]
    var address: Address
    var visits: [Int]

    /// The identifier of an index: all of one length, in the order of the indices.
    static func id(_ index: Int) -> String {
        let digits = String(index)
        return "customer-" + String(repeating: "0", count: max(0, 8 - digits.count)) + digits
    }

    /// The item of an index, the same each time.
    /// - Parameter version: changes what an update would.
    init(_ index: Int, version: Int = 0) {
        id = Self.id(index)
        name = "Customer number \(index)"
        email = "customer.\(index)@example.com"
        age = 18 + index % 70
        balance = Double(index % 10_000) + Double(version) / 4
        isActive = index % 3 != 0
        tags = ["retail", "newsletter", index % 2 == 0 ? "north" : "south"]
        address = Address(street: "\(index % 200) Quarry Road", city: "Bathgate", postcode: 10_000 + index % 90_000)
        visits = (0..<8).map { (index &+ $0 &* 37 &+ version) % 1000 }
    }
}
