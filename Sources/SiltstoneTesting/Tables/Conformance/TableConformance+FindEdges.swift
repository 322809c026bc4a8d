import TableKit

private struct Item: Codable, Equatable {
    var id: Int
    var code: Int
    var name: String
}

private struct Entry: Codable, Equatable {
    var id: Int
    var lang: String
}

private struct Translation: Codable, Equatable {
    @PrimaryKey var id: Int
    @PrimaryKey var lang: String
    var text: String

    init(_ id: Int, _ lang: String, _ text: String) {
        self.id = id
        self.lang = lang
        self.text = text
    }
}

/// Edge cases of look-ups by key: the key is that of the type, whatever key the table has.
extension TableConformance {
    static var findEdges: [(promise: String, check: Check)] {
        [
            ("rows are found by the key of their type, also if create names another one", findsDespiteNamedKey),
            ("rows are found by the key of their type, also if the table has no key or a longer one", findsWithoutKey),
            ("rows are found by the key of their type, also if the table's is shorter", findsByLongKey),
        ]
    }

    private static func findsDespiteNamedKey(_ db: Database<C>) throws {
        let items = try db.create(Item.self, primaryKey: \.code)
        // Each number is the id of one row, and the code of another.
        let rows = [(1, 2), (2, 3), (3, 4), (4, 1), (7, 8)].map { Item(id: $0, code: $1, name: "item \($0)") }
        try items.insert(rows)
        func check(_ place: String) throws {
            for id in 1...9 {
                let expected = rows.first { $0.id == id }
                try requireEqual(try items.where(\Item.id == id).first(), expected, "First of id \(id) \(place)")
                try requireEqual(try items.find(id), expected, "Finding id \(id) \(place)")
            }
        }
        try check("outside of a transaction")
        try db.transaction {
            try items.where(\Item.id == 1).update(Item(id: 1, code: 0, name: "item 1"), setKeys: \.name)
            try check("in a transaction")
        }
        try requireEqual(try items.where(\Item.code == 1).first()?.id, 4, "First by the table's key")
    }

    private static func findsWithoutKey(_ db: Database<C>) throws {
        for key in ["", ", PRIMARY KEY (id, lang)", ", PRIMARY KEY (lang, id)"] {
            try db.sql("DROP TABLE IF EXISTS Entry")
            try db.sql("CREATE TABLE Entry (id INT, lang TEXT\(key))")
            let entries = db.table(Entry.self)
            let rows = [Entry(id: 5, lang: "de"), Entry(id: 6, lang: "en")]
            try entries.insert(rows)
            for row in rows {
                try requireEqual(try entries.where(\Entry.id == row.id).first(), row, "First of \(row) with '\(key)'")
                try requireEqual(try entries.find(row.id), row, "Finding \(row) with '\(key)'")
            }
            try requireEqual(try entries.where(\Entry.id == 7).first(), nil, "First of no row with '\(key)'")
            try requireEqual(try entries.find(7), nil, "Finding no row with '\(key)'")
        }
    }

    private static func findsByLongKey(_ db: Database<C>) throws {
        for key in ["id", "lang, id"] {
            try db.sql("DROP TABLE IF EXISTS Translation")
            try db.sql("CREATE TABLE Translation (id INT, lang TEXT, text TEXT, PRIMARY KEY (\(key)))")
            let translations = db.table(Translation.self)
            let row = Translation(5, "de", "Haus")
            try translations.insert([row, Translation(6, "en", "house")])
            try requireEqual(try translations.find(5, "de"), row, "Finding a row by (\(key))")
            try requireEqual(try translations.find(5, "en"), nil, "Finding no row by (\(key))")
        }
    }
}
