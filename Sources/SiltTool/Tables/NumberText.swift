import TableKit

/// Parses numbers without loss.
enum NumberText {
    /// Whether a text is a decimal number with optional sign, point and exponent, as in CSV and JSON.
    static func isDecimal(_ text: String) -> Bool {
        var rest = Substring(text).utf8
        if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
        let whole = digits(&rest)
        var fraction = 0
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            fraction = digits(&rest)
        }
        if whole + fraction == 0 { return false }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest = rest.dropFirst()
            if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
            if digits(&rest) == 0 { return false }
        }
        return rest.isEmpty
    }

    /// Parses an integer in its printed form: no plus sign, no leading zero, no `-0`. Other forms are codes, such as
    /// postcodes and telephone numbers.
    static func integer(_ text: String) -> ColumnValue? {
        if let value = Int64(text), String(value) == text { return .integer(value) }
        if let value = UInt64(text), String(value) == text { return ColumnValue(value) }
        return nil
    }

    /// Parses a real: a decimal number within the type's range, `inf`, `-inf` or `nan`. Digits beyond the precision are
    /// rounded.
    /// - Parameter type: float or double.
    static func real(_ text: String, _ type: ColumnType = .double) -> Double? {
        guard isDecimal(text) else { return special(text) }
        // Parsed as a float directly: a double in between would round twice.
        let value = type == .float ? Float(text).map { Double($0) } : Double(text)
        return value.flatMap { $0.isFinite ? $0 : nil }
    }

    /// Whether a double holds the number of a text: integers exactly, all digits of decimals, nothing out of range,
    /// nothing rounded to 0, no codes.
    static func isLosslessReal(_ text: String) -> Bool {
        guard isDecimal(text), let value = Double(text), value.isFinite else { return false }
        let digits = text.utf8.drop { $0 == UInt8(ascii: "-") }
        if digits.first == UInt8(ascii: "+") { return false }
        if digits.first == UInt8(ascii: "0"), let second = digits.dropFirst().first, isDigit(second) { return false }
        if digits.allSatisfy(isDigit) {
            if text == "-0" { return true }
            guard let integer = integer(text) else { return false }
            return ColumnValue.areSame(integer, .real(value))
        }
        return DecimalDigits(text).map { $0.isHeld(by: value) } ?? false
    }

    /// Whether a text is what `export` prints for infinities and NaN.
    static func isSpecial(_ text: String) -> Bool { text == "inf" || text == "-inf" || text == "nan" }

    private static func special(_ text: String) -> Double? {
        switch text.lowercased() {
        case "inf", "infinity": .infinity
        case "-inf", "-infinity": -.infinity
        case "nan": .nan
        default: nil
        }
    }

    private static func digits(_ text: inout Substring.UTF8View) -> Int {
        let run = text.prefix(while: isDigit)
        text = text[run.endIndex...]
        return run.count
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
