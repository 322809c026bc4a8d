public import Foundation

/// Dates as text: ISO 8601 in UTC. The calendar of the years 0 to 9999 is the proleptic Gregorian one, as ISO 8601 and
/// the SQL servers have it.
public enum ColumnDate {
    private static let daySeconds = 86_400
    /// Days from 0000-03-01 to the reference date, 2001-01-01.
    private static let epochDays = 730_791
    /// The days of 400 years, after which the calendar repeats.
    private static let cycleDays = 146_097
    /// The reference date's seconds in the years 0 to 9999, which have four digits.
    private static let fourDigits = (-60 - epochDays) * daySeconds..<(25 * cycleDays - 60 - epochDays) * daySeconds

    /// Parses a date such as `2026-11-24T12:30:00Z`. It may have fractional seconds, an offset in place of `Z`, a space
    /// in place of `T`, or only the day. Returns nil if the text is no date.
    public static func parse(_ text: String) -> Date? {
        let text = text.replacing(" ", with: "T", maxReplacements: 1)
        if !isInCalendar(text) { return nil }
        guard let year = year(text), year < 1600 else { return parseModern(text) }
        // `ISO8601FormatStyle` has the Julian calendar before 1582-10-15. The same day of a later cycle does not depend
        // on that. Its number of seconds is no larger, so it loses no digits of the fraction.
        let cycles = 4 - year / 400
        return parseModern(String(year + 400 * cycles) + text.dropFirst(4))
            .map { $0.addingTimeInterval(-Double(cycles * cycleDays * daySeconds)) }
    }

    /// The year of a text that begins with four digits and a hyphen; otherwise nil.
    private static func year(_ text: String) -> Int? {
        let bytes = text.utf8.prefix(5)
        guard bytes.count == 5, bytes.last == UInt8(ascii: "-"), bytes.dropLast().allSatisfy({ 0x30...0x39 ~= $0 })
        else { return nil }
        return bytes.dropLast().reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// Parses a date on which the calendars agree.
    private static func parseModern(_ text: String) -> Date? {
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
        guard billionths > 0, billionths < 1e9 else { return text(billionths < 1e9 ? whole : whole + 1) }
        var digits = String(Int(billionths))
        digits = String(repeating: "0", count: 9 - digits.count) + digits
        while digits.hasSuffix("0") { digits.removeLast() }
        return text(whole).dropLast() + "." + digits + "Z"
    }

    /// Formats whole seconds since the reference date. Foundation formats the years that have not four digits.
    private static func text(_ seconds: Double) -> String {
        guard let whole = Int(exactly: seconds), fourDigits.contains(whole) else {
            return Date(timeIntervalSinceReferenceDate: seconds).formatted(Date.ISO8601FormatStyle())
        }
        let second = (whole - fourDigits.lowerBound) % daySeconds
        let (year, month, day) = civil((whole - fourDigits.lowerBound) / daySeconds - 60)
        let date = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
        return "\(date)T\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))Z"
    }

    /// The year, month and day of a number of days since 0000-03-01: `civil_from_days` of Howard Hinnant's
    /// "chrono-Compatible Low-Level Date Algorithms".
    private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let cycle = (days >= 0 ? days : days - cycleDays + 1) / cycleDays
        let dayOfCycle = days - cycle * cycleDays
        let yearOfCycle = (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
        // Years begin in March, so that a leap day is the last of its year.
        let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        let fromMarch = (5 * dayOfYear + 2) / 153
        let month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
        let year = yearOfCycle + cycle * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * fromMarch + 2) / 5 + 1)
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
