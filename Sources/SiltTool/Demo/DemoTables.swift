import Foundation
import SiltstoneTables

/// A row of a table. Its phone numbers are rows of another table.
private struct Person: Codable, Sendable {
    let id: UUID
    let firstName: String
    let lastName: String
    let phoneNumbers: [PhoneNumber]?

    init(_ firstName: String, _ lastName: String) {
        (id, self.firstName, self.lastName, phoneNumbers) = (UUID(), firstName, lastName, nil)
    }
}

/// A phone number of a person.
private struct PhoneNumber: Codable, Sendable {
    let id: UUID
    let personId: UUID
    let planetCode: Int
    let number: String

    init(_ person: Person, _ planetCode: Int, _ number: String) {
        (id, personId, self.planetCode, self.number) = (UUID(), person.id, planetCode, number)
    }
}

/// Tables: a join, its plan, and a live query.
struct DemoTables {
    let directory: String

    func run() async throws {
        let db = Database(configuration: try await SiltstoneDatabaseConfiguration.open(directory + "/people.silt"))
        try await db.create(Person.self, policy: .reconcileTable)
        let people = db.table(Person.self), numbers = db.table(PhoneNumber.self)
        try await numbers.index(\.personId)
        let owen = Person("Owen", "Lars"), beru = Person("Beru", "Lars"), luke = Person("Luke", "Skywalker")
        try await people.insert([owen, beru, luke])
        try await numbers.insert([
            PhoneNumber(owen, 12, "555-555-1212"), PhoneNumber(owen, 15, "555-555-2222"),
            PhoneNumber(beru, 12, "555-555-1212"),
        ])
        let query = try people.order(by: \.lastName, \.firstName)
            .join(\.phoneNumbers, on: \.id, equals: \.personId).order(descending: \.planetCode)
            .where(\Person.lastName == "Lars" && \PhoneNumber.planetCode == 12)
        for person in try await query.all() {
            let list = (person.phoneNumbers ?? []).map { number in "\(number.number) on planet \(number.planetCode)" }
            try DemoText.row("\(person.firstName) \(person.lastName)", list.joined(separator: ", "))
        }
        try Terminal.print("\n  how that was found:\n")
        for line in try await query.explain().description.split(separator: "\n") { try Terminal.print("    \(line)\n") }
        try await follow(db, luke)
    }

    /// Follows a live query, which returns a new value after each commit that changes its rows.
    private func follow(_ db: Database<SiltstoneDatabaseConfiguration>, _ luke: Person) async throws {
        try Terminal.print("\n  a live query: numbers of \(luke.firstName)\n")
        let numbers = db.table(PhoneNumber.self)
        let values = try numbers.order(by: \.planetCode).where(\PhoneNumber.personId == luke.id).values()
        var seen = 0
        for try await value in values {
            let list = value.map { "\($0.planetCode): \($0.number)" }.joined(separator: ", ")
            try DemoText.row("value \(seen + 1)", value.isEmpty ? "none yet" : list)
            seen += 1
            if value.count == 2 { break }
            try await numbers.insert(PhoneNumber(luke, 12 + seen, "555-000-000\(seen)"))
        }
    }
}
