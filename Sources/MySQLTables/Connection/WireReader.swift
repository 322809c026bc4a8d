#if MySQL
import CMariaDB
import TableKit
import TableSQL

/// Decodes rows of the binary protocol in place, cell by cell, from a callback of the library.
final class WireReader {
    /// The encoding of a column's cells.
    private struct Column {
        var wire: enum_field_types
        var isUnsigned: Bool
        var isBinary: Bool
        var wanted: ColumnType
        var name: String
    }

    private var columns: [Column] = []
    private var row: [ColumnValue] = []
    private var failure: SQLConnectionError?
    /// The row that cells are copied into; nil if they become values.
    private var target: RowAssembler?
    private var slots: [RowSlot] = []

    /// Prepares for the result of a statement.
    /// - Throws: ``SQLConnectionError`` if the number of columns differs.
    func begin(_ statement: UnsafeMutablePointer<MYSQL_STMT>, as types: [ColumnType]) throws {
        let count = Int(mysql_stmt_field_count(statement))
        guard types.isEmpty || types.count == count else {
            throw SQLConnectionError(
                .statement, code: .argument, "The result has \(count) columns, and not \(types.count).")
        }
        failure = nil
        guard let fields = mariadb_stmt_fetch_fields(statement) else { return columns = [] }
        if isSame(fields, types) { return }
        columns = types.indices.map { number in
            let field = fields[number]
            return Column(
                wire: field.type, isUnsigned: Self.isUnsigned(field), isBinary: Self.isBinary(field),
                wanted: types[number], name: field.name.map { String(cString: $0) } ?? "")
        }
    }

    private static func isUnsigned(_ field: MYSQL_FIELD) -> Bool { field.flags & UInt32(UNSIGNED_FLAG) != 0 }
    private static func isBinary(_ field: MYSQL_FIELD) -> Bool { field.charsetnr == 63 }

    /// Whether the columns are those of the result before: the rule for a statement that runs again. A statement keeps
    /// its names.
    private func isSame(_ fields: UnsafePointer<MYSQL_FIELD>, _ types: [ColumnType]) -> Bool {
        guard columns.count == types.count else { return false }
        for number in types.indices {
            guard columns[number].wire == fields[number].type, columns[number].wanted == types[number],
                columns[number].isUnsigned == Self.isUnsigned(fields[number]),
                columns[number].isBinary == Self.isBinary(fields[number])
            else { return false }
        }
        return true
    }

    /// Makes the next row go into `row` instead of values.
    func read(into row: RowAssembler, _ slots: [RowSlot]) {
        target = row
        self.slots = slots
    }

    /// Lets go of the row that was read last, or was to be read.
    func dropRow() {
        target = nil
        row.removeAll(keepingCapacity: true)
    }

    /// - Throws: ``SQLConnectionError`` if a value did not fit its type.
    func check() throws { if let failure { throw failure } }

    /// Makes the library pass cells to this reader, which must live as long as the statement.
    func install(_ statement: UnsafeMutablePointer<MYSQL_STMT>) {
        mysql_stmt_attr_set(statement, STMT_ATTR_CB_USER_DATA, Unmanaged.passUnretained(self).toOpaque())
        let callback: ps_result_callback = { reader, column, cell in
            guard let reader else { return }
            Unmanaged<WireReader>.fromOpaque(reader).takeUnretainedValue().read(Int(column), cell)
        }
        mysql_stmt_attr_set(statement, STMT_ATTR_CB_RESULT, unsafeBitCast(callback, to: UnsafeRawPointer.self))
    }

    /// The row decoded last.
    /// - Throws: ``SQLConnectionError`` if a value does not fit its type.
    func takeRow() throws -> [ColumnValue] {
        defer { row.removeAll(keepingCapacity: false) }
        if let failure { throw failure }
        return row
    }

    /// Decodes one cell, nil for NULL, and advances the library's position behind it.
    private func read(_ number: Int, _ place: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) {
        if let target {
            if number < slots.count { copy(number, place, target) }
            return
        }
        guard number < columns.count else { return }
        if number == 0 { row.reserveCapacity(columns.count) }
        guard let place, let start = place.pointee else { return row.append(.null) }
        let column = columns[number]
        var cursor = WireCursor(start)
        let cell = cursor.cell(column.wire, isUnsigned: column.isUnsigned, isBinary: column.isBinary)
        place.pointee = cursor.place
        if cursor.isMalformed { noteMalformed(column) }
        if let value = cell.value(as: column.wanted) { return row.append(value) }
        row.append(.null)
        note(cell, column)
    }

    private func note(_ cell: WireCell, _ column: Column) {
        if failure != nil { return }
        let reason = cell.isNoText ? ": it is no UTF-8. Read the column as bytes." : "."
        failure = SQLConnectionError(
            .statement, code: .type, "The value \(cell) is no value of type \(column.wanted)\(reason)",
            column: column.name)
    }

    private func noteMalformed(_ column: Column) {
        if failure != nil { return }
        failure = SQLConnectionError(
            .statement, code: .corrupt, "The server's answer cannot be read: a value is longer than any row.",
            column: column.name)
    }

    /// Copies a cell into the row.
    private func copy(
        _ number: Int, _ place: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?, _ row: RowAssembler
    ) {
        guard let place, let start = place.pointee else { return }
        var cursor = WireCursor(start)
        defer {
            place.pointee = cursor.place
            if cursor.isMalformed { noteMalformed(columns[number]) }
        }
        switch (columns[number].wire, columns[number].wanted) {
        case (MYSQL_TYPE_LONGLONG, .int64) where !columns[number].isUnsigned,
            (MYSQL_TYPE_DOUBLE, .double), (MYSQL_TYPE_DOUBLE, .date):
            return row.setFixed(slots[number], cursor.take(UInt64.self))
        // The server checks text, but not the bytes of columns without a character set.
        case (MYSQL_TYPE_VAR_STRING, .string) where !columns[number].isBinary,
            (MYSQL_TYPE_STRING, .string) where !columns[number].isBinary,
            (MYSQL_TYPE_BLOB, .string) where !columns[number].isBinary, (MYSQL_TYPE_BLOB, .bytes):
            return row.setBytes(slots[number], UnsafeRawBufferPointer(cursor.text()))
        default: break
        }
        let column = columns[number]
        let cell = cursor.cell(column.wire, isUnsigned: column.isUnsigned, isBinary: column.isBinary)
        do {
            if let value = cell.value(as: column.wanted) { return try row.set(slots[number], value) }
        } catch {}
        note(cell, column)
    }
}

/// A position in a row of the binary protocol.
struct WireCursor {
    /// No row has more bytes: the largest `max_allowed_packet`.
    private static let longestRow = 1 << 30

    private(set) var place: UnsafeMutablePointer<UInt8>
    /// Whether a cell claims to be longer than any row.
    private(set) var isMalformed = false

    init(_ place: UnsafeMutablePointer<UInt8>) { self.place = place }

    /// Decodes the next cell.
    mutating func cell(_ wire: enum_field_types, isUnsigned: Bool, isBinary: Bool) -> WireCell {
        switch wire {
        case MYSQL_TYPE_TINY:
            let byte = take(UInt8.self)
            return .integer(isUnsigned ? Int64(byte) : Int64(Int8(bitPattern: byte)))
        case MYSQL_TYPE_SHORT, MYSQL_TYPE_YEAR:
            let value = take(UInt16.self)
            return .integer(isUnsigned ? Int64(value) : Int64(Int16(bitPattern: value)))
        case MYSQL_TYPE_LONG, MYSQL_TYPE_INT24:
            let value = take(UInt32.self)
            return .integer(isUnsigned ? Int64(value) : Int64(Int32(bitPattern: value)))
        case MYSQL_TYPE_LONGLONG:
            let value = take(UInt64.self)
            return isUnsigned && value > UInt64(Int64.max)
                ? .unsigned(value) : .integer(Int64(bitPattern: value))
        case MYSQL_TYPE_FLOAT: return .real(Double(Float(bitPattern: take(UInt32.self))))
        case MYSQL_TYPE_DOUBLE: return .real(Double(bitPattern: take(UInt64.self)))
        case MYSQL_TYPE_DATE, MYSQL_TYPE_DATETIME, MYSQL_TYPE_TIMESTAMP: return .text(date(wire))
        case MYSQL_TYPE_TIME: return .text(time())
        default: return isBinary && !Self.isNumber(wire) ? .bytes(bytes()) : .text(bytes())
        }
    }

    /// Decimal numbers arrive as text, but with the binary character set.
    private static func isNumber(_ wire: enum_field_types) -> Bool {
        wire == MYSQL_TYPE_NEWDECIMAL || wire == MYSQL_TYPE_DECIMAL
    }

    mutating func take<T: FixedWidthInteger>(_ type: T.Type) -> T {
        defer { place += MemoryLayout<T>.size }
        return T(littleEndian: UnsafeRawPointer(place).loadUnaligned(as: T.self))
    }

    private mutating func bytes() -> [UInt8] { Array(text()) }

    /// Reads bytes with a length prefix, valid as long as the row.
    mutating func text() -> UnsafeBufferPointer<UInt8> {
        let first = take(UInt8.self)
        var count =
            switch first {
            case 252: Int(take(UInt16.self))
            case 253: Int(take(UInt16.self)) | Int(take(UInt8.self)) << 16
            case 254: Int(clamping: take(UInt64.self))
            default: Int(first)
            }
        if count > Self.longestRow {
            isMalformed = true
            count = 0
        }
        defer { place += count }
        return UnsafeBufferPointer(start: place, count: count)
    }

    /// Reads the fields of a date or a time, with a length prefix.
    private mutating func fields() -> UnsafeBufferPointer<UInt8> {
        let count = Int(take(UInt8.self))
        defer { place += count }
        return UnsafeBufferPointer(start: place, count: count)
    }

    /// Reads a date, in the server's text format.
    private mutating func date(_ wire: enum_field_types) -> [UInt8] {
        let fields = fields()
        func part(_ offset: Int, _ width: Int) -> Int { Self.number(fields, offset, width) }
        var text = Self.padded(part(0, 2), 4) + "-" + Self.padded(part(2, 1), 2) + "-" + Self.padded(part(3, 1), 2)
        if wire == MYSQL_TYPE_DATE { return Array(text.utf8) }
        text += " " + [part(4, 1), part(5, 1), part(6, 1)].map { Self.padded($0, 2) }.joined(separator: ":")
        if part(7, 4) != 0 { text += "." + Self.padded(part(7, 4), 6) }
        return Array(text.utf8)
    }

    private mutating func time() -> [UInt8] {
        let fields = fields()
        func part(_ offset: Int, _ width: Int) -> Int { Self.number(fields, offset, width) }
        let hours = part(1, 4) * 24 + part(5, 1)
        var text = (part(0, 1) == 1 ? "-" : "") + Self.padded(hours, 2)
        text += ":" + Self.padded(part(6, 1), 2) + ":" + Self.padded(part(7, 1), 2)
        if part(8, 4) != 0 { text += "." + Self.padded(part(8, 4), 6) }
        return Array(text.utf8)
    }

    /// A number among the fields of a date or a time; 0 if it is left out.
    private static func number(_ fields: UnsafeBufferPointer<UInt8>, _ offset: Int, _ width: Int) -> Int {
        guard offset + width <= fields.count else { return 0 }
        return (0..<width).reduce(0) { $0 | Int(fields[offset + $1]) << (8 * $1) }
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
#endif
