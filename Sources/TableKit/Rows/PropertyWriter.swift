import Foundation

/// Writes one property. Created once for a property and a type, so that the slow casts happen once.
class PropertyWriter {}

/// Writes properties of one type.
class TypedWriter<T>: PropertyWriter {
    func write(_ value: T, _ writer: RowWriter, _ number: Int) throws { throw writer.unsupported(number) }

    /// Creates the writer for a type.
    static func make() -> TypedWriter<T> {
        let writer: PropertyWriter =
            switch ValueKind(T.self) {
            case .convertible(let type): (type as? any FastColumn.Type)?.fastWriter() ?? type.writer()
            case .raw(let type, _): type.writer()
            case .optional(let type): type.writer()
            case .wrapper(let type): type.writer()
            case .nested: (T.self as? any Encodable.Type)?.nestedWriter() ?? TypedWriter<T>()
            }
        return writer as? TypedWriter<T> ?? TypedWriter<T>()
    }
}

/// The writers of a type's properties, by number.
@safe final class PropertyWriters {
    @safe private struct Known {
        var type: ObjectIdentifier?
        // Unretained and untyped: no reference count, and no metadata look-up for a cast to a generic class.
        var writer: UnsafeRawPointer?
    }

    private let known: UnsafeMutablePointer<Known>
    /// Keeps the writers alive.
    private var writers: [PropertyWriter?]

    init(count: Int) {
        unsafe known = .allocate(capacity: count)
        unsafe known.initialize(repeating: Known(), count: count)
        writers = Array(repeating: nil, count: count)
    }

    deinit { unsafe known.deallocate() }

    /// The writer of a property for a type.
    @inline(__always)
    func writer<T>(_ type: T.Type, _ number: Int) -> TypedWriter<T> {
        let found = unsafe known[number]
        if found.type == ObjectIdentifier(type), let writer = unsafe found.writer {
            return unsafe Unmanaged<TypedWriter<T>>.fromOpaque(writer).takeUnretainedValue()
        }
        return make(type, number)
    }

    @inline(never)
    private func make<T>(_ type: T.Type, _ number: Int) -> TypedWriter<T> {
        let writer = TypedWriter<T>.make()
        writers[number] = writer
        unsafe known[number] = Known(type: ObjectIdentifier(type), writer: Unmanaged.passUnretained(writer).toOpaque())
        return writer
    }
}

private final class FastWriter<T: FastColumn>: TypedWriter<T> {
    override func write(_ value: T, _ writer: RowWriter, _ number: Int) throws { try value.write(writer, number) }
}

private final class ConvertibleWriter<T: ColumnConvertible>: TypedWriter<T> {
    override func write(_ value: T, _ writer: RowWriter, _ number: Int) throws {
        try writer.set(number, value.columnValue)
    }
}

private final class RawWriter<T: RawRepresentable>: TypedWriter<T> {
    private let raw = TypedWriter<T.RawValue>.make()

    override func write(_ value: T, _ writer: RowWriter, _ number: Int) throws {
        try raw.write(value.rawValue, writer, number)
    }
}

private final class OptionalWriter<Wrapped>: TypedWriter<Wrapped?> {
    private let wrapped = TypedWriter<Wrapped>.make()

    override func write(_ value: Wrapped?, _ writer: RowWriter, _ number: Int) throws {
        if let value { try wrapped.write(value, writer, number) } else { try writer.setNull(number) }
    }
}

private final class WrapperWriter<T: ColumnWrapper>: TypedWriter<T> {
    private let value = TypedWriter<T.Value>.make()

    override func write(_ value: T, _ writer: RowWriter, _ number: Int) throws {
        let set: T.Value
        do {
            set = try value.setValue()
        } catch {
            throw CRUDEncoderError(
                error.message, code: error.code, table: writer.structure.name, column: writer.names[number])
        }
        try self.value.write(set, writer, number)
    }
}

private final class NestedWriter<T: Encodable>: TypedWriter<T> {
    override func write(_ value: T, _ writer: RowWriter, _ number: Int) throws {
        let json = try writer.json.encode(value)
        guard writer.takes(.json, number) else {
            try writer.set(number, .json(String(decoding: json, as: UTF8.self)))
            return
        }
        unsafe json.withUnsafeBytes { unsafe writer.setBytes(number, $0) }
    }
}

extension FastColumn {
    fileprivate static func fastWriter() -> PropertyWriter { FastWriter<Self>() }
}

extension ColumnConvertible {
    fileprivate static func writer() -> PropertyWriter { ConvertibleWriter<Self>() }
}

extension RawRepresentable {
    fileprivate static func writer() -> PropertyWriter { RawWriter<Self>() }
}

extension OptionalProtocol {
    fileprivate static func writer() -> PropertyWriter { OptionalWriter<Wrapped>() }
}

extension ColumnWrapper {
    fileprivate static func writer() -> PropertyWriter { WrapperWriter<Self>() }
}

extension Encodable {
    fileprivate static func nestedWriter() -> PropertyWriter { NestedWriter<Self>() }
}
