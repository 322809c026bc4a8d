import Foundation
import Siltstone
import SiltstoneTesting
import TableKit

@testable import SiltstoneTables

/// Values at random, from small sets so that they meet, with the extremes of their types.
struct RandomValues {
    var random: SplitMix64

    init(seed: UInt64) {
        QuietErrors.begin()
        random = SplitMix64(seed: seed)
    }

    mutating func value(_ type: ColumnType, nulls: Bool = true) -> ColumnValue {
        if nulls, random.index(6) == 0 { return .null }
        switch type {
        case .bool: return .bool(random.index(2) == 0)
        case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64: return integer(type)
        case .float: return .real(Double(Float(real())))
        case .double: return .real(real())
        case .date: return .date(Date(timeIntervalSinceReferenceDate: real().isNaN ? 7 : real()))
        case .uuid: return .uuid(uuid())
        case .string: return .text(text())
        case .json: return .json("{\"a\":\(random.index(3))}")
        case .bytes: return .bytes((0..<random.index(4)).map { _ in [0, 1, 0xFE, 0xFF][random.index(4)] })
        }
    }

    private mutating func integer(_ type: ColumnType) -> ColumnValue {
        let width = (type.fixedWidth ?? 8) * 8
        let isSigned = type.rawValue <= ColumnType.int64.rawValue
        let least = isSigned ? Int64.min >> Int64(64 - width) : 0
        let greatest = isSigned ? ~least : width == 64 ? Int64.max : (1 << Int64(width)) - 1
        if type == .uint64, random.index(4) == 0 { return ColumnValue(UInt64.max - UInt64(random.index(3))) }
        let candidates = [0, 1, 2, 127, 255, 256, 65_535, 65_536, greatest, greatest - 1, least, least + 1]
        let value = candidates[random.index(candidates.count)]
        let signed = isSigned && random.index(2) == 0 && value != Int64.min ? -value : value
        return .integer(min(max(signed, least), greatest))
    }

    private mutating func real() -> Double {
        let candidates: [Double] = [
            0, -0.0, 1, -1, 1.5, -1.5, .infinity, -.infinity, .nan, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
        ]
        return candidates[random.index(candidates.count)]
    }

    private mutating func uuid() -> UUID {
        let byte = [UInt8(0), 1, 0xFF][random.index(3)]
        return UUID(uuid: (byte, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(random.index(2))))
    }

    private mutating func text() -> String {
        let pieces = ["", "a", "b", "\0", "ä", "\u{FF}", "a\0", "😀"]
        return (0..<random.index(3)).map { _ in pieces[random.index(pieces.count)] }.joined()
    }
}

extension TableEngine {
    /// Runs a body in a serial transaction, and commits it.
    func change<R>(_ body: (any TableSession) throws -> R) throws -> R {
        let session = try begin(.serial)
        do {
            let result = try body(session)
            try session.commit()
            return result
        } catch {
            session.rollback()
            throw error
        }
    }
}

extension TableStructure {
    /// Rows of values for inserts.
    func rows(_ values: [[ColumnValue]]) throws -> RowBuffer {
        var rows = RowBuffer()
        for row in values { try rows.append(row, layout: layout) }
        return rows
    }
}

extension TableSession {
    @discardableResult
    func insert(
        _ table: TableStructure, _ values: [[ColumnValue]], onConflict: InsertStatement.Conflict = .fail
    ) throws -> ChangeResult {
        var statement = InsertStatement(table, rows: try table.rows(values))
        statement.onConflict = onConflict
        return try insert(statement)
    }

    /// All rows of a table, in the order of its key.
    func all(_ table: TableStructure, where predicate: TableKit.Predicate? = nil) throws -> [[ColumnValue]] {
        var query = Query(table)
        query.predicate = predicate
        query.isDistinct = false
        let stream = try run(query)
        var all: [[ColumnValue]] = []
        while let batch = try stream.next() { all += try batch.rows.values(batch.shape) }
        return all
    }
}

extension RowBuffer {
    /// The values of all rows.
    func values(_ shape: RowShape) throws -> [[ColumnValue]] {
        try (0..<count).map { number in
            try withRow(number) { row in
                try shape.columns(inLayout: try RowHeader.layout(of: row)).map { column in
                    switch column {
                    case .slot(let slot): try slot.value(in: row)
                    case .absent(let value): value
                    case .missing: .null
                    }
                }
            }
        }
    }
}

/// A database in memory.
func makeEngine(_ configuration: Configuration = Configuration()) throws -> (KeyValueStore, any TableEngine) {
    QuietErrors.begin()
    let store = try KeyValueStore.inMemory(configuration: configuration)
    return (store, try SiltstoneDatabaseConfiguration(store: store).engine)
}

/// Whether two values are the same, a NaN and itself too.
func same(_ a: [ColumnValue], _ b: [ColumnValue]) -> Bool {
    a.count == b.count && zip(a, b).allSatisfy { ColumnValue.areSame($0, $1) }
}
