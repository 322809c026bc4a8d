import Foundation
import TableKit
import Testing

/// Computed properties that equal a column for usual values are no columns.
@Suite struct ComputedPropertyTests {
    struct Grade: RawRepresentable, Codable, Equatable {
        var rawValue: Int
        init?(rawValue: Int) {
            guard (0...5).contains(rawValue) else { return nil }
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
}
