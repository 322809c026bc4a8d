public import Foundation

/// XML, in the vocabulary of Apple's property lists.
///
/// A property list is a dictionary or an array. A value of another kind, a bare number, say, is stored in a dictionary
/// with the single key `CRUDKit.fragment`.
public struct XMLDataTransformer: DataTransformer {
    private let coder = PropertyListCoder(format: .xml)

    /// Creates a transformer.
    public init() {}

    /// The value as an XML property list.
    public func encode<T: Encodable>(_ object: T) async throws -> Data { try coder.encode(object) }

    /// The value of a property list of any format.
    public func decode<T: Decodable>(data: Data) async throws -> T { try coder.decode(data) }
}

/// Apple's binary property lists: smaller than XML, and as widely readable.
///
/// A value that is neither dictionary nor array is stored as ``XMLDataTransformer`` does.
public struct BinaryPropertyListDataTransformer: DataTransformer {
    private let coder = PropertyListCoder(format: .binary)

    /// Creates a transformer.
    public init() {}

    /// The value as a binary property list.
    public func encode<T: Encodable>(_ object: T) async throws -> Data { try coder.encode(object) }

    /// The value of a property list of any format.
    public func decode<T: Decodable>(data: Data) async throws -> T { try coder.decode(data) }
}

/// A property-list encoder and decoder that take fragments too.
private struct PropertyListCoder: Sendable {
    private let encoder: PropertyListEncoder
    private let decoder = PropertyListDecoder()

    init(format: PropertyListSerialization.PropertyListFormat) {
        encoder = PropertyListEncoder()
        encoder.outputFormat = format
    }

    func encode<T: Encodable>(_ value: T) throws -> Data {
        do {
            return try encoder.encode(value)
        } catch let error as EncodingError {
            // Whether a value is a fragment shows only when it is encoded: an error at the top level is the one sign of
            // it. Anything else fails a second time here, and with the same error.
            guard case .invalidValue(_, let context) = error, context.codingPath.isEmpty else { throw error }
            return try encoder.encode(Fragment(value: value))
        }
    }

    func decode<T: Decodable>(_ data: Data) throws -> T {
        try decoder.decode(Document<T>.self, from: data).value
    }
}

private enum FragmentKey: String, CodingKey {
    case value = "CRUDKit.fragment"
}

/// A value in a dictionary of its own.
private struct Fragment<T: Encodable>: Encodable {
    let value: T

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FragmentKey.self)
        try container.encode(value, forKey: .value)
    }
}

/// A value that may be in a dictionary of its own.
private struct Document<T: Decodable>: Decodable {
    let value: T

    init(from decoder: any Decoder) throws {
        if let container = Self.fragment(decoder) {
            value = try container.decode(T.self, forKey: .value)
        } else {
            // By way of a container, which knows the types that property lists have themselves, such as dates.
            value = try decoder.singleValueContainer().decode(T.self)
        }
    }

    private static func fragment(_ decoder: any Decoder) -> KeyedDecodingContainer<FragmentKey>? {
        do {
            let container = try decoder.container(keyedBy: FragmentKey.self)
            return container.contains(.value) ? container : nil
        } catch {
            return nil  // an array
        }
    }
}
