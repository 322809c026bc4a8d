/// Formats numbers for people.
enum HumanUnits {
    /// `1,234,567`.
    static func count(_ number: Int) -> String {
        let digits = String(number.magnitude)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return (number < 0 ? "-" : "") + text
    }

    /// `12 records`, `1 record`.
    static func count(_ number: Int, _ noun: String) -> String { "\(count(number)) \(noun)\(number == 1 ? "" : "s")" }

    /// Bytes in binary units: `512 B`, `1.5 KiB`, `123 MiB`.
    static func bytes(_ number: Int) -> String {
        let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
        var value = Double(number)
        var unit = 0
        while value >= 999.5, unit < units.count - 1 {
            value /= 1024
            unit += 1
        }
        return "\(unit == 0 ? String(number) : significant(value)) \(units[unit])"
    }

    /// A number, with one decimal below ten, otherwise none.
    static func significant(_ value: Double) -> String { value < 9.95 ? decimal(value) : String(Int(value.rounded())) }

    /// A number with one decimal.
    static func decimal(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e15 else { return "\(value)" }
        let tenths = Int((value * 10).rounded())
        return "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
    }

    /// A duration: `0.4 s`, `12 s`, `3:07`, `1:02:03`.
    static func duration(_ seconds: Double) -> String {
        if seconds < 9.95 { return decimal(seconds) + " s" }
        if seconds < 59.5 { return "\(Int(seconds.rounded())) s" }
        guard seconds < 1e9 else { return "long" }
        let whole = Int(seconds.rounded())
        let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return hours > 0 ? "\(hours):\(two(minutes)):\(two(rest))" : "\(minutes):\(two(rest))"
    }
}
