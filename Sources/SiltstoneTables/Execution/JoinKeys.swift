import TableKit

/// Numbers the different values by which rows are joined, in the order in which they come.
struct JoinKeys {
    private let type: ColumnType
    private let isScalar: Bool
    private var numbers: [Int64: Int32] = [:]
    private var texts: [[UInt8]: Int32] = [:]
    /// How many different values there are.
    private(set) var count = 0

    /// - Parameter type: the type of the joined table's column.
    init(_ type: ColumnType) {
        self.type = type
        isScalar = ScalarOrder.covers(type)
    }

    /// The number of a value of any type, which is given one if it has none; nil where no row can have it.
    mutating func add(_ value: ColumnValue) -> Int32? {
        guard !value.isNull, let exact = LiteralBounds(value, for: type).exact else { return nil }
        return insert(exact)
    }

    /// As ``add(_:)``, for values that rows have already.
    func number(of value: ColumnValue) -> Int32? {
        guard !value.isNull, let exact = LiteralBounds(value, for: type).exact else { return nil }
        if isScalar, let number = ScalarOrder.number(exact, type) { return numbers[number] }
        return texts[exact.comparableBytes]
    }

    private mutating func insert(_ value: ColumnValue) -> Int32 {
        let next = Int32(count)
        if let number = ScalarOrder.number(value, type), isScalar {
            let found = numbers[number, default: next]
            if found == next {
                numbers[number] = next
                count += 1
            }
            return found
        }
        let bytes = value.comparableBytes
        let found = texts[bytes, default: next]
        if found == next {
            texts[bytes] = next
            count += 1
        }
        return found
    }

    /// The number of the value in a row's column of the joined table; nil where it has none.
    func number(_ place: ShapeColumn, in row: RawSpan) throws -> Int32? {
        switch place {
        case .slot(let slot):
            if try slot.isNull(in: row) { return nil }
            if isScalar {
                guard row.byteCount >= slot.endsStart else { throw RowSlot.shortJoinedRow }
                return numbers[
                    row.withUnsafeBytes { ScalarOrder.load(slot.type, $0.baseAddress.unsafelyUnwrapped + slot.place) }]
            }
            return texts[try slot.value(in: row).comparableBytes]
        case .absent(let value):
            // NULL has the bytes of an empty text.
            if value.isNull { return nil }
            if isScalar { return ScalarOrder.number(value, type).flatMap { numbers[$0] } }
            return texts[value.comparableBytes]
        case .missing: return nil
        }
    }

    /// As ``number(_:in:)``, for values that are given a number if they have none.
    mutating func add(_ place: ShapeColumn, in row: RawSpan) throws -> Int32? {
        if let number = try number(place, in: row) { return number }
        switch place {
        case .slot(let slot):
            let value = try slot.value(in: row)
            return value.isNull ? nil : insert(value)
        case .absent(let value): return value.isNull ? nil : insert(value)
        case .missing: return nil
        }
    }
}

extension RowSlot {
    fileprivate static var shortJoinedRow: CRUDDecoderError {
        CRUDDecoderError("A joined row is shorter than its layout says.", code: .corrupt)
    }
}
