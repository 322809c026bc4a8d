import Foundation

/// Reads one property. Created once for a property and a type, so that the slow casts happen once.
class PropertyReader {
    /// The type that it returns.
    let type: ObjectIdentifier

    fileprivate init(type: ObjectIdentifier) { self.type = type }
}

/// Reads properties of one type.
class TypedReader<T>: PropertyReader {
    init() { super.init(type: ObjectIdentifier(T.self)) }

    /// Reads a column that is not NULL.
    func read(_ reader: RowReader, _ number: Int) throws -> T { throw reader.unsupported(number) }

    /// The value for NULL and for missing columns; nil if the type has none.
    var nullValue: T? { nil }

    /// Creates the reader for a type.
    static func make() -> TypedReader<T> {
        let reader: PropertyReader =
            switch ValueKind(T.self) {
            case .convertible(let type): (type as? any FastColumn.Type)?.fastReader() ?? type.reader()
            case .raw(let type, _): type.reader()
            case .optional(let type): type.reader()
            case .wrapper(let type): type.reader()
            case .nested: (T.self as? any Decodable.Type)?.nestedReader() ?? TypedReader<T>()
            }
        return reader as? TypedReader<T> ?? TypedReader<T>()
    }
}

// `PropertyWriters` does the same. No generic parameter of Swift stands for both `TypedReader` and `TypedWriter`.
/// The readers of a type's properties, by number.
@safe final class PropertyReaders {
    @safe private struct Known {
        var type: ObjectIdentifier?
        // Unretained and untyped: no reference count, and no metadata look-up for a cast to a generic class.
        var reader: UnsafeRawPointer?
    }

    private let known: UnsafeMutablePointer<Known>
    /// Keeps the readers alive.
    private var readers: [PropertyReader?]

    init(count: Int) {
        unsafe known = .allocate(capacity: count)
        unsafe known.initialize(repeating: Known(), count: count)
        readers = Array(repeating: nil, count: count)
    }

    deinit { unsafe known.deallocate() }

    /// The reader of a property for a type.
    @inline(__always)
    func reader<T>(_ type: T.Type, _ number: Int) -> TypedReader<T> {
        let found = unsafe known[number]
        if found.type == ObjectIdentifier(type), let reader = unsafe found.reader {
            return unsafe Unmanaged<TypedReader<T>>.fromOpaque(reader).takeUnretainedValue()
        }
        return make(type, number)
    }

    @inline(never)
    private func make<T>(_ type: T.Type, _ number: Int) -> TypedReader<T> {
        let reader = TypedReader<T>.make()
        readers[number] = reader
        unsafe known[number] = Known(type: ObjectIdentifier(type), reader: Unmanaged.passUnretained(reader).toOpaque())
        return reader
    }
}

private final class FastReader<T: FastColumn>: TypedReader<T> {
    override func read(_ reader: RowReader, _ number: Int) throws -> T { try T.read(reader, number) }
}

private final class ConvertibleReader<T: ColumnConvertible>: TypedReader<T> {
    override func read(_ reader: RowReader, _ number: Int) throws -> T { try reader.converted(T.self, number) }
}

private final class RawReader<T: RawRepresentable>: TypedReader<T> {
    private let raw = TypedReader<T.RawValue>.make()

    override func read(_ reader: RowReader, _ number: Int) throws -> T {
        let raw = try raw.read(reader, number)
        guard let value = T(rawValue: raw) else {
            throw reader.misfit(
                number, T.self, CRUDDecoderError("The value \(raw) is no \(T.self).", code: .type))
        }
        return value
    }
}

private final class OptionalReader<Wrapped>: TypedReader<Wrapped?> {
    private let wrapped = TypedReader<Wrapped>.make()

    override var nullValue: Wrapped?? { .some(nil) }

    override func read(_ reader: RowReader, _ number: Int) throws -> Wrapped? {
        switch reader.presence(number) {
        case .value: try wrapped.read(reader, number)
        case .null, .missing: nil
        case .subTable: try reader.array(Wrapped.self, number)
        }
    }
}

private final class WrapperReader<T: ColumnWrapper>: TypedReader<T> {
    private let value = TypedReader<T.Value>.make()

    override var nullValue: T? { value.nullValue.map(T.init(stored:)) }

    override func read(_ reader: RowReader, _ number: Int) throws -> T {
        T(stored: try value.read(reader, number))
    }
}

private final class NestedReader<T: Decodable>: TypedReader<T> {
    override func read(_ reader: RowReader, _ number: Int) throws -> T {
        let json: Data
        if reader.holds(.json, number) {
            json = unsafe Data(try reader.bytes(number))
        } else {
            switch try reader.columnValue(number) {
            case .json(let text), .text(let text): json = Data(text.utf8)
            case let value: throw reader.misfit(number, T.self, String.misfit(value))
            }
        }
        do {
            return try reader.json.decode(T.self, from: json)
        } catch {
            throw reader.misfit(number, T.self, error)
        }
    }
}

extension FastColumn {
    fileprivate static func fastReader() -> PropertyReader { FastReader<Self>() }
}

extension ColumnConvertible {
    fileprivate static func reader() -> PropertyReader { ConvertibleReader<Self>() }
}

extension RawRepresentable {
    fileprivate static func reader() -> PropertyReader { RawReader<Self>() }
}

extension OptionalProtocol {
    fileprivate static func reader() -> PropertyReader { OptionalReader<Wrapped>() }
}

extension ColumnWrapper {
    fileprivate static func reader() -> PropertyReader { WrapperReader<Self>() }
}

extension Decodable {
    fileprivate static func nestedReader() -> PropertyReader { NestedReader<Self>() }
}
