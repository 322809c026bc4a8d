import Foundation
import TableKit
import Testing

struct KeyPathColumnsTests {
    enum Colour: String, Codable { case red, green, blue }
    struct Part: Codable { var id: Int, name: String? }

    struct Item: Codable {
        @PrimaryKey var id: UUID
        @ForeignKey(Item.self, onDelete: cascade, onUpdate: cascade) var parent: UUID?
        @ForeignKey(Item.self) var owner: Int
        var a: Bool, b: Bool, c: Bool, d: Bool, e: Bool
        var height: Int?
        var width: Int
        var colour: Colour, otherColour: Colour?
        var part: Part, otherPart: Part?
        var tags: [String], url: URL, name: String, date: Date
        var children: [Part]?, others: [Part]?

        var not: Bool { !a }
        var and: Bool { a && b }
        var or: Bool { a || b }
        var differs: Bool { a != b }
        var odd: Bool { (a != b) != c }
        var most: Bool { [a, b, c].count { $0 } >= 2 }
        var area: Int { width * (height ?? 0) }
        var least: Int { min(width, height ?? 0) }
        var label: String { name + "!" }
        var fixed: Int { 1 }
        var alias: Int { width }
    }

    private func column(_ path: PartialKeyPath<Item>) throws -> String? {
        let structure = try TableStructure.of(Item.self)
        switch try KeyPathColumns.target(of: path) {
        case .column(let number): return structure.columns[number].name
        case .subTable(let number): return "sub-table " + structure.subTables[number].property
        }
    }

    @Test func eachStoredPropertyIsItsColumn() throws {
        let paths: [(PartialKeyPath<Item>, String)] = [
            (\.id, "id"), (\.$id, "id"), (\.parent, "parent"), (\.parent!, "parent"), (\.owner, "owner"),
            (\.$owner, "owner"), (\.a, "a"), (\.b, "b"), (\.c, "c"), (\.d, "d"), (\.e, "e"), (\.height, "height"),
            (\.height!, "height"), (\.width, "width"), (\.alias, "width"), (\.colour, "colour"),
            (\.otherColour, "otherColour"), (\.otherColour!, "otherColour"), (\.part, "part"),
            (\.otherPart, "otherPart"), (\.otherPart!, "otherPart"), (\.tags, "tags"), (\.url, "url"),
            (\.name, "name"), (\.date, "date"), (\.children, "sub-table children"), (\.others, "sub-table others"),
        ]
        for (path, name) in paths { #expect(try column(path) == name, "\(path)") }
    }

    @Test func computedAndNestedPathsAreRefused() {
        let paths: [PartialKeyPath<Item>] = [
            \.not, \.and, \.or, \.differs, \.odd, \.most, \.area, \.least, \.label, \.fixed, \.part.id, \.part.name,
            \.otherPart!.id, \.otherPart?.id, \.name.count, \.tags.count, \.children!, \.self,
        ]
        for path in paths {
            let error = #expect(throws: CRUDSQLGenError.self, "\(path)") { try column(path) }
            #expect(error?.message.contains("Item") == true)
        }
    }

    @Test func pathsOfTypesThatAreNoTableAreRefused() {
        struct Plain { var x = 0 }
        let error = #expect(throws: CRUDSQLGenError.self) { try KeyPathColumns.target(of: \Plain.x) }
        #expect(error?.message.contains("Plain") == true)
    }

    @Test func eachOfTwoHundredColumnsIsFound() throws {
        let structure = try TableStructure.of(WideType.self)
        #expect(structure.columns.count == 200)
        for (name, path) in WideType.paths {
            #expect(try KeyPathColumns.target(of: path) == .column(try #require(structure.number(of: name))))
        }
    }

    @Test func pathsMadeAtRunTimeAreFoundByValue() throws {
        let inner: KeyPath<Part, Int> = \.id
        let known = try KeyPathColumns.target(of: \Part.id)
        #expect(try KeyPathColumns.target(of: (\Part.self).appending(path: inner)) == known)
    }

    @Test func manyThreadsMayAskAtOnce() async throws {
        struct Fresh: Codable { var id: Int, a: Bool, b: Bool }
        let found = try await withThrowingTaskGroup(of: [KeyPathTarget].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try [\Fresh.id, \Fresh.a, \Fresh.b].map { try KeyPathColumns.target(of: $0 as AnyKeyPath) }
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(found == [[.column(0), .column(1), .column(2)]])
    }
}
