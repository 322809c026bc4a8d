import TableKit

/// The names that an index may get at the target.
///
/// The source's name may be too long there, reserved, or taken: names belong to a table in some databases and to the whole
/// schema in others.
struct IndexNames {
    /// PostgreSQL's limit. MariaDB allows 64 characters.
    private static let nameBytes = 63
    /// Names, or their starts, that databases or Siltstone keep for themselves.
    private static let reservedNames: Set = ["primary", "gen_clust_index"]
    private static let reservedStarts = ["sqlite_", "silt_", "pg_"]

    let index: IndexDefinition

    init(_ index: IndexDefinition) { self.index = index }

    /// The names to try. Nil: the one that the target itself chooses.
    var candidates: [String?] { (isCustom && isLegal ? [index.name] : []) + [nil, distinct] }

    /// The names of tables, in small letters: tables and indexes share their names in PostgreSQL and SQLite, which ignores
    /// the case of letters.
    static func takenByTables(of target: any TableEngine) throws -> Set<String> {
        Set(try target.reading { try $0.tables() }.map { $0.structure.name.lowercased() })
    }

    /// Builds the index under the first name that is free. Does nothing if there is an index on these columns.
    /// - Parameter tables: those of ``takenByTables(of:)``.
    func build(_ target: any TableEngine, beside tables: Set<String>) throws {
        for name in candidates.dropLast() where !tables.contains((name ?? index.usualName).lowercased()) {
            do { return try target.buildIndex(named(name)) } catch let error as any TableError
                where error.code == .exists
            {
                // An index has the name.
            }
        }
        try target.buildIndex(named(distinct))
    }

    private func named(_ name: String?) -> IndexDefinition {
        var index = index
        index.name = name
        return index
    }

    /// Whether the name was given by somebody, and is not the one that Siltstone gives.
    private var isCustom: Bool {
        index.name.map { $0 != index.usualName } ?? false
    }

    private var isLegal: Bool {
        guard let name = index.name, !name.isEmpty, name.utf8.count <= Self.nameBytes, name.last != " " else {
            return false
        }
        let small = name.lowercased()
        return !Self.reservedNames.contains(small) && !Self.reservedStarts.contains { small.hasPrefix($0) }
            && name.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value <= 0xffff }
    }

    /// A name that no other table's index has, for usual names that are equal: that of `a` on `b_c`, and of `a_b` on `c`.
    private var distinct: String {
        var digest = ContentDigest()
        digest.add(([index.table] + index.columns).map { .text($0) })
        return "index_" + digest.text
    }
}
