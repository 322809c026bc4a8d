import Foundation
import TableKit
import Testing

/// Computed properties that equal a column for usual values are no columns.
struct ComputedPropertyTests {
    struct Grade: RawRepresentable, Codable, Equatable {
        var rawValue: Int
        init?(rawValue: Int) {
            guard (0...5).contains(rawValue) else { return nil }
            self.rawValue = rawValue
        }
    }
    /// A type whose initializer traps for values that no row has.
    struct Checked: RawRepresentable, Codable, Equatable {
        let rawValue: Int
        init(rawValue: Int) {
            precondition((1...10).contains(rawValue))
            self.rawValue = rawValue
        }
    }
    enum Colour: String, Codable { case red, green }

    struct Account: Codable {
        @PrimaryKey var id: Int
        @ForeignKey(Account.self) var parent: UUID?
        var balance: Int, level: UInt8, rate: Double, name: String, since: Date, key: Data
        var nickname: String?, limit: Int?, colour: Colour?, grade: Grade, page: URL
        var note: String { didSet {} }

        var alias: Int { balance }
        var optionalAlias: String? { nickname }
        var forced: String { nickname! }

        var lowerName: String { name.lowercased() }
        var trimmed: String { name.trimmingCharacters(in: .whitespacesAndNewlines) }
        var short: String { String(name.prefix(100)) }
        var title: String { name.isEmpty ? "Untitled" : name }
        var initial: String { String(name.first!) }
        var display: String { nickname ?? name }
        var calledBy: String? { nickname ?? name }
        var atLeastZero: Int { max(0, balance) }
        var atMost: Int { min(balance, 100) }
        var shown: Int { balance == 0 ? -1 : balance }
        var lowLevel: UInt8 { min(level, 9) }
        var wholeLimit: Int { limit ?? 0 }
        var positive: Double { abs(rate) }
        var recent: Date { max(since, Date(timeIntervalSinceReferenceDate: 0)) }
        var firstKey: Data { key.prefix(1) }
        var colourOrRed: Colour { colour ?? .red }
        var composed: String { name.precomposedStringWithCanonicalMapping }

        // These trap for values of other rows.
        var unsigned: UInt { UInt(balance) }
        var narrow: Int8 { Int8(balance) }
        var narrowLimit: UInt8? { limit.map { UInt8($0) } }
        var link: URL { URL(string: name)! }
        var checked: Checked { Checked(rawValue: balance) }
    }

    private func column<T: Codable>(_ path: PartialKeyPath<T>) throws -> String? {
        guard case .column(let number) = try KeyPathColumns.target(of: path) else { return nil }
        return try TableStructure.of(T.self).columns[number].name
    }

    @Test func propertiesThatChangeUnusualValuesAreRefused() {
        let paths: [PartialKeyPath<Account>] = [
            \.lowerName, \.trimmed, \.short, \.title, \.initial, \.display, \.calledBy, \.atLeastZero, \.atMost,
            \.shown,
            \.lowLevel, \.wholeLimit, \.positive, \.recent, \.firstKey, \.balance.magnitude, \.rate.magnitude, \.forced,
            \.colourOrRed, \.composed, \.unsigned, \.narrow, \.narrowLimit,
        ]
        for path in paths {
            let error = #expect(throws: CRUDSQLGenError.self, "\(path)") { try column(path) }
            #expect(error?.code == .noColumn)
        }
    }

    @Test func propertiesThatReadTheColumnAreItsColumn() throws {
        let paths: [(PartialKeyPath<Account>, String)] = [
            (\.id, "id"), (\.$id, "id"), (\.parent, "parent"), (\.parent!, "parent"), (\.$parent, "parent"),
            (\.alias, "balance"), (\.optionalAlias, "nickname"), (\.nickname!, "nickname"),
            (\.optionalAlias!, "nickname"),
            (\.limit!, "limit"), (\.grade, "grade"), (\.grade.rawValue, "grade"), (\.colour!, "colour"),
            (\.colour!.rawValue, "colour"), (\.colour?.rawValue, "colour"), (\.page.absoluteString, "page"),
            (\.note, "note"), (\.key, "key"), (\.since, "since"), (\.level, "level"), (\.rate, "rate"),
            // Conversions are not read from unusual values.
            (\.link, "name"), (\.checked, "balance"),
        ]
        for (path, name) in paths { #expect(try column(path) == name, "\(path)") }
    }

    // MARK: Classes, whose stored properties have no offset

    class Base: Codable {
        var id = 0, name = "", motto: String?, tags: [String] = []
        var lowerName: String { name.lowercased() }
        private enum CodingKeys: String, CodingKey { case id, name, motto, tags }
        init() {}
        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = max(0, try container.decode(Int.self, forKey: .id))
            name = try container.decodeIfPresent(String.self, forKey: .name) ?? "nobody"
            motto = try container.decodeIfPresent(String.self, forKey: .motto)
            tags = try container.decode([String].self, forKey: .tags)
        }
    }

    @Test func anInitializerMayChangeValues() throws {
        let paths: [(PartialKeyPath<Base>, String)] = [
            (\.id, "id"), (\.name, "name"), (\.motto, "motto"), (\.motto!, "motto"), (\.tags, "tags"),
        ]
        for (path, name) in paths { #expect(try column(path) == name, "\(path)") }
        #expect(throws: CRUDSQLGenError.self) { try column(\Base.lowerName) }
    }

    /// A type that stores nil and zero as nothing, and an integer as a narrower one.
    class Note: Codable {
        var id = 0, text = "", tag: String?
        let title: String, size: Int, level: UInt8
        var shownTag: String { tag ?? "" }
        private enum CodingKeys: String, CodingKey { case id, text, tag, title, size, level }
        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            text = try container.decodeIfPresent(String.self, forKey: .text) ?? ""
            tag = try container.decodeIfPresent(String.self, forKey: .tag)
            title = try container.decodeIfPresent(String.self, forKey: .title) ?? ""
            size = try container.decodeIfPresent(Int.self, forKey: .size) ?? 0
            level = UInt8(try container.decode(Int.self, forKey: .level))
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
            if !text.isEmpty { try container.encode(text, forKey: .text) }
            try container.encodeIfPresent(tag, forKey: .tag)
            if !title.isEmpty { try container.encode(title, forKey: .title) }
            if size != 0 { try container.encode(size, forKey: .size) }
            try container.encode(Int(level), forKey: .level)
        }
    }

    @Test func aTypeMayReplaceNilAndConvertValues() throws {
        let paths: [(PartialKeyPath<Note>, String)] = [
            (\.text, "text"), (\.tag, "tag"), (\.title, "title"), (\.size, "size"), (\.level, "level"),
        ]
        for (path, name) in paths { #expect(try column(path) == name, "\(path)") }
        #expect(throws: CRUDSQLGenError.self) { try column(\Note.shownTag) }
    }

    // MARK: Types that refuse unusual values

    struct Refusing: Codable {
        @PrimaryKey var id: Int
        var name: String, amount: Int
        var alias: Int { amount }
        var lowerName: String { name.lowercased() }
        var positive: Int { max(0, amount) }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            _id = try container.decode(PrimaryKey<Int>.self, forKey: .id)
            name = try container.decode(String.self, forKey: .name)
            amount = try container.decode(Int.self, forKey: .amount)
            guard (1...10).contains(amount) else { throw CocoaError(.coderInvalidValue) }
        }
    }

    @Test func aTypeThatRefusesUnusualValuesKeepsItsColumns() throws {
        #expect(try column(\Refusing.id) == "id")
        #expect(try column(\Refusing.$id) == "id")
        #expect(try column(\Refusing.alias) == "amount")
        // The type cannot have the values that tell this one apart.
        #expect(try column(\Refusing.positive) == "amount")
        // It accepts unusual names, though no unusual amounts.
        #expect(throws: CRUDSQLGenError.self) { try column(\Refusing.lowerName) }
    }

    // MARK: Types that trap for unusual values

    struct Trapping: Codable {
        @PrimaryKey var id: Int
        var score: Checked, optional: Checked?
        var amount: Int { didSet {} }
        var points: Checked { score }
        var alias: Checked? { optional }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            _id = try container.decode(PrimaryKey<Int>.self, forKey: .id)
            score = try container.decode(Checked.self, forKey: .score)
            amount = try container.decode(Int.self, forKey: .amount)
            optional = try container.decodeIfPresent(Checked.self, forKey: .optional)
            precondition(amount > 0)
        }
    }

    struct Provided: Codable, ProbeValues {
        var id: Int, amount: Int
        var alias: Int { amount }
        static var probeValues: (Provided, Provided) { (Provided(id: 1, amount: 3), Provided(id: 2, amount: 4)) }
        init(id: Int, amount: Int) { (self.id, self.amount) = (id, amount) }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                id: try container.decode(Int.self, forKey: .id), amount: try container.decode(Int.self, forKey: .amount)
            )
            precondition(id > 0 && amount > 0)
        }
    }

    @Test func aTypeThatTrapsForUnusualValuesKeepsItsColumns() throws {
        let paths: [(PartialKeyPath<Trapping>, String)] = [
            (\.id, "id"), (\.$id, "id"), (\.score, "score"), (\.points, "score"), (\.amount, "amount"),
            (\.alias, "optional"), (\.optional, "optional"),
        ]
        for (path, name) in paths { #expect(try column(path) == name, "\(path)") }
        #expect(try column(\Provided.alias) == "amount")
    }
}
