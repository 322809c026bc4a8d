public import Foundation

/// Dates as text: ISO 8601 in UTC.
public enum ColumnDate {
    /// Parses a date such as `2026-11-24T12:30:00Z`. It may have fractional seconds, an offset in place of `Z`, a space
    /// in place of `T`, or only the day. Returns nil if the text is no date.
    public static func parse(_ text: String) -> Date? {
        let text = text.replacing(" ", with: "T", maxReplacements: 1)
        if !isInCalendar(text) { return nil }
        if text.utf8.count == 10 { return date(text, Date.ISO8601FormatStyle().year().month().day()) }
        let isZoned = text.hasSuffix("Z") || text.dropFirst(11).contains { $0 == "+" || $0 == "-" }
        let zoned = isZoned ? text : text + "Z"
        return date(zoned, Date.ISO8601FormatStyle())
            ?? date(zoned, Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// True if the day and the time exist. `ISO8601FormatStyle` would accept February 30 as March 1.
    private static func isInCalendar(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        /// The two digits at an offset; nil if there are none.
        func number(_ place: Int) -> Int? {
            guard place + 1 < bytes.count, (0x30...0x39).contains(bytes[place]),
                (0x30...0x39).contains(bytes[place + 1])
            else { return nil }
            return Int(bytes[place] - 0x30) * 10 + Int(bytes[place + 1] - 0x30)
        }
        // The style checks years that have not four digits.
        guard let century = number(0), let year = number(2), bytes.count >= 10, bytes[4] == UInt8(ascii: "-"),
            let month = number(5), let day = number(8)
        else { return true }
        guard (1...12).contains(month), day >= 1, day <= days(of: month, century * 100 + year) else { return false }
        return (number(11) ?? 0) < 24 && (number(14) ?? 0) < 60 && (number(17) ?? 0) < 60
    }

    private static func days(of month: Int, _ year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static func date(_ text: String, _ style: Date.ISO8601FormatStyle) -> Date? {
        do { return try style.parse(text) } catch { return nil }
    }

    /// Formats a date as ISO 8601 in UTC, with at most nine fractional digits and no trailing zeros.
    public static func format(_ date: Date) -> String {
        let seconds = date.timeIntervalSinceReferenceDate
        if !seconds.isFinite { return "\(seconds)" }
        let whole = seconds.rounded(.down)
        let billionths = ((seconds - whole) * 1e9).rounded()
        guard billionths > 0, billionths < 1e9 else {
            return Date(timeIntervalSinceReferenceDate: billionths < 1e9 ? whole : whole + 1)
                .formatted(Date.ISO8601FormatStyle())
        }
        var digits = String(Int(billionths))
        digits = String(repeating: "0", count: 9 - digits.count) + digits
        while digits.hasSuffix("0") { digits.removeLast() }
        let text = Date(timeIntervalSinceReferenceDate: whole).formatted(Date.ISO8601FormatStyle())
        return text.dropLast() + "." + digits + "Z"
    }
}
