import Foundation

/// Probes: two made-up values of each type, which identify the column that a key path reads.
enum Probe {
    /// The first or the second probe of a type. Optionals have a value down to the depth ``deepest``.
    /// - Throws: the errors of the type's `init(from:)`; ``CRUDSQLGenError`` if the type has no two known values.
    static func value<T: Decodable>(_ type: T.Type, second: Bool, depth: Int = 0) throws -> T {
        // Unwrapped before each cast: nil casts to every optional type.
        if let given = (type as? any ProbeValues.Type)?.given(second: second), let value = given as? T { return value }
        let made: Any? =
            switch ValueKind(type) {
            case .convertible(let column): try convertible(column, second: second)
            case .raw(let column, let raw): try rawValue(column, raw, second: second)
            case .optional(let optional): try wrapped(optional.wrapped, second, depth).flatMap(optional.some(any:))
            case .wrapper(let wrapper): try wrapped(wrapper.wrapped, second, depth).flatMap(wrapper.wrapping(any:))
            case .nested: try nested(type, second: second, depth: depth)
            }
        if let made, let value = made as? T { return value }
        throw unknown(type)
    }

    /// The nesting depth at which optionals are nil and arrays are empty. It ends the recursion of recursive types.
    static let deepest = 4

    /// The probe for a column of a type.
    static func columnValue(_ type: ColumnType, second: Bool) -> ColumnValue {
        switch type {
        case .bool: .bool(second)
        case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64: .integer(second ? 2 : 1)
        case .float, .double: .real(second ? 2.5 : 1.5)
        case .date: .date(Date(timeIntervalSinceReferenceDate: second ? 200_000.25 : 100_000.25))
        case .uuid:
            .uuid(UUID(uuid: (second ? 2 : 1, 0, 0, 0, 0, 0, 64, 0, 128, 0, 0, 0, 0, 0, 0, second ? 2 : 1)))
        case .string, .json: .text(second ? "b" : "a")
        case .bytes: .bytes([second ? 2 : 1])
        }
    }

    /// The column value of any value, also inside optionals and wrappers. Other encodable values are JSON; else nil.
    static func columnValue(of value: Any) throws -> ColumnValue? {
        switch value {
        case let value as any ColumnWrapper: try columnValue(of: value.wrappedAny)
        case let value as any OptionalProtocol: try value.wrappedValue.map(columnValue(of:)) ?? .null
        case let value as any ColumnConvertible: value.columnValue
        case let value as any RawRepresentable: try rawColumnValue(of: value)
        case let value as any Encodable: .json(String(decoding: try NestedJSON.encode(value), as: UTF8.self))
        default: nil
        }
    }

    private static func rawColumnValue<R: RawRepresentable>(of value: R) throws -> ColumnValue? {
        if let raw = value.rawValue as? any ColumnConvertible { return raw.columnValue }
        return try (value as? any Encodable).map { .json(String(decoding: try NestedJSON.encode($0), as: UTF8.self)) }
    }

    private static func wrapped(_ type: Any.Type, _ second: Bool, _ depth: Int) throws -> Any? {
        try (type as? any Decodable.Type).map { try value($0, second: second, depth: depth) }
    }

    private static func convertible(_ type: any ColumnConvertible.Type, second: Bool) throws -> Any? {
        if let known = enumeration(type, second: second) { return known }
        if let raw = type as? any RawRepresentable.Type, case .some(let column) = ValueKind.rawColumn(of: raw) {
            return try rawValue(raw, column, second: second)
        }
        return try type.init(columnValue: columnValue(type.columnType, second: second))
    }

    private static func nested<T: Decodable>(_ type: T.Type, second: Bool, depth: Int) throws -> Any? {
        do {
            return try T(from: NestedProbeDecoder(second: second, depth: depth + 1))
        } catch {
            if let known = enumeration(type, second: second) { return known }
            throw error
        }
    }

    static func unknown(_ type: Any.Type) -> CRUDSQLGenError {
        CRUDSQLGenError(
            "No values of \(type) are known, by which its column could be found: let it conform to ProbeValues.",
            code: .unsupported)
    }
}

extension ProbeValues {
    fileprivate static func given(second: Bool) -> Any { second ? probeValues.1 : probeValues.0 }
}

// MARK: Enums

extension Probe {
    /// The first or second case of an enum that is `CaseIterable`, or whose cases have no payload.
    static func enumeration(_ type: Any.Type, second: Bool) -> Any? {
        if let type = type as? any CaseIterable.Type { return listedCase(type, second: second) }
        return oneByteCase(type, second: second)
    }

    private static func listedCase<C: CaseIterable>(_ type: C.Type, second: Bool) -> Any? {
        let two = C.allCases.prefix(2)
        return second ? two.dropFirst().first ?? two.first : two.first
    }

    private static func oneByteCase<T>(_ type: T.Type, second: Bool) -> Any? {
        guard MemoryLayout<T>.stride == 1, _isPOD(type) else { return nil }
        // An enum with a raw value has a case. A type of zero bytes has exactly one value.
        if MemoryLayout<T>.size == 0 {
            return type is any RawRepresentable.Type ? unsafe unsafeBitCast((), to: type) : nil
        }
        // Swift numbers the cases of an enum without payloads from 0, and stores the number in one byte for 2 to 256
        // cases. So 0 and 1 are cases of each such enum, and valid values of every other decodable trivial type of one
        // byte. An enum that lists no cases offers no other way to two of its values.
        let value = unsafe unsafeBitCast(UInt8(second ? 1 : 0), to: type)
        return Mirror(reflecting: value).displayStyle == .enum ? value : nil
    }

    /// A probe by raw value: the usual probe, else the first small integers that the type accepts.
    private static func rawValue(
        _ type: any RawRepresentable.Type, _ raw: any ColumnConvertible.Type, second: Bool
    ) throws -> Any? {
        if let known = enumeration(type, second: second) { return known }
        let usual = columnValue(raw.columnType, second: second)
        if let value = try Self.value(type, raw: usual) { return value }
        guard raw.columnType.isInteger else { return nil }
        let accepted = try (0...1000).lazy.compactMap { try Self.value(type, raw: .integer($0)) }.prefix(2)
        return second ? accepted.dropFirst().first ?? accepted.first : accepted.first
    }

    static func value<R: RawRepresentable>(_ type: R.Type, raw: ColumnValue) throws -> Any? {
        guard let column = R.RawValue.self as? any ColumnConvertible.Type else { return nil }
        guard let raw = try column.init(columnValue: raw) as? R.RawValue else { return nil }
        return R(rawValue: raw)
    }
}
