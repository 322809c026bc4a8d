import Siltstone
import SiltstoneTesting
import TableKit
import Testing

@testable import SiltstoneTables

/// Verification of tables.
struct VerificationTests {
    private let store: KeyValueStore
    private let engine: any TableEngine
    private let table: TableDescription
    private let child: TableDescription

    init() throws {
        (store, engine) = try makeEngine()
        try engine.change { session in
            try TableModel.create(session)
            try session.insert(
                TableModel.parents,
                (1...3).map { [.integer($0), .integer($0 * 10), .text("n\($0)"), .real(1)] })
            try session.insert(TableModel.children, [[.text("c"), .integer(1), .null]])
        }
        let catalogue = try Catalogue.load(from: store, known: nil)
        table = try catalogue.table("parents")
        child = try catalogue.table("children")
    }

    private func key(_ table: TableDescription, _ value: ColumnValue) -> [UInt8] {
        let key = KeyEncoder(table.rowPrefix)
        key.append(value)
        return key.bytes
    }

    private func problems() throws -> [String] { try engine.verify(progress: nil) }

    @Test("a sound database has no problems, and the progress comes to 1")
    func sound() throws {
        var progress: [Double] = []
        #expect(try engine.verify { progress.append($0) } == [])
        #expect(progress.first == 0 && progress.last == 1)
    }

    @Test("an entry that is missing is found")
    func missingEntry() throws {
        let entries = try store.keysWith(table.indexes[1].prefix)
        try store.delete(entries[0])
        #expect(try problems().count == 1 && problems()[0].contains("lacks"))
    }

    @Test("an entry of no row, or of other values, is found")
    func strayEntry() throws {
        let entry = KeyEncoder(table.indexes[1].prefix)
        for value in [ColumnValue.text("x"), .real(2), .integer(99)] { entry.append(value) }
        try store.put(entry.bytes, [])
        #expect(try problems().count == 1 && problems()[0].contains("99"))
        try store.delete(entry.bytes)
        entry.reset(to: table.indexes[1].prefix)
        for value in [ColumnValue.text("x"), .real(2), .integer(1)] { entry.append(value) }
        try store.put(entry.bytes, [])
        #expect(try problems().count == 1 && problems()[0].contains("other values"))
    }

    @Test("two rows with the same values of a unique index are found")
    func duplicate() throws {
        let row = try #require(try store.get(key(table, .integer(1))))
        var composer = RowComposer(table.newestLayout)
        let sources = table.newestLayout.slots.map { RowComposer.Source.copy($0, isOld: true) }
        try composer.compose(
            [.value(.integer(7), for: .int64)] + sources.dropFirst(), old: row.span.bytes, new: RawSpan())
        try store.put(key(table, .integer(7)), composer.bytes)
        let entry = KeyEncoder(table.indexes[1].prefix)
        for value in [ColumnValue.text("n1"), .real(1), .integer(7)] { entry.append(value) }
        try store.put(entry.bytes, [])
        #expect(try problems().count == 1 && problems()[0].contains("for another row"))
    }

    @Test("a reference to nothing is found")
    func dangling() throws {
        try store.delete(key(table, .integer(1)))
        for index in table.indexes {
            for entry in try store.keysWith(index.prefix) where entry.last == 1 || entry.contains(10) {
                if try store.get(entry) == [0x15, 1] || entry.suffix(2) == [0x15, 1] { try store.delete(entry) }
            }
        }
        #expect(try problems().count == 1 && problems()[0].contains("does not exist"))
    }

    @Test("a row that is cut off or names an unknown layout is a problem, and an error when it is read")
    func damagedRow() throws {
        let whole = try #require(try store.get(key(table, .integer(2))))
        for damaged in [Array(whole.prefix(3)), Array(whole.prefix(9)), [1, 0, 9, 9] + whole.dropFirst(4), []] {
            try store.put(key(table, .integer(2)), damaged)
            #expect(try !problems().isEmpty)
            let session = try engine.beginRead()
            #expect(code { _ = try session.count(filter()) } == .corrupt, "\(damaged)")
            session.rollback()
        }
    }

    private func filter() -> Query {
        var query = Query(TableModel.parents)
        query.predicate = .compare(ColumnReference(column: 3), .greater, .real(0))
        return query
    }

    @Test("a description that is damaged is an error, and nothing traps")
    func damagedCatalogue() throws {
        let bytes = try #require(try store.get(KeySpace.description(table.id)))
        try store.put(KeySpace.description(table.id), Array(bytes.dropLast(3)))
        #expect(throws: CRUDDecoderError.self) { _ = try SiltstoneEngine(store, nil, durability: nil) }
    }
}

extension KeyValueStore {
    func keysWith(_ prefix: [UInt8]) throws -> [[UInt8]] {
        var keys: [[UInt8]] = []
        try forEachKey(prefix: prefix) { key in
            keys.append(key.withUnsafeBytes { Array($0) })
            return true
        }
        return keys
    }
}
