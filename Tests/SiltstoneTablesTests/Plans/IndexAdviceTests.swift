import Siltstone
import TableKit
import Testing

@testable import SiltstoneTables

private struct Person: Codable {
    var id: Int
    var name: String
    var city: String?
    var age: Int
    var tags: [Int]
}

/// explain names the index that would help.
struct IndexAdviceTests {
    private let db: Database<SiltstoneDatabaseConfiguration>
    private let people: Table<Person, Database<SiltstoneDatabaseConfiguration>>

    init() throws {
        db = Database(configuration: try SiltstoneDatabaseConfiguration(store: try KeyValueStore.inMemory()))
        people = try db.create(Person.self)
        try people.insert((0..<50).map { Person(id: $0, name: "n\($0)", city: "c\($0 % 5)", age: $0, tags: []) })
    }

    private func advice(_ query: some Selectable) throws -> [String] {
        func all(_ plan: QueryPlan) -> [String] { [plan.advice].compactMap(\.self) + plan.inputs.flatMap(all) }
        return all(try query.explain())
    }

    @Test("for conditions: columns of single values first, then one of a range")
    func conditions() throws {
        let table = "An index on Person"
        #expect(
            try advice(people.where(\Person.city == "c1")) == [table + "(city) would save reading the whole table."])
        #expect(try advice(people.where(\Person.city == nil)) == [table + "(city) would save reading the whole table."])
        #expect(try advice(people.where(\Person.age > 40)) == [table + "(age) would save reading the whole table."])
        #expect(
            try advice(people.where(\Person.age > 40 && \Person.city == "c1" && \Person.name >= "n"))
                == [table + "(city, name) would save reading the whole table."])
        #expect(
            try advice(people.where(\Person.name =% "n1")) == [table + "(name) would save reading the whole table."])
        #expect(
            try advice(people.where(\Person.name == "a" || \Person.age == 3))
                == ["Indexes on Person(name) and Person(age) would save reading the whole table."])
    }

    @Test("for orders, and for conditions with an order")
    func orders() throws {
        #expect(
            try advice(people.order(descending: \.age).limit(10)) == ["An index on Person(age) would save the sort."])
        #expect(try advice(people.order(by: \.city, \.name)) == ["An index on Person(city, name) would save the sort."])
        #expect(
            try advice(people.order(by: \.age).where(\Person.city == "c1"))
                == ["An index on Person(city, age) would save reading the whole table."])
        try people.index(\.city)
        let after = try advice(people.order(by: \.age).limit(5).where(\Person.city == "c1"))
        #expect(after.count == 1 && after[0].hasPrefix("An index on Person(city, age) would save "))
    }

    @Test("none where none helps: the index or the key is there, the condition leaves most rows, the order is mixed")
    func nothing() throws {
        #expect(try advice(people) == [])
        #expect(try advice(people.where(\Person.id == 3 && \Person.name == "a")) == [])
        #expect(try advice(people.where(\Person.city != "c1")) == [])
        #expect(try advice(people.where(\Person.name %=% "1")) == [])
        #expect(try advice(people.order(by: \.city).order(descending: \.age)) == [])
        #expect(try advice(people.order(by: \.id)) == [])
        try people.index(\.city)
        #expect(try advice(people.where(\Person.city == "c1")) == [])
    }

    @Test("the advice is taken, and gone then")
    func taken() throws {
        let query = people.order(by: \.age).where(\Person.city == "c1")
        try people.index(\.city, \.age)
        try people.insert((50..<5000).map { Person(id: $0, name: "n\($0)", city: "d\($0)", age: $0, tags: []) })
        let plan = try query.explain()
        #expect(plan.advice == nil)
        #expect(plan.step == "range of index index_Person_city_age")
    }

    @Test("estimates are one row at least, where the condition can be met")
    func estimates() throws {
        let empty = try db.create(Person.self, policy: .dropTable)
        #expect(try empty.explain().estimatedRows == 1)
        #expect(try empty.explain().description.hasSuffix("(about 1 row)"))
        #expect(try empty.where(\Person.id == 1 && \Person.id == 2).explain().estimatedRows == 0)
    }
}
