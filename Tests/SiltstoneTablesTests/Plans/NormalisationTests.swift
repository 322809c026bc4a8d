import Siltstone
import TableKit
import Testing

@testable import SiltstoneTables

private struct Item: Codable {
    var id: Int
    var size: Int?
}

/// Predicates in the form that plans are made from.
struct NormalisationTests {
    @Test("NULL in a list: IN finds the other values, NOT IN is never true; with and without an index")
    func nullInLists() throws {
        let db = Database(configuration: try SiltstoneDatabaseConfiguration(store: try KeyValueStore.inMemory()))
        let items = try db.create(Item.self)
        try items.insert([Item(id: 1, size: 1), Item(id: 2, size: 2), Item(id: 3, size: nil)])
        let values: [Int?] = [1, nil]
        for _ in 0..<2 {
            #expect(try items.where(\Item.size ~ values).all().map(\.id) == [1])
            #expect(try items.where(\Item.size !~ values).count() == 0)
            #expect(try items.where(\Item.size !~ [1]).all().map(\.id) == [2])
            #expect(try items.where(\Item.size !~ values || \Item.id == 3).all().map(\.id) == [3])
            #expect(try items.where(!(\Item.size !~ values)).all().map(\.id) == [1])
            try items.index(\.size)
        }
    }
}
