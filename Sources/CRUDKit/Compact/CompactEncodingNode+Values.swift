import Foundation

extension CompactEncodingNode {
    /// Appends a value of any type.
    ///
    /// In generic code every type arrives here, even those with a form of their own in the encoding. Comparing types
    /// finds them, because a cast to a protocol costs more than encoding the value.
    func write<T: Encodable>(_ value: T, _ step: CompactStep) throws {
        if writeOwn(value) { return }
        let node = try child(step)
        try value.encode(to: node)
        node.finish()
    }

    /// Encodes the message's top-level value, with this node as its encoder.
    func writeRoot<T: Encodable>(_ value: T) throws {
        if writeOwn(value) { return }
        try value.encode(to: self)
        finish()
    }

    /// Encodes a value of a type with a form of its own in the encoding.
    /// - Returns: false for other types, and for values that do not fit the form.
    @inline(__always)
    private func writeOwn<T: Encodable>(_ value: T) -> Bool {
        if T.self == String.self {
            output.write(unsafe unsafeBitCast(value, to: String.self))
        } else if T.self == Int.self {
            output.write(unsafe unsafeBitCast(value, to: Int.self))
        } else if T.self == Double.self {
            output.write(unsafe unsafeBitCast(value, to: Double.self))
        } else if T.self == Bool.self {
            output.write(unsafe unsafeBitCast(value, to: Bool.self))
        } else if T.self == Date.self {
            output.write(unsafe unsafeBitCast(value, to: Date.self).timeIntervalSinceReferenceDate)
        } else if T.self == [UInt8].self {
            output.write(unsafe unsafeBitCast(value, to: [UInt8].self))
        } else if T.self == Data.self {
            output.write(unsafe unsafeBitCast(value, to: Data.self))
        } else if T.self == UUID.self {
            output.write(unsafe unsafeBitCast(value, to: UUID.self))
        } else if T.self == URL.self, let text = Self.text(of: unsafe unsafeBitCast(value, to: URL.self)) {
            output.write(text)
        } else if T.self == Decimal.self, let text = Self.text(of: unsafe unsafeBitCast(value, to: Decimal.self)) {
            output.write(text)
        } else {
            return false
        }
        return true
    }

    /// A URL as text, if that is lossless; nil for others, such as relative ones.
    private static func text(of url: URL) -> String? {
        let text = url.absoluteString
        return url.baseURL == nil && URL(string: text)?.absoluteString == text ? text : nil
    }

    /// A number as text, if that is lossless; nil for others, such as NaN.
    private static func text(of decimal: Decimal) -> String? {
        let text = decimal.description
        return Decimal(string: text) == decimal ? text : nil
    }
}
