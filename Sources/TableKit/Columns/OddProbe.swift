import Foundation

/// Unusual probes. They exclude computed properties that equal a column for usual values alone, such as
/// `name.lowercased()`, `max(0, amount)` or `nickname ?? name`. ``OddProbeTable`` says where they are read.
enum OddProbe: CaseIterable {
    /// Negative numbers, and text with capitals, an accent and blanks at both ends.
    case low
    /// Large numbers, long text.
    case high
    /// Nil, else zero or empty.
    case absent

    /// A value of a standard type, or of an optional of any type; nil for other types and for a refused value.
    func value<T: Decodable>(_ type: T.Type) -> T? {
        do {
            // Unwrapped before the cast: nil casts to every optional type.
            guard let made = try made(type) else { return nil }
            return made as? T
        } catch {
            return nil
        }
    }

    private func made(_ type: Any.Type) throws -> Any? {
        switch ValueKind(type) {
        case .convertible(let column):
            guard OddProbe.standardTypes.contains(ObjectIdentifier(type)) else { return nil }
            return try column.init(columnValue: columnValue(column.columnType))
        case .optional(let optional):
            if self == .absent { return optional.none }
            return try made(optional.wrapped).flatMap(optional.some(any:))
        case .wrapper(let wrapper): return try made(wrapper.wrapped).flatMap(wrapper.wrapping(any:))
        case .raw, .nested: return nil
        }
    }

    /// The types whose initializers are known. Those of a program's own types may trap.
    private static let standardTypes: Set<ObjectIdentifier> = {
        let types: [any ColumnConvertible.Type] = [
            Bool.self, Int.self, Int8.self, Int16.self, Int32.self, Int64.self, UInt.self, UInt8.self, UInt16.self,
            UInt32.self, UInt64.self, Float.self, Double.self, String.self, Date.self, UUID.self, URL.self, Data.self,
            [UInt8].self, [Int8].self,
        ]
        return Set(types.map { ObjectIdentifier($0) })
    }()

    /// The column type of a standard integer type; nil for others.
    static func integerType(_ type: Any.Type) -> ColumnType? {
        guard standardTypes.contains(ObjectIdentifier(type)), case .convertible(let column) = ValueKind(type),
            column.columnType.isInteger
        else { return nil }
        return column.columnType
    }

    /// The probe for a column of a type. Integers leave room for a computation that a property may make of them.
    func columnValue(_ type: ColumnType) -> ColumnValue {
        switch type {
        case .bool: .bool(self == .high)
        case .int8: .integer(choose(-3, 117, 0))
        case .int16, .int32, .int64: .integer(choose(-3, 10_017, 0))
        case .uint8: .integer(choose(0, 217, 0))
        case .uint16, .uint32, .uint64: .integer(choose(0, 10_017, 0))
        case .float, .double: .real(choose(-1.75, 10_017.375, 0))
        case .date: .date(Date(timeIntervalSinceReferenceDate: choose(-1e9 + 0.75, 4e9 + 0.75, 0)))
        case .uuid: .uuid(choose(UUID.emptyColumn, UUID.highest, UUID.emptyColumn))
        case .string, .json: .text(choose(" Ze\u{301} \n", String(repeating: "Qx", count: 60), ""))
        case .bytes: .bytes(choose([0, 255, 0], Array(repeating: 255, count: 300), []))
        }
    }

    private func choose<V>(_ low: V, _ high: V, _ absent: V) -> V {
        switch self {
        case .low: low
        case .high: high
        case .absent: absent
        }
    }
}

extension UUID {
    fileprivate static let highest = UUID(
        uuid: (255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255))
}
