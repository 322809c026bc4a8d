/// A row of the workloads: four columns, one of them often NULL.
struct Item: Codable, Sendable {
    var id: Int
    var name: String
    var size: Double
    var note: String?

    init(id: Int, name: String, size: Double, note: String?) {
        (self.id, self.name, self.size, self.note) = (id, name, size, note)
    }

    /// The row of a number.
    init(_ number: Int) {
        self.init(
            id: number, name: "name number \(number)", size: Double(number) * 0.5,
            note: number % 3 == 0 ? nil : "note")
    }
}
