public import Foundation

/// Decodes values from the compact encoding.
///
/// The counterpart of `JSONDecoder`; calls are independent. Bytes from an untrusted source are safe: damage throws an
/// error, and memory use stays proportional to the input.
public struct CompactDecoder {
    /// User information for the decoded values.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    /// Creates a decoder.
    public init() {}

    /// Decodes a value.
    /// - Throws: `DecodingError` if the bytes are damaged or do not fit the type; also errors of the value's own
    ///   decoding.
    /// - Complexity: O(*n*) in the size of the data if types decode their fields in nearly the order in which they
    ///   encoded them, otherwise O(*n*) for each level of nesting. Dictionaries also hash each of their keys.
    public func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T {
        let input = try CompactInput(data, userInfo: userInfo)
        let root = CompactDecodingNode(input, parent: nil, step: .root, start: input.body)
        var offset = input.body
        return try root.value(type, at: &offset, .root)
    }
}
