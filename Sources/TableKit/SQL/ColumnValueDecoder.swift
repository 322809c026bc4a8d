import Foundation

/// Decodes one column value: as a column type, by its raw value, or from JSON.
struct ColumnValueDecoder: Decoder, SingleValueDecodingContainer {
    let value: ColumnValue
    /// The column's name, for errors.
    let column: String?
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> { throw NeedsJSON() }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw NeedsJSON() }

    func decodeNil() -> Bool { value.isNull }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        if let column = type as? any ColumnConvertible.Type {
            guard let converted = try converted(to: column) as? T else { throw misfit(type) }
            return converted
        }
        if value.isNull && !(type is any ExpressibleByNilLiteral.Type) {
            throw CRUDDecoderError(
                "The value is NULL, but the property is not optional.", code: .notNull, column: column)
        }
        if case .json(let text) = value { return try nested(type, text) }
        do { return try T(from: self) } catch is NeedsJSON {
            guard case .text(let text) = value else { throw misfit(type) }
            return try nested(type, text)
        }
    }

    private func nested<T: Decodable>(_ type: T.Type, _ text: String) throws -> T {
        do { return try NestedJSON.decoder().decode(type, from: Data(text.utf8)) } catch {
            throw CRUDDecoderError("The value is no JSON of \(type): \(error)", code: .type, column: column)
        }
    }

    private func converted(to type: any ColumnConvertible.Type) throws -> any ColumnConvertible {
        do { return try type.init(columnValue: value) } catch {
            // A computed value has SQL's type, not the column's: for example text for a date.
            if !value.isNull, let coerced = value.coerced(to: type.columnType), coerced != value {
                return try type.init(columnValue: coerced)
            }
            throw misfit(type)
        }
    }

    private func misfit(_ type: Any.Type) -> CRUDDecoderError {
        CRUDDecoderError("The value \(value) is no \(type), or out of its range.", code: .type, column: column)
    }
}

/// Thrown when a type requests properties or elements: its value is stored as JSON.
private struct NeedsJSON: Error {}
