import Siltstone
import TableKit
import Testing

@testable import SiltstoneTables

/// The references of a catalogue that schema changes carry on, against those that its tables have.
struct CatalogueReferenceTests {
    private static func column(_ name: String, to table: String?) -> Column {
        let reference = table.map { ForeignKeyReference(table: $0, onDelete: .cascade, onUpdate: .ignore) }
        return Column(name, .int64, isOptional: true, foreignKey: reference)
    }

    private static func create(_ name: String, to tables: String...) -> SchemaChange {
        let references = tables.map { column("to_\($0)", to: $0) }
        return .createTable(
            TableStructure(name: name, columns: [Column("id", .int64)] + references, primaryKey: [0]))
    }

    @Test("each schema change keeps them")
    func changes() throws {
        let (store, engine) = try makeEngine()
        let changes: [SchemaChange] = [
            Self.create("a"), Self.create("b", to: "a"), Self.create("c", to: "a", "b", "later"),
            Self.create("d", to: "d", "a"), .renameTable("a", to: "x"),
            .addColumn(table: "d", Self.column("e", to: "c")),
            Self.create("later"), .renameTable("d", to: "y"), .dropColumn(table: "y", "e"), .dropTable("b"),
            Self.create("b"), .dropTable("c"), .dropTable("y"),
        ]
        for change in changes {
            try engine.change { session in
                try session.alter(change)
                let known = try #require(session as? SiltstoneSession<Transaction>).catalogue
                let fresh = Catalogue(tables: known.tables)
                #expect(known.referring.filter { !$0.value.isEmpty } == fresh.referring)
            }
        }
        try store.close()
    }
}
