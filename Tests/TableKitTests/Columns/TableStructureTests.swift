import Foundation
import TableKit
import Testing

struct TableStructureTests {
    enum Colour: String, Codable { case red, green, blue }
    enum Level: Int, Codable, CaseIterable { case low = 10, high = 20 }
    enum Only: String, Codable { case one }
    struct Point: Codable, Equatable { var x: Int, y: Double? }

    struct All: Codable {
        var id: Int
        var bool: Bool, int8: Int8, int16: Int16, int32: Int32, int64: Int64
        var uint: UInt, uint8: UInt8, uint16: UInt16, uint32: UInt32, uint64: UInt64
        var float: Float, double: Double, string: String, date: Date, uuid: UUID, url: URL
        var data: Data, bytes: [UInt8], signedBytes: [Int8]
        var colour: Colour, level: Level, only: Only
        var point: Point, scalars: [String], records: [Point], dictionary: [String: Int], set: Set<Int>
        var optional: Int?, optionalURL: URL?, optionalColour: Colour?, optionalPoint: Point?, optionalScalars: [Int]?
        var dictionaries: [[String: Int]]?
        var children: [Point]?
    }

    @Test func eachSwiftTypeHasItsColumnType() throws {
        let structure = try TableStructure.of(All.self)
        let types = Dictionary(uniqueKeysWithValues: structure.columns.map { ($0.name, $0.type) })
        let expected: [String: ColumnType] = [
            "id": .int64, "bool": .bool, "int8": .int8, "int16": .int16, "int32": .int32, "int64": .int64,
            "uint": .uint64, "uint8": .uint8, "uint16": .uint16, "uint32": .uint32, "uint64": .uint64,
            "float": .float, "double": .double, "string": .string, "date": .date, "uuid": .uuid, "url": .string,
            "data": .bytes, "bytes": .bytes, "signedBytes": .bytes, "colour": .string, "level": .int64,
            "only": .string, "point": .json, "scalars": .json, "records": .json, "dictionary": .json, "set": .json,
            "optional": .int64, "optionalURL": .string, "optionalColour": .string, "optionalPoint": .json,
            "optionalScalars": .json, "dictionaries": .json,
        ]
        #expect(types == expected)
        let optional = Set(structure.columns.filter(\.isOptional).map(\.name))
        #expect(
            optional == [
                "optional", "optionalURL", "optionalColour", "optionalPoint", "optionalScalars", "dictionaries",
            ])
        #expect(structure.columns.first?.name == "id")
        #expect(structure.subTables.map(\.property) == ["children"])
        #expect(structure.subTables.first?.element is Point.Type)
    }

    @Test func aStructureIsOneObjectForItsTypeAndKey() throws {
        let structure = try TableStructure.of(All.self)
        #expect(try TableStructure.of(All.self) === structure)
        #expect(try TableStructure.of(any: All.self) === structure)
        #expect(try TableStructure.of(All.self, primaryKey: [\.id]) === structure)
        let other = try TableStructure.of(All.self, primaryKey: [\.uuid])
        #expect(other !== structure)
        #expect(try TableStructure.of(All.self, primaryKey: [\.uuid]) === other)
    }

    @Test func localTypesOfOneNameAreTwoStructures() throws {
        func first() throws -> TableStructure {
            struct Me: Codable { var id: Int }
            return try TableStructure.of(Me.self)
        }
        func second() throws -> TableStructure {
            struct Me: Codable { var id: Int, name: String }
            return try TableStructure.of(Me.self)
        }
        #expect(try first().columns.count == 1)
        #expect(try second().columns.count == 2)
    }

    // MARK: Keys

    struct Wrapped: Codable {
        var id: Int
        @PrimaryKey var name: String
        @PrimaryKey var number: Int?
    }
    struct RenamedID: Codable {
        var id: Int
        enum CodingKeys: String, CodingKey { case id = "number" }
    }
    struct RenamedToID: Codable {
        var number: Int
        enum CodingKeys: String, CodingKey { case number = "id" }
    }
    struct NestedID: Codable { var id: Point }

    @Test func theKeyIsTheWrappedPropertiesElseTheColumnNamedID() throws {
        #expect(try TableStructure.of(Wrapped.self).primaryKey == [1, 2])
        #expect(try TableStructure.of(Wrapped.self).columns.map(\.isOptional) == [false, false, true])
        #expect(try TableStructure.of(RenamedID.self).primaryKey == [])
        #expect(try TableStructure.of(RenamedToID.self).primaryKey == [0])
        #expect(try TableStructure.of(NestedID.self).primaryKey == [])
        #expect(try TableStructure.of(Wrapped.self, primaryKey: [\.number, \.id]).primaryKey == [2, 0])
    }

    @Test func whatIsNoColumnIsNoKey() {
        #expect(throws: CRUDSQLGenError.self) { try TableStructure.of(All.self, primaryKey: [\.point]) }
        #expect(throws: CRUDSQLGenError.self) { try TableStructure.of(All.self, primaryKey: [\.children]) }
        #expect(throws: CRUDSQLGenError.self) { try TableStructure.of(All.self, primaryKey: [\.point.x]) }
        #expect(throws: CRUDSQLGenError.self) { try TableStructure.of(All.self, primaryKey: [\.id, \.id]) }
    }

    // MARK: Types that refer to each other

    struct Student: Codable {
        var id: Int
        var classes: [Class]?
        var friends: [Student]?
    }
    struct Class: Codable {
        var id: Int
        @ForeignKey(Student.self, onDelete: cascade, onUpdate: .restrict) var speaker: Int
        @ForeignKey(Class.self, onDelete: setNull, onUpdate: ignore) var follows: Int?
        var students: [Student]?
    }

    @Test func typesMayReferToEachOtherAndToThemselves() throws {
        let student = try TableStructure.of(Student.self), other = try TableStructure.of(Class.self)
        #expect(student.columns.map(\.name) == ["id"])
        #expect(student.subTables.map(\.property) == ["classes", "friends"])
        #expect(other.subTables.map(\.property) == ["students"])
        #expect(
            other.columns[1].foreignKey
                == ForeignKeyReference(table: "Student", onDelete: .cascade, onUpdate: .restrict))
        #expect(
            other.columns[2].foreignKey == ForeignKeyReference(table: "Class", onDelete: .setNull, onUpdate: .ignore))
        #expect(other.columns.map(\.isOptional) == [false, false, true])
    }

    // MARK: Classes

    class Base: Codable {
        var id = 0
        init() {}
    }
    final class Derived: Base {
        var name = ""
        private enum CodingKeys: String, CodingKey { case name }
        override init() { super.init() }
        required init(from decoder: any Decoder) throws {
            name = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .name)
            try super.init(from: decoder)
        }
    }
    final class BySuperDecoder: Base {
        var name = ""
        private enum CodingKeys: String, CodingKey { case name }
        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            name = try container.decode(String.self, forKey: .name)
            try super.init(from: container.superDecoder())
        }
    }

    @Test func aClassHasTheColumnsOfItsAncestors() throws {
        #expect(try TableStructure.of(Derived.self).columns.map(\.name) == ["name", "id"])
        #expect(try TableStructure.of(BySuperDecoder.self).columns.map(\.name) == ["name", "id"])
        #expect(try TableStructure.of(Derived.self).primaryKey == [1])
    }

    // MARK: Types that refuse

    enum Shape: Codable { case circle(radius: Double), dot }
    enum ProbedShape: Codable, ProbeValues {
        case circle(radius: Double), dot
        static var probeValues: (ProbedShape, ProbedShape) { (.dot, .circle(radius: 1)) }
    }
    struct WithShape: Codable {
        var id: Int, shape: Shape
    }
    struct WithProbedShape: Codable {
        var id: Int, shape: ProbedShape
    }
    struct Refusing: Codable {
        var id: Int, name: String
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            name = try container.decode(String.self, forKey: .name)
            guard name.count >= 3 else { throw CocoaError(.coderInvalidValue) }
        }
    }
    struct Accepting: Codable, ProbeValues {
        var id: Int, name: String
        static var probeValues: (Accepting, Accepting) {
            (Accepting(id: 7, name: "abc"), Accepting(id: 8, name: "xyz"))
        }
        init(id: Int, name: String) {
            self.id = id
            self.name = name
        }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            name = try container.decode(String.self, forKey: .name)
            guard name.count >= 3 else { throw CocoaError(.coderInvalidValue) }
        }
    }

    @Test func aTypeThatRefusesMadeUpValuesIsNamedWithWhatToDo() throws {
        let property = #expect(throws: CRUDSQLGenError.self) { try TableStructure.of(WithShape.self) }
        #expect(property?.column == "shape")
        #expect(property?.message.contains("ProbeValues") == true)
        let table = #expect(throws: CRUDSQLGenError.self) { try TableStructure.of(Refusing.self) }
        #expect(table?.message.contains("Refusing") == true)
        #expect(table?.message.contains("ProbeValues") == true)
    }

    @Test func aTypeMayOfferValues() throws {
        #expect(try TableStructure.of(WithProbedShape.self).columns.map(\.type) == [.int64, .json])
        #expect(try KeyPathColumns.target(of: \WithProbedShape.shape) == .column(1))
        #expect(try TableStructure.of(Accepting.self).columns.map(\.name) == ["id", "name"])
        #expect(try KeyPathColumns.target(of: \Accepting.name) == .column(1))
    }

    @Test func whatHasNoNamedPropertiesIsNoTable() {
        struct Empty: Codable {}
        #expect(throws: CRUDSQLGenError.self) { try TableStructure.of(Empty.self) }
        #expect(throws: CRUDSQLGenError.self) { try TableStructure.of(Int.self) }
        #expect(throws: CRUDSQLGenError.self) { try TableStructure.of([Int].self) }
        #expect(throws: CRUDSQLGenError.self) { try TableStructure.of([String: Int].self) }
    }
}
