import Foundation

/// Unusual probes. They exclude computed properties that equal a column for usual values alone, such as
/// `name.lowercased()`, `max(0, amount)` or `nickname ?? name`.
enum OddProbe: CaseIterable {
    /// Negative numbers, and text with capitals, an accent and blanks at both ends.
    case low
    /// Large numbers, long text.
    case high
    /// Nil, else zero or empty.
    case absent

    /// A value of a type; nil if the type refuses it, has few values or chooses its probes itself.
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
        if type is any ProbeValues.Type { return nil }
        switch ValueKind(type) {
        case .convertible(let column):
            if let raw = type as? any RawRepresentable.Type, let column = ValueKind.rawColumn(of: raw) {
                return try rawValue(raw, column)
            }
            return try column.init(columnValue: columnValue(column.columnType))
        case .raw(let type, let column): return try rawValue(type, column)
        case .optional(let optional):
            if self == .absent { return optional.none }
            return try made(optional.wrapped).flatMap(optional.some(any:))
        case .wrapper(let wrapper): return try made(wrapper.wrapped).flatMap(wrapper.wrapping(any:))
        case .nested: return nil
        }
    }

    /// Nil for enums: they have no odd values.
    private func rawValue(_ type: any RawRepresentable.Type, _ raw: any ColumnConvertible.Type) throws -> Any? {
        if Probe.enumeration(type, second: false) != nil { return nil }
        return try Probe.value(type, raw: columnValue(raw.columnType))
    }

    /// The probe for a column of a type. Integers leave room for a computation that a property may make of them.
    private func columnValue(_ type: ColumnType) -> ColumnValue {
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
