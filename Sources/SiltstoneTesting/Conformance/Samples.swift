import Foundation

/// A typical item.
struct SampleItem: Codable, Equatable, Sendable {
    var name: String
    var number: Int
    var tags: [String] = []
    var note: String?
    var inner: [String: [Int]] = [:]
}

/// An item that cannot be encoded.
struct UnencodableItem: Codable {
    struct Failure: Error {}

    init() {}
    init(from decoder: any Decoder) throws { throw Failure() }
    func encode(to encoder: any Encoder) throws {
        // Encodes something first, to detect repositories that write while they encode.
        var container = encoder.unkeyedContainer()
        try container.encode("begun")
        throw Failure()
    }
}

/// An item that can be encoded only if its number is not negative.
struct PartlyEncodableItem: Codable, Equatable {
    struct Failure: Error {}

    var number: Int

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(number, forKey: .number)
        if number < 0 { throw Failure() }
    }
}

enum Samples {
    /// Difficult strings, as identifiers and table names. Any two differ in their bytes.
    static let strings: [String] = [
        "", "a", "A", "b", "0", " ", " a", "a ", ".", "..", "...", ".a", "a.", "/", "//", "/a", "a/", "a/b", "a/../b",
        "../a", "../../../../tmp/a", "./a", "~", "~/a", "\\", "a\\b", "..\\a", "C:\\a", "C:", "con", "NUL", "%", "%%",
        "%41", "%61", "%2f", "%2F", "a%00", "a%", "%a", "\0", "a\0", "\0a", "a\0b", "\0\0", "\0\u{1}", "\u{1}",
        "\u{1}a", "\u{ff}", "\n", "a\nb", "\r\n", "\t", "\u{7f}", "\u{1b}[2J", "\"", "'", "`", "$HOME", "$(a)", ";",
        "a;b", "a' OR '1'='1", "a:b", "a*b", "a?b", "a|b", "<a>", "a&b", "a=b", "a,b", "{}", "[]", "null", "nil",
        "_", "__", "a_b", "item", "item_", "item_a", "_item_", "a_item_b", "database_a_item_b", "database_", "long_",
        "lock", "temp_", "a.json", "a.tmp", "index", "𝒜", "🙂", "👩‍👩‍👧", "日本", "ж", "Ж", "ß", "ss", "SS", "İ", "i", "ı",
        "\u{200b}", "\u{feff}", "\u{202e}a", "\u{fffd}", "\u{10ffff}", "\u{e000}",
        String(repeating: "a", count: 255), String(repeating: "a", count: 256), String(repeating: "é", count: 130),
        String(repeating: "/", count: 1000), String(repeating: "x", count: 10_000),
        String(repeating: "x", count: 9_999) + "y",
    ]

    /// Pairs that `String` equates although their bytes differ.
    static let equivalents: [(String, String)] = [
        ("caf\u{e9}", "cafe\u{301}"), ("\u{212b}", "\u{c5}"), ("\u{ac00}", "\u{1100}\u{1161}"), ("\u{2126}", "\u{3a9}"),
        ("a\u{323}\u{307}", "a\u{307}\u{323}"),
    ]

    /// Tables and identifiers that collide if their names are joined carelessly.
    static let neighbours: [(table: String, id: String)] = [
        ("a", "b"), ("", "ab"), ("ab", ""), ("a", "b_item_c"), ("a_item_b", "c"), ("a", "\0b"), ("a\0", "b"),
        ("a\0\u{1}", "b"), ("a", "\0\u{1}b"), ("a/b", "c"), ("a", "b/c"), ("a:b", "c"), ("a", "b:c"), ("a.b", "c"),
        ("a", "b.c"), ("a\0\u{ff}", "b"), ("a", "\u{ff}b"), ("a%00", "b"), ("../a", "b"), ("A", "b"), ("a", "B"),
        ("caf\u{e9}", "b"), ("cafe\u{301}", "b"), (".", "b"), ("..", "b"), ("a ", "b"), (" a", "b"), ("%", "b"),
        ("a_", "item_b"), (String(repeating: "t", count: 300), "b"), (String(repeating: "t", count: 301), "b"),
    ]
}
