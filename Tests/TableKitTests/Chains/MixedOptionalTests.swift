import SiltstoneTesting
import TableKit
import Testing

private enum Kind: String, Codable { case small, large }

private struct N: Codable, Equatable {
    var id: Int
    var int: Int
    var optionalInt: Int?
    var text: String
    var optionalText: String?
    var kind = Kind.small
    var optionalKind: Kind?
}

/// Optional and plain operands compare with each other.
struct MixedOptionalTests {
    private let table: Table<N, Database<ReferenceDatabaseConfiguration>>

    init() throws {
        table = try Database(configuration: ReferenceDatabaseConfiguration()).create(N.self)
        try table.insert([
            N(id: 1, int: 5, optionalInt: 5, text: "a", optionalText: "b"),
            N(id: 2, int: 5, optionalInt: 6, text: "b", optionalText: "b", optionalKind: .small),
            N(id: 3, int: 5, optionalInt: nil, text: "c", optionalText: nil),
        ])
    }

    private func ids(_ condition: Condition) throws -> [Int] {
        try table.order(by: \.id).where(condition).all().map(\.id)
    }

    @Test("two columns: NULL compares with nothing")
    func columns() throws {
        #expect(try ids(\N.optionalInt == \N.int) == [1])
        #expect(try ids(\N.int == \N.optionalInt) == [1])
        #expect(try ids(\N.optionalInt != \N.int) == [2])
        #expect(try ids(\N.int != \N.optionalInt) == [2])
        #expect(try ids(\N.optionalInt < \N.int) == [])
        #expect(try ids(\N.int < \N.optionalInt) == [2])
        #expect(try ids(\N.optionalInt <= \N.int) == [1])
        #expect(try ids(\N.int <= \N.optionalInt) == [1, 2])
        #expect(try ids(\N.optionalInt > \N.int) == [2])
        #expect(try ids(\N.int > \N.optionalInt) == [])
        #expect(try ids(\N.optionalInt >= \N.int) == [1, 2])
        #expect(try ids(\N.int >= \N.optionalInt) == [1])
        #expect(try ids(\N.text == \N.optionalText) == [2])
        #expect(try ids(\N.kind == \N.optionalKind) == [2])
        // Pairs of one kind still mean what they did.
        #expect(try ids(\N.optionalInt == \N.optionalInt) == [1, 2])
        #expect(try ids(\N.int == \N.id) == [])
    }

    @Test("a column and a value that may be missing")
    func values() throws {
        let five: Int? = 5, none: Int? = nil, b: String? = "b"
        #expect(try ids(\N.int == five) == [1, 2, 3])
        #expect(try ids(\N.int != five) == [])
        #expect(try ids(\N.id < five) == [1, 2, 3])
        #expect(try ids(\N.id <= five) == [1, 2, 3])
        #expect(try ids(\N.id > five) == [])
        #expect(try ids(\N.id >= five) == [])
        #expect(try ids(\N.text == b) == [2])
        #expect(try ids(\N.int == none) == [])
        #expect(try ids(\N.int != none) == [1, 2, 3])
        #expect(try ids(\N.int < none) == [])
        #expect(try ids(\N.optionalInt == none) == [3])
        #expect(try ids(\N.optionalInt == five) == [1])
        #expect(try ids(\N.optionalInt == 5) == [1])
        #expect(try ids(\N.optionalKind == .small) == [2])
    }
}
