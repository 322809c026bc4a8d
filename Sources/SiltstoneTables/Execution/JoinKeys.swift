import TableKit

/// Numbers the distinct join values in the order of their first occurrence.
struct JoinKeys {
    let type: ColumnType
    private let isScalar: Bool
    private var numbers = ScalarNumbers()
    private var texts: [[UInt8]: Int32] = [:]
    /// The number of distinct values.
    private(set) var count = 0

    /// - Parameter type: the type of the joined table's column.
    init(_ type: ColumnType) {
        self.type = type
        isScalar = ScalarOrder.covers(type)
    }

    /// The number of a value of any type. Assigns one to a new value. Returns nil if no row can have the value.
    mutating func add(_ value: ColumnValue) -> Int32? {
        guard !value.isNull, let exact = LiteralBounds(value, for: type).exact else { return nil }
        return insert(exact)
    }

    /// As ``add(_:)``, but returns nil for a new value.
    func number(of value: ColumnValue) -> Int32? {
        guard !value.isNull, let exact = LiteralBounds(value, for: type).exact else { return nil }
        if isScalar, let number = ScalarOrder.number(exact, type) { return numbers.number(of: number) }
        return texts[exact.comparableBytes]
    }

    private mutating func insert(_ value: ColumnValue) -> Int32 {
        let next = Int32(count)
        if isScalar, let number = ScalarOrder.number(value, type) { return insert(number) }
        let bytes = value.comparableBytes
        let found = texts[bytes, default: next]
        if found == next {
            texts[bytes] = next
            count += 1
        }
        return found
    }

    private mutating func insert(_ scalar: Int64) -> Int32 {
        let found = numbers.insert(scalar, Int32(count))
        if Int(found) == count { count += 1 }
        return found
    }

    /// The number of the value in a joined row's column; nil for NULL and values without a number.
    func number(_ place: ShapeColumn, in row: RawSpan) throws -> Int32? {
        switch place {
        case .slot(let slot):
            if try slot.isNull(in: row) { return nil }
            if isScalar {
                return numbers.number(of: try slot.scalar(in: row))
            }
            return texts[try slot.value(in: row).comparableBytes]
        case .absent(let value):
            // NULL would have the bytes of an empty text.
            if value.isNull { return nil }
            if isScalar { return ScalarOrder.number(value, type).flatMap { numbers.number(of: $0) } }
            return texts[value.comparableBytes]
        case .missing: return nil
        }
    }

    /// As ``number(_:in:)``, but assigns a number to a new value.
    mutating func add(_ place: ShapeColumn, in row: RawSpan) throws -> Int32? {
        switch place {
        case .slot(let slot):
            if isScalar { return try slot.isNull(in: row) ? nil : insert(try slot.scalar(in: row)) }
            let value = try slot.value(in: row)
            return value.isNull ? nil : insert(value)
        case .absent(let value): return value.isNull ? nil : insert(value)
        case .missing: return nil
        }
    }
}

extension RowSlot {
    /// The value of a column as ``ScalarOrder`` maps it. Only for types that it covers.
    @inline(__always)
    fileprivate func scalar(in row: RawSpan) throws -> Int64 {
        guard row.byteCount >= endsStart else { throw RowSlot.shortJoinedRow }
        return unsafe row.withUnsafeBytes { unsafe ScalarOrder.load(type, $0.baseAddress.unsafelyUnwrapped + place) }
    }

    fileprivate static var shortJoinedRow: CRUDDecoderError {
        CRUDDecoderError("A joined row is shorter than its layout says.", code: .corrupt)
    }
}
