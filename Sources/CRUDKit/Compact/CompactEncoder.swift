public import Foundation

/// Encodes values in the compact encoding.
///
/// The counterpart of `JSONEncoder`; each call stands for itself.
public struct CompactEncoder {
    /// Passed on to the values, which find it in their encoder.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    /// Creates an encoder.
    public init() {}

    /// The bytes of a value.
    /// - Throws: `EncodingError` for values that are nested more than 512 deep, and for types that do not keep to the
    ///   rules of `Encoder`; and whatever the value itself throws.
    /// - Complexity: O(*n*) in the size of the result.
    public func encode<T: Encodable>(_ value: T) throws -> Data {
        let message = CompactMessage(userInfo: userInfo)
        let body = CompactOutput(capacity: 256)
        let root = CompactEncodingNode(message, output: body, step: .root, depth: 0)
        try root.writeRoot(value)
        if let failure = message.failure { throw failure }

        let whole = body.assembled
        // Containers that were opened amid others are closed only now, and may have been opened wrongly.
        if let failure = message.failure { throw failure }
        return message.keys.message(whole)
    }
}

/// What all parts of a message in the making share.
final class CompactMessage {
    let keys = CompactKeyTable()
    let userInfo: [CodingUserInfoKey: any Sendable]
    /// The first breach of the rules in a call that cannot throw.
    private(set) var failure: (any Error)?

    init(userInfo: [CodingUserInfoKey: any Sendable]) { self.userInfo = userInfo }

    /// Notes a failure, which the encoder throws at the end. To trap would make one careless type bring down a server.
    func fail(_ problem: String, at node: CompactEncodingNode) {
        if failure == nil { failure = node.invalid(node.codingPath, problem) }
    }
}
