import Siltstone
import TableKit

/// Values of one column that lie side by side, by the bytes that keys have for them: from `from` up to, not including, `to`.
///
/// What follows a value in a key lies in the value's interval: no tag is FF. But not all that begins with the bytes of a text
/// does: with a zero behind it, another text has the same beginning, and FF then.
struct KeyInterval: Hashable, Sendable {
    var from: [UInt8]
    var to: [UInt8]
    /// Whether it is one whole value.
    var isPoint = false

    /// One value.
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
    /// All values but NULL: no tag is FF.
    static let values = KeyInterval(from: [KeyTag.null + 1], to: [0xFF])

    /// The bytes that keys have for a value.
    static func bytes(_ value: ColumnValue) -> [UInt8] {
        let encoder = KeyEncoder()
        encoder.append(value)
        return encoder.bytes
    }

    /// The least bytes that do not begin with these.
    static func successor(_ bytes: [UInt8]) -> [UInt8] { KeyRange(prefix: bytes).to ?? [0xFF] }

    var isEmpty: Bool { RowBytes.order(from, to) >= 0 }

    /// What two intervals share.
    func intersection(_ other: KeyInterval) -> KeyInterval {
        KeyInterval(
            from: RowBytes.order(from, other.from) < 0 ? other.from : from,
            to: RowBytes.order(to, other.to) < 0 ? to : other.to, isPoint: isPoint || other.isPoint)
    }
}
