#if PostgreSQL
/// The server's binary `numeric`: digits to the base 10,000, and the weight of the first digit.
///
/// Four 16-bit numbers precede the digits: their count, the weight, the sign, and the number of decimal places.
struct WireNumeric {
    private static let negative: UInt16 = 0x4000
    private static let notANumber: UInt16 = 0xC000
    private static let infinity: UInt16 = 0xD000
    private static let negativeInfinity: UInt16 = 0xF000

    private let weight: Int
    private let sign: UInt16
    private let places: Int
    private let digits: [UInt16]

    /// Nil if the bytes are malformed.
    init?(_ cell: WireCell) {
        guard let count = cell.load(Int16.self), let weight = cell.load(Int16.self, at: 2),
            let sign = cell.load(UInt16.self, at: 4), let places = cell.load(Int16.self, at: 6),
            count >= 0, cell.count == 8 + 2 * Int(count)
        else { return nil }
        self.weight = Int(weight)
        self.sign = sign
        self.places = Int(places)
        digits = (0..<Int(count)).map { cell.load(UInt16.self, at: 8 + 2 * $0) ?? 0 }
        let signs = [0, Self.negative, Self.notANumber, Self.infinity, Self.negativeInfinity]
        guard signs.contains(sign), digits.allSatisfy({ $0 < 10_000 }) else { return nil }
    }

    private var isFinite: Bool { sign == 0 || sign == Self.negative }

    /// The magnitude; nil unless the number is an integer below 2^64.
    private var magnitude: UInt64? {
        guard isFinite else { return nil }
        if digits.isEmpty { return 0 }
        guard digits.count <= weight + 1, weight <= 4 else { return nil }
        var value: UInt64 = 0
        for position in 0...weight {
            let digit = position < digits.count ? UInt64(digits[position]) : 0
            let (shifted, isTooLarge) = value.multipliedReportingOverflow(by: 10_000)
            let (sum, isTooLargeYet) = shifted.addingReportingOverflow(digit)
            if isTooLarge || isTooLargeYet { return nil }
            value = sum
        }
        return value
    }

    /// The number as `Int64`; nil if it does not fit.
    var integer: Int64? {
        guard let magnitude else { return nil }
        return sign == Self.negative
            ? (magnitude <= UInt64(Int64.max) + 1 ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil)
            : Int64(exactly: magnitude)
    }

    /// The number as `UInt64`; nil if it does not fit.
    var unsigned: UInt64? { sign == 0 || digits.isEmpty ? magnitude : nil }

    /// The nearest `Double`.
    var real: Double {
        switch sign {
        case Self.notANumber: .nan
        case Self.infinity: .infinity
        case Self.negativeInfinity: -.infinity
        default: Double(text) ?? .nan
        }
    }

    /// The number in the server's text format.
    var text: String {
        switch sign {
        case Self.notANumber: return "NaN"
        case Self.infinity: return "Infinity"
        case Self.negativeInfinity: return "-Infinity"
        default: break
        }
        var whole = ""
        for position in 0..<max(weight + 1, 0) { whole += group(position, isPadded: !whole.isEmpty) }
        var text = (sign == Self.negative ? "-" : "") + (whole.isEmpty ? "0" : whole)
        guard places > 0 else { return text }
        var fraction = ""
        var position = weight + 1
        // Groups of zeros between the point and the first digit.
        if weight < -1 { fraction = String(repeating: "0", count: 4 * (-weight - 1)) }
        position = max(position, 0)
        while fraction.utf8.count < places {
            fraction += group(position, isPadded: true)
            position += 1
        }
        text += "." + fraction.prefix(places)
        return text
    }

    private func group(_ position: Int, isPadded: Bool) -> String {
        let digits = String(position < self.digits.count ? self.digits[position] : 0)
        return isPadded ? String(repeating: "0", count: 4 - digits.utf8.count) + digits : digits == "0" ? "" : digits
    }
}

extension WireWriter {
    /// Appends an integer as numeric.
    mutating func appendNumeric(_ value: UInt64) {
        var digits: [UInt16] = []
        var rest = value
        while rest > 0 {
            digits.append(UInt16(rest % 10_000))
            rest /= 10_000
        }
        let weight = max(digits.count - 1, 0)
        digits.reverse()
        while digits.last == 0 { digits.removeLast() }
        append(Int16(digits.count))
        append(Int16(weight))
        append(UInt16(0))
        append(Int16(0))
        for digit in digits { append(digit) }
    }
}
#endif
