public import Foundation

/// Decodes values from the compact encoding.
///
/// The counterpart of `JSONDecoder`; each call stands for itself. Bytes from an unknown source do no harm: an error is
/// thrown, with no more memory in use than the bytes can fill.
public struct CompactDecoder {
    /// Passed on to the values, which find it in their decoder.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    /// Creates a decoder.
    public init() {}

    /// The value that `data` encodes.
    /// - Throws: `DecodingError`, where the bytes are damaged or do not fit the type; and whatever the value itself
    ///   throws.
    /// - Complexity: O(*n*) in the size of the data, if a type asks for its fields in the order in which it encoded
    ///   them, or close to it; and if it does not, O(*n*) for each level of nesting.
    public func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T {
        let input = try CompactInput(data, userInfo: userInfo)
        let root = CompactDecodingNode(input, parent: nil, step: .root, start: input.body)
        var offset = input.body
        return try root.value(type, at: &offset, .root)
    }
}
