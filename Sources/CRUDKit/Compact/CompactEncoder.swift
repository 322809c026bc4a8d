public import Foundation

/// Encodes values in the compact encoding.
///
/// The counterpart of `JSONEncoder`; calls are independent.
public struct CompactEncoder {
    /// User information for the encoded values.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    /// Creates an encoder.
    public init() {}

    /// Encodes a value.
    /// - Throws: `EncodingError` for values nested more than 512 deep and for types that break the rules of `Encoder`;
    ///   also errors of the value's own encoding.
    /// - Complexity: O(*n*) in the size of the result.
    public func encode<T: Encodable>(_ value: T) throws -> Data {
        let message = CompactMessage(userInfo: userInfo)
        let body = CompactOutput(capacity: 256)
        let root = CompactEncodingNode(message, output: body, step: .root, depth: 0)
        try root.writeRoot(value)
        if let failure = message.failure { throw failure }

        let whole = body.assembled
        // Nested containers that stay open are finished only now, and may report a failure.
        if let failure = message.failure { throw failure }
        return message.keys.message(whole)
    }
}

/// State that all parts of a message share.
final class CompactMessage {
    let keys = CompactKeyTable()
    let userInfo: [CodingUserInfoKey: any Sendable]
    /// The first error of a call that cannot throw.
    private(set) var failure: (any Error)?

    init(userInfo: [CodingUserInfoKey: any Sendable]) { self.userInfo = userInfo }

    /// Records an error, which the encoder throws at the end. A trap would let one faulty type stop a server.
    func fail(_ problem: String, at node: CompactEncodingNode) {
        if failure == nil { failure = node.invalid(node.codingPath, problem) }
    }
}
