import Siltstone
import Testing

@testable import SiltTool

struct TerminalTests {
    @Test(
        "Counts have a comma for every three digits",
        arguments: [(0, "0"), (999, "999"), (1000, "1,000"), (-1_234_567, "-1,234,567")])
    func counts(_ number: Int, _ text: String) {
        #expect(HumanUnits.count(number) == text)
    }

    @Test(
        "Sizes have at most three digits and a binary unit",
        arguments: [
            (0, "0 B"), (999, "999 B"), (1000, "1.0 KiB"), (1024, "1.0 KiB"), (1536, "1.5 KiB"), (10_240, "10 KiB"),
            (999 << 20, "999 MiB"), (1 << 30, "1.0 GiB"), (Int.max, "8.0 EiB"),
        ])
    func sizes(_ number: Int, _ text: String) {
        #expect(HumanUnits.bytes(number) == text)
    }

    @Test(
        "Durations are seconds, then minutes, then hours",
        arguments: [(0.04, "0.0 s"), (1.25, "1.3 s"), (12.4, "12 s"), (59.6, "1:00"), (187, "3:07"), (3723, "1:02:03")])
    func durations(_ seconds: Double, _ text: String) {
        #expect(HumanUnits.duration(seconds) == text)
    }

    @Test("A bar is as wide as asked, shows a trace of anything, and never overflows")
    func bars() {
        let unicode = Bar(width: 4, isUnicode: true)
        #expect(unicode.draw(0) == "    ")
        #expect(unicode.draw(0.001) == "▏   ")
        #expect(unicode.draw(0.5) == "██  ")
        #expect(unicode.draw(2) == "████")
        #expect(unicode.draw(.nan) == "    ")
        #expect(Bar(width: 4, isUnicode: false).draw(0.6) == "##  ")
    }

    @Test("Progress tells share, amount, rate and time left where the total is known, and the rest where not")
    func progress() {
        let bar = Bar(width: 4, isUnicode: false)
        let known = Progress.line("load", bytes: 50 << 20, totalBytes: 100 << 20, records: 1234, seconds: 5, bar: bar)
        #expect(known == "load   50%  [##  ]  1,234 records  50 MiB  10 MiB/s  ETA 5.0 s")
        let unknown = Progress.line("dump", bytes: 1024, totalBytes: nil, records: 1, seconds: 1, bar: bar)
        #expect(unknown == "dump  1 record  1.0 KiB  1.0 KiB/s")
        let nothing = Progress.line("load", bytes: 0, totalBytes: 0, records: nil, seconds: 0, bar: bar)
        #expect(nothing == "load  0 B  0 B/s")
    }
}
