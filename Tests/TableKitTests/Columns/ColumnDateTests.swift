import Foundation
import TableKit
import Testing

/// Dates as text have the proleptic Gregorian calendar.
struct ColumnDateTests {
    private func date(_ days: Int, _ seconds: Double = 0) -> Date {
        Date(timeIntervalSinceReferenceDate: Double(days) * 86_400 + seconds)
    }

    @Test(
        "a day has its number, in both directions",
        arguments: [
            ("0000-01-01", -730_851), ("0001-01-01", -730_485), ("0300-03-01", -621_219), ("1000-07-31", -365_397),
            ("1200-02-29", -292_501), ("1400-03-01", -219_452), ("1500-02-28", -182_929), ("1500-03-01", -182_928),
            ("1582-10-05", -152_760), ("1582-10-14", -152_751), ("1582-10-15", -152_750), ("1599-12-31", -146_464),
            ("1600-02-29", -146_404), ("2001-01-01", 0), ("9999-12-31", 2_921_573),
        ])
    func days(text: String, days: Int) {
        #expect(ColumnDate.parse(text) == date(days))
        #expect(ColumnDate.parse(text + "T00:00:00Z") == date(days))
        #expect(ColumnDate.format(date(days)) == text + "T00:00:00Z")
        #expect(ColumnDate.format(date(days, 86_399)) == text + "T23:59:59Z")
        #expect(ColumnDate.parse(text + " 23:59:59") == date(days, 86_399))
    }

    @Test("days without a place in the calendar are no dates", arguments: ["1500-02-29", "1400-02-29", "0300-02-29"])
    func missingDays(text: String) {
        #expect(ColumnDate.parse(text) == nil)
        #expect(ColumnDate.parse(text + "T23:00:00Z") == nil)
    }

    @Test("an offset may lead to the day before, of another month")
    func offsets() {
        #expect(ColumnDate.parse("1500-03-01T00:00:00+01:00") == date(-182_929, 82_800))
        #expect(ColumnDate.format(date(-182_929, 82_800)) == "1500-02-28T23:00:00Z")
        #expect(ColumnDate.parse("1600-01-01T00:00:00+14:00") == ColumnDate.parse("1599-12-31T10:00:00Z"))
    }

    @Test("each day of the years around the change of the civil calendar is read as it was printed")
    func everyDay() {
        var texts: Set<String> = []
        for day in -160_000 ..< -140_000 {
            let text = ColumnDate.format(date(day, 0.5))
            texts.insert(text)
            #expect(ColumnDate.parse(text) == date(day, 0.5), "\(text)")
        }
        #expect(texts.count == 20_000)
    }

    @Test("other years are printed as before")
    func otherYears() {
        let later = date(2_921_574)
        #expect(ColumnDate.format(later) == later.formatted(Date.ISO8601FormatStyle()))
        #expect(ColumnDate.format(date(2_921_573, 86_399.5)) == "9999-12-31T23:59:59.5Z")
        #expect(ColumnDate.format(Date(timeIntervalSinceReferenceDate: .infinity)) == "inf")
    }
}
