import TableKit
import Testing

@testable import SiltTool

/// The type of an imported column is the narrowest that keeps all values.
struct ColumnGuessTests {
    private func guess(_ texts: [String?], _ kind: ImportedCell.Kind = .plain) -> ColumnType {
        var guess = ColumnGuess()
        for text in texts { guess.add(text.map { ImportedCell($0, kind) }, line: 2) }
        return guess.type
    }

    @Test("integers beyond Int64 are unsigned, and text where no integer type holds all of them")
    func greatIntegers() {
        #expect(guess(["1", "-9223372036854775808"]) == .int64)
        #expect(guess(["1", "9223372036854775808"]) == .uint64)
        #expect(guess(["18446744073709551615"]) == .uint64)
        #expect(guess(["18446744073709551616"]) == .string)
        #expect(guess(["-1", "18446744073709551615"]) == .string)
        #expect(guess(["1.5", "9007199254740993"]) == .string)
        #expect(guess(["1.5", "9007199254740992"]) == .double)
    }

    @Test("reals are decimal numbers within the range; words are none")
    func reals() {
        #expect(guess(["1.5", "-2e10", "3", ".5"]) == .double)
        #expect(guess(["1.5", "1e400"]) == .string)
        #expect(guess(["1.5", "1e-400"]) == .string)
        #expect(guess(["1.5", "0e-400"]) == .double)
        #expect(guess(["1.5", "infinity"]) == .string)
        #expect(guess(["0x10"]) == .string)
        #expect(guess(["1.5", "nan", "-inf"]) == .double)
        #expect(guess(["nan", "inf"]) == .string)
    }

    @Test("a decimal is real if a double keeps all its digits, else text")
    func decimals() {
        for text in [
            "12345678901234567.89", "9007199254740993.0", "0.1234567890123456789", "1.00000000000000000001",
            "0.300000000000000042", "9007199254740993e0", "-123456789.123456789012", "4.95e-324",
        ] {
            #expect(guess([text]) == .string, "\(text)")
        }
        for text in [
            "0.30000000000000004", "0.10000000000000001", "1.50", "123456789.123456", "100000000000000000000.0", "0.0",
            "-0.000", "1e300", "5e-324", "1.7976931348623157e308", "9007199254740992.0", "1E+2", ".5",
        ] {
            #expect(guess([text]) == .double, "\(text)")
        }
    }

    @Test("every double that export prints is read as a real")
    func printedReals() {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<20_000 {
            let value = Double(bitPattern: generator.next())
            if value.isFinite { #expect(guess(["\(value)"]) == .double, "\(value)") }
        }
    }

    @Test("codes are text: leading zeros, plus signs, a negative zero beside integers")
    func codes() {
        #expect(guess(["007"]) == .string)
        #expect(guess(["+4930123"]) == .string)
        #expect(guess(["00.5"]) == .string)
        #expect(guess(["1", "-0"]) == .double)
    }

    @Test("a day that no calendar has is no date")
    func dates() {
        #expect(guess(["2024-02-29", "2024-12-31T23:59:59Z"]) == .date)
        for text in ["2024-02-30", "2023-02-29", "1900-02-29", "2024-13-01", "2024-00-01", "2024-04-31", "2024-01-00"] {
            #expect(guess([text]) == .string, "\(text)")
        }
        for text in ["2024-01-01T24:00:00Z", "2024-01-01T23:60:00Z", "2024-01-01T23:59:60Z"] {
            #expect(guess([text]) == .string, "\(text)")
        }
    }

    @Test("bytes and JSON are what export prints for them")
    func bytesAndJSON() {
        #expect(guess(["\\x", "\\x00ff"]) == .bytes)
        #expect(guess(["\\x0"]) == .string)
        #expect(guess(["{\"a\":1}", "[1, 2]"]) == .json)
        #expect(guess(["{\"a\":1}", "{a"]) == .string)
        #expect(guess(["[1,]"]) == .string)
        #expect(guess([String(repeating: "[", count: 100_000)]) == .string)
        #expect(guess(["[1]"], .nested) == .json)
        #expect(guess(["[1]"], .string) == .string)
    }

    @Test("strings of JSON are no numbers; UUIDs and dates stay what they are")
    func strings() {
        #expect(guess(["10115"], .string) == .string)
        #expect(guess(["true"], .string) == .string)
        #expect(guess(["6F9619FF-8B86-D011-B42D-00C04FC964FF"], .string) == .uuid)
        #expect(guess(["2024-02-29"], .string) == .date)
    }

    @Test("the line of the first NULL is known")
    func nulls() {
        var guess = ColumnGuess()
        guess.add(ImportedCell("1"), line: 2)
        #expect(!guess.hasNull)
        guess.add(nil, line: 3)
        guess.add(nil, line: 4)
        #expect(guess.firstNull == 3)
        #expect(self.guess([nil]) == .string)
        guess.add(ImportedCell("null", .null), line: 2)
        #expect(guess.firstNull == 2)
    }

    @Test("null is a value beside objects and arrays")
    func nullWords() {
        var guess = ColumnGuess()
        guess.add(ImportedCell("{}", .nested), line: 1)
        guess.add(ImportedCell("null", .null), line: 2)
        #expect(guess.type == .json)
        #expect(!guess.hasNull)
        guess.add(nil, line: 3)
        #expect(guess.firstNull == 3)
    }
}
