public import Foundation

/// Turns items into bytes and back: the format in which a repository keeps what it is given.
///
/// Whatever `Encodable` value is encoded, a bare number, string or array too, must come back from ``decode(data:)``.
///
/// A transformer is shared by all tasks that use its repository, and so must be `Sendable`: a structure, or a final
/// class without state.
public protocol DataTransformer: Sendable {
    /// The bytes of a value.
    /// - Throws: the encoder's error, `EncodingError` as a rule.
    func encode<T: Encodable>(_ object: T) async throws -> Data

    /// The value of bytes.
    /// - Throws: the decoder's error, `DecodingError` as a rule, where the bytes are damaged or of another type.
    func decode<T: Decodable>(data: Data) async throws -> T
}
