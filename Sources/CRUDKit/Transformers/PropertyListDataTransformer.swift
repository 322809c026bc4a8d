public import Foundation

/// XML property lists, as Apple defines them.
///
/// A property list is a dictionary or an array. Any other value, such as a bare number, is stored in a dictionary with
/// the single key `CRUDKit.fragment`, and so is a dictionary with that key. XML has dates of whole seconds; others are
/// stored in a dictionary with the single key `CRUDKit.date`. A dictionary of an item with that single key is stored
/// with the key `CRUDKit.date!`. A text `$null` is read as nil by an optional property: Foundation writes nil so.
public struct XMLDataTransformer: DataTransformer {
    private let coder = PropertyListCoder(format: .xml)

    /// Creates a transformer.
    public init() {}

    /// Encodes a value.
    public func encode<T: Encodable>(_ object: T) async throws -> Data { try coder.encode(object) }

    /// Decodes a value from a property list of any format.
    public func decode<T: Decodable>(data: Data) async throws -> T { try coder.decode(data) }
}

/// Apple's binary property lists: smaller than XML, and as widely readable.
///
/// Values that are neither dictionaries nor arrays are stored as by ``XMLDataTransformer``.
public struct BinaryPropertyListDataTransformer: DataTransformer {
    private let coder = PropertyListCoder(format: .binary)

    /// Creates a transformer.
    public init() {}

    /// Encodes a value.
    public func encode<T: Encodable>(_ object: T) async throws -> Data { try coder.encode(object) }

    /// Decodes a value from a property list of any format.
    public func decode<T: Decodable>(data: Data) async throws -> T { try coder.decode(data) }
}

/// Encodes and decodes property lists, including fragments.
private struct PropertyListCoder: Sendable {
    private let encoder: PropertyListEncoder
    /// For XML: an encoder of the format with exact dates.
    private let exactEncoder: PropertyListEncoder?
    private let decoder = PropertyListDecoder()

    init(format: PropertyListSerialization.PropertyListFormat) {
        encoder = PropertyListEncoder()
        encoder.outputFormat = format
        guard format == .xml else {
            exactEncoder = nil
            return
        }
        let exact = PropertyListEncoder()
        exact.outputFormat = .binary
        exactEncoder = exact
    }

    func encode<T: Encodable>(_ value: T) throws -> Data {
        let data = try encode(value, by: encoder)
        guard let exactEncoder, PropertyListDates.mayHaveDates(data) else { return data }
        return try PropertyListDates.xml(from: try encode(value, by: exactEncoder))
    }

    private func encode<T: Encodable>(_ value: T, by encoder: PropertyListEncoder) throws -> Data {
        do {
            let data = try encoder.encode(value)
            return Self.isFragment(data) ? try encoder.encode(Fragment(value: value)) : data
        } catch let error as EncodingError {
            // Only encoding shows that a value is a fragment: by an error at the top level. Other values fail again
            // here, with the same error.
            guard case .invalidValue(_, let context) = error, context.codingPath.isEmpty else { throw error }
            return try encoder.encode(Fragment(value: value))
        }
    }

    /// True if the property list of a value looks as if the value were a fragment.
    private static func isFragment(_ data: Data) -> Bool {
        let key = FragmentKey.value.rawValue
        guard data.contains(text: key) else { return false }
        do {
            let list = try unsafe PropertyListSerialization.propertyList(from: data, format: nil)
            return (list as? [String: Any])?[key] != nil
        } catch {
            return false  // The encoder makes no such list.
        }
    }

    func decode<T: Decodable>(_ data: Data) throws -> T {
        try decoder.decode(Document<T>.self, from: try PropertyListDates.restored(data)).value
    }
}

private enum FragmentKey: String, CodingKey {
    case value = "CRUDKit.fragment"
}

/// Wraps a value in a dictionary.
private struct Fragment<T: Encodable>: Encodable {
    let value: T

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FragmentKey.self)
        try container.encode(value, forKey: .value)
    }
}

/// A value that may be wrapped in a dictionary.
private struct Document<T: Decodable>: Decodable {
    let value: T

    init(from decoder: any Decoder) throws {
        if let container = Self.fragment(decoder) {
            value = try container.decode(T.self, forKey: .value)
        } else {
            // A container decodes the native types of property lists, such as dates.
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
