#if PostgreSQL || MySQL || SQLite
import Foundation
import TableKit
import Testing

@testable import SiltTool

/// Indexes whose names the target does not take.
struct MoveIndexTests {
    private static func table(_ name: String, _ columns: [String]) -> TableStructure {
        TableStructure(
            name: name, columns: [Column("id", .int64)] + columns.map { Column($0, .int64) }, primaryKey: [0])
    }

    private static let long = table("CustomerSubscriptionInvoice", ["organizationIdentifier", "createdAt"])

    private static let indexes = [
        // 66 bytes.
        IndexDefinition(table: long.name, columns: ["organizationIdentifier", "createdAt"]),
        // Two usual names that are equal.
        IndexDefinition(table: "a", columns: ["b_c"]), IndexDefinition(table: "a_b", columns: ["c"]),
        // A name of two tables, one of a table, a reserved one, one that is kept.
        IndexDefinition(table: "a", columns: ["d"], name: "by d"),
        IndexDefinition(table: "a_b", columns: ["d"], name: "by d"),
        IndexDefinition(table: "a", columns: ["e"], name: "a_b"),
        IndexDefinition(table: "a", columns: ["f"], isUnique: true, name: "sqlite_autoindex_a_1"),
        IndexDefinition(table: "a_b", columns: ["e"], name: "kept name"),
    ]

    /// Table, columns and uniqueness of each index, and whether it has the kept name.
    private static func described(_ indexes: [IndexDefinition]) -> [String] {
        indexes.map { "\($0.table) \($0.columns) \($0.isUnique) \($0.name == "kept name")" }.sorted()
    }

    @Test("indexes arrive whose names are too long, reserved or taken there", arguments: MoveTarget.available)
    func names(target: MoveTarget) async throws {
        try await onThread {
            let sample = try MovedSample()
            let from = try makeStore(sample) { engine in
                try engine.change { session in
                    try session.alter(.createTable(Self.long))
                    try session.alter(.createTable(Self.table("a", ["b_c", "d", "e", "f"])))
                    try session.alter(.createTable(Self.table("a_b", ["c", "d", "e"])))
                    for index in Self.indexes { try session.alter(.createIndex(index)) }
                }
            }
            let there = try target.place(sample)
            #expect(try move(from, there).tables.count == 3)
            let found = try withEngine(there) { engine in
                try engine.reading { try $0.tables().flatMap { $0.indexes.map(\.definition) } }
            }
            #expect(Self.described(found) == Self.described(Self.indexes))
        }
    }
}
#endif
