public import Foundation

/// Encodes and decodes items: the storage format of a repository.
///
/// Every `Encodable` value, even a bare number, string or array, must survive ``encode(_:)`` and ``decode(data:)``.
///
/// All tasks that use a repository share its transformer, so it must be `Sendable`: a structure, or a final class
/// without state.
public protocol DataTransformer: Sendable {
    /// Encodes a value.
    /// - Throws: the encoder's error, usually `EncodingError`.
    func encode<T: Encodable>(_ object: T) async throws -> Data

    /// Decodes a value.
    /// - Throws: the decoder's error, usually `DecodingError`, if the bytes are damaged or of another type.
    func decode<T: Decodable>(data: Data) async throws -> T
}
