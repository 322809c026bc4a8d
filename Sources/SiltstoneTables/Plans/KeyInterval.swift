import Siltstone
import TableKit

/// A half-open interval of one column's values, as encoded in keys: from `from` up to, not including, `to`.
///
/// The bytes after a value in a key stay in the value's interval, because no tag is FF. But not every key with the
/// bytes of a text as its prefix has that value: a longer text can continue with a zero, encoded as 00 FF.
struct KeyInterval: Hashable, Sendable {
    var from: [UInt8]
    var to: [UInt8]
    /// True for a single value.
    var isPoint = false

    /// A single value.
    init(_ value: ColumnValue) {
        from = KeyInterval.bytes(value)
        to = from + [0xFF]
        isPoint = true
    }

    init(from: [UInt8], to: [UInt8], isPoint: Bool = false) {
        self.from = from
        self.to = to
        self.isPoint = isPoint
    }

    /// NULL.
    static let null = KeyInterval(.null)
    /// All values except NULL. No tag is FF.
    static let values = KeyInterval(from: [KeyTag.null + 1], to: [0xFF])

    /// The key encoding of a value.
    static func bytes(_ value: ColumnValue) -> [UInt8] {
        let encoder = KeyEncoder()
        encoder.append(value)
        return encoder.bytes
    }

    /// The least bytes greater than all that begin with these.
    static func successor(_ bytes: [UInt8]) -> [UInt8] { KeyRange(prefix: bytes).to ?? [0xFF] }

    var isEmpty: Bool { RowBytes.order(from, to) >= 0 }

    /// The intersection of two intervals.
    func intersection(_ other: KeyInterval) -> KeyInterval {
        KeyInterval(
            from: RowBytes.order(from, other.from) < 0 ? other.from : from,
            to: RowBytes.order(to, other.to) < 0 ? to : other.to, isPoint: isPoint || other.isPoint)
    }
}
