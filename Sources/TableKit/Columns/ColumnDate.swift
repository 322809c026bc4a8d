public import Foundation

/// Dates as text: ISO 8601 in UTC.
public enum ColumnDate {
    /// The date that a text spells: `2026-11-24T12:30:00Z`, with or without a fraction of a second, an offset in place of
    /// `Z`, a blank in place of `T`, or the day alone. Nil where it spells none.
    public static func parse(_ text: String) -> Date? {
        let text = text.replacing(" ", with: "T", maxReplacements: 1)
        if text.utf8.count == 10 { return date(text, Date.ISO8601FormatStyle().year().month().day()) }
        let isZoned = text.hasSuffix("Z") || text.dropFirst(11).contains { $0 == "+" || $0 == "-" }
        let zoned = isZoned ? text : text + "Z"
        return date(zoned, Date.ISO8601FormatStyle())
            ?? date(zoned, Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    private static func date(_ text: String, _ style: Date.ISO8601FormatStyle) -> Date? {
        do { return try style.parse(text) } catch { return nil }
    }

    /// The date as ISO 8601 in UTC, with as many digits of a second as it has: nine at most.
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
