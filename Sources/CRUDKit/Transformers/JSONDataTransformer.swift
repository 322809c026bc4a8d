public import Foundation

/// JSON (RFC 8259), readable by people and in every language.
///
/// JSON has no infinities and no NaN, so by default items with them are refused. A custom encoder can have strategies
/// for them, for dates and for data.
public struct JSONDataTransformer: DataTransformer {
    private let encoder: JSONEncoder
    private let decoder: JSONDecoder

    /// Creates a transformer.
    /// - Parameters:
    ///   - encoder: shared by all calls. Do not change it afterwards.
    ///   - decoder: shared by all calls. Its strategies must match the encoder's.
    public init(encoder: JSONEncoder = JSONEncoder(), decoder: JSONDecoder = JSONDecoder()) {
        self.encoder = encoder
        self.decoder = decoder
    }

    /// Encodes a value.
    public func encode<T: Encodable>(_ object: T) async throws -> Data {
        try encoder.encode(object)
    }

    /// Decodes a value.
    public func decode<T: Decodable>(data: Data) async throws -> T {
        try decoder.decode(T.self, from: data)
    }
}
