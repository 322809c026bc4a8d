public import Foundation

/// The compact encoding: small, exact, several times as fast as JSON, and stable across releases.
///
/// Numbers keep their bits, including infinities and NaN payloads. Data is stored without expansion. The keys of an
/// array of structures are stored once. Fields may be added and removed as with JSON: a decoder skips unknown fields,
/// and missing ones are nil if their properties are optional. `Docs/Format.md` describes the bytes.
public struct CompactDataTransformer: DataTransformer {
    /// Creates a transformer.
    public init() {}

    /// Encodes a value.
    public func encode<T: Encodable>(_ object: T) async throws -> Data {
        try CompactEncoder().encode(object)
    }

    /// Decodes a value.
    /// - Throws: `DecodingError` for bytes that are damaged or of another type.
    public func decode<T: Decodable>(data: Data) async throws -> T {
        try CompactDecoder().decode(T.self, from: data)
    }
}
