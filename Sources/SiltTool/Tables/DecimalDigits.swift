import Foundation

/// The significant digits of a decimal number, without zeros at either end, and its power of ten.
struct DecimalDigits: Equatable {
    /// A double keeps any number of up to so many digits, unless it is very close to 0.
    private static let safeCount = 15
    /// The exact value of a double has no more digits.
    private static let mostCount = 767

    private(set) var digits: [UInt8] = []
    /// The power of ten of the point before the first digit: 1 for 2.5, 0 for 0.25. For 0 it is 0.
    private(set) var exponent = 0

    /// - Parameter text: a number as of ``NumberText/isDecimal(_:)``. Nil if its exponent is beyond all measure.
    init?(_ text: String) {
        var isBehindPoint = false
        var rest = Substring(text).utf8
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "."): isBehindPoint = true
            case UInt8(ascii: "e"), UInt8(ascii: "E"):
                guard let power = Int32(Substring(rest)) else { return nil }
                exponent += Int(power)
                rest = rest[rest.endIndex...]
            case UInt8(ascii: "0") where digits.isEmpty: if isBehindPoint { exponent -= 1 }
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                digits.append(byte)
                if !isBehindPoint { exponent += 1 }
            default: continue
            }
        }
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        if digits.isEmpty { exponent = 0 }
    }

    /// Whether a double, rounded to as many digits, is this number again. The sign does not count.
    /// - Parameter value: the nearest double.
    func isHeld(by value: Double) -> Bool {
        if digits.isEmpty || value == 0 { return digits.isEmpty && value == 0 }
        if digits.count <= Self.safeCount, value.isNormal { return true }
        if digits.count > Self.mostCount { return false }
        // The shortest text of a double is what `export` prints.
        if DecimalDigits("\(value)") == self { return true }
        return DecimalDigits(String(format: "%.\(digits.count - 1)e", value)) == self
    }
}
