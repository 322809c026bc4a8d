public import Foundation

/// The compact encoding: small, exact, several times as fast as JSON, and stable across releases.
///
/// Numbers keep their bits, infinities and NaN payloads included; data takes its own length; the keys of an array of
/// structures are stored once. Fields may be added and removed as with JSON: a decoder skips what it does not know, and
/// a field that is missing is nil where its property is optional. `Docs/Format.md` describes the bytes.
public struct CompactDataTransformer: DataTransformer {
    /// Creates a transformer.
    public init() {}

    /// The value in the compact encoding.
    public func encode<T: Encodable>(_ object: T) async throws -> Data {
        try CompactEncoder().encode(object)
    }

    /// The value of bytes in the compact encoding.
    /// - Throws: `DecodingError`, whatever the bytes.
    public func decode<T: Decodable>(data: Data) async throws -> T {
        try CompactDecoder().decode(T.self, from: data)
    }
}
