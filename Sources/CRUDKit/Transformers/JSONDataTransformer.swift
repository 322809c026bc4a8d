public import Foundation

/// JSON (RFC 8259), readable for people and for every other language.
///
/// JSON has no numbers that are infinite or not a number: by default such an item is refused. An encoder with a
/// strategy for them can be passed in, and one for dates and data too.
public struct JSONDataTransformer: DataTransformer {
    private let encoder: JSONEncoder
    private let decoder: JSONDecoder

    /// Creates a transformer.
    /// - Parameters:
    ///   - encoder: shared by all calls; not to be changed after this.
    ///   - decoder: shared by all calls; its strategies must match the encoder's.
    public init(encoder: JSONEncoder = JSONEncoder(), decoder: JSONDecoder = JSONDecoder()) {
        self.encoder = encoder
        self.decoder = decoder
    }

    /// The value as JSON text.
    public func encode<T: Encodable>(_ object: T) async throws -> Data {
        try encoder.encode(object)
    }

    /// The value of JSON text.
    public func decode<T: Decodable>(data: Data) async throws -> T {
        try decoder.decode(T.self, from: data)
    }
}
