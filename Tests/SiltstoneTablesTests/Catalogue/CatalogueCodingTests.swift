import SiltstoneTesting
import TableKit
import Testing

@testable import SiltstoneTables

/// Descriptions of tables.
struct CatalogueCodingTests {
    private func definition(_ values: inout RandomValues) -> TableDefinition {
        let types = (0...values.random.index(5)).map { _ in
            ColumnType.allCases[values.random.index(ColumnType.allCases.count)]
        }
        let columns = types.enumerated().map { number, type in
            var column = Column("column \(number)", type, isOptional: number % 2 == 0)
            if number % 3 == 0 { column.defaultValue = values.value(type) }
            if number % 4 == 3 {
                column.foreignKey = ForeignKeyReference(table: "ä", onDelete: .cascade, onUpdate: .setNull)
            }
            return ColumnDescription(
                id: UInt64(number) * 300 + 1, column: column, initialValue: values.value(type))
        }
        let layout = columns.map { TableDefinition.LayoutColumn(id: $0.id, type: $0.column.type) }
        return TableDefinition(
            id: 7, name: "table \(values.random.index(100))", columns: columns, primaryKey: [columns[0].id],
            layouts: [[], layout],
            indexes: [
                IndexDescription(id: 2, name: "i", columns: [columns[0].id], isUnique: true),
                IndexDescription(
                    id: 1_000, name: "", columns: columns.map(\.id), isUnique: false, isAutomatic: true,
                    state: .building),
            ], nextColumn: 9_999, nextIndex: 1_001)
    }

    @Test("a description is read back as it was written, a NaN and -0.0 too")
    func roundTrip() throws {
        var values = RandomValues(seed: 1)
        for _ in 0..<500 {
            let definition = definition(&values)
            let read = try TableDefinition(id: 7, definition.encoded())
            #expect(read.encoded() == definition.encoded())
            #expect(read.columns.map(\.column.name) == definition.columns.map(\.column.name))
            #expect(read.indexes == definition.indexes && read.layouts == definition.layouts)
        }
    }

    @Test("a description is refused if old rows have a column in another type, or an initial value of another kind")
    func contradictions() throws {
        let column = ColumnDescription(
            id: 1, column: Column("a", .string, isOptional: true), initialValue: .text("x"))
        var sound = TableDefinition(
            id: 7, name: "t", columns: [column], primaryKey: [],
            layouts: [[.init(id: 2, type: .int64)], [.init(id: 1, type: .string)]], nextColumn: 3)
        #expect(try TableDefinition(id: 7, sound.encoded()) == sound)
        sound.columns[0].initialValue = .null
        #expect(try TableDefinition(id: 7, sound.encoded()) == sound)
        let changes: [(inout TableDefinition) -> Void] = [
            { $0.layouts[0][0] = .init(id: 1, type: .int64) }, { $0.layouts[0].append(.init(id: 1, type: .uuid)) },
            { $0.columns[0].initialValue = .integer(1) }, { $0.columns[0].initialValue = .json("1") },
            // The next column would have the number of one that old rows have.
            { $0.nextColumn = 2 },
        ]
        for (number, change) in changes.enumerated() {
            var definition = sound
            change(&definition)
            #expect(throws: CRUDDecoderError.self, "\(number)") { try TableDefinition(id: 7, definition.encoded()) }
        }
    }

    @Test("a description that is cut off or changed throws or reads as another; it never traps")
    func damage() throws {
        var values = RandomValues(seed: 2)
        var thrown = 0
        for _ in 0..<TestForm.count(40, thorough: 200) {
            let bytes = definition(&values).encoded()
            for length in 0..<bytes.count {
                #expect(throws: CRUDDecoderError.self) { try TableDefinition(id: 7, Array(bytes[..<length])) }
            }
            for _ in 0..<20 {
                var changed = bytes
                changed[values.random.index(bytes.count)] ^= UInt8(1 + values.random.index(255))
                do { _ = try TableDescription(TableDefinition(id: 7, changed)) } catch { thrown += 1 }
            }
        }
        #expect(thrown > 0)
    }
}
