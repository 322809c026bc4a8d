import Testing

@testable import Siltstone

struct RunTests {
    private static func key(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// Two segments: from b to d, and from f to h.
    private func run() throws -> Run {
        let parts = [["b", "c", "d"], ["f", "g", "h"]]
        let readers = try parts.map { keys in
            try SegmentFixture(keys.map { OwnedRecord(Self.key($0), [1], 1) }).open()
        }
        return Run(number: 1, segments: readers)
    }

    @Test("the segments of a range are those that share a key with it, be it its first or its last")
    func overlapping() throws {
        let run = try run()
        func count(_ from: String?, _ to: String?) -> Int {
            run.overlapping(from: from.map(Self.key), to: to.map(Self.key)).count
        }
        #expect(count("d", "e") == 1)
        #expect(count("h", nil) == 1)
        #expect(count("d", "f") == 2)
        #expect(count("e", "f") == 1)
        #expect(count(nil, "b") == 1)
        #expect(count("da", "ez") == 0)
        #expect(count("ha", nil) == 0 && count(nil, "az") == 0)
        #expect(count(nil, nil) == 2)
    }

    @Test("a key is in the last segment whose first key is not larger")
    func segments() throws {
        let run = try run()
        func first(_ text: String) -> [UInt8]? {
            withContiguousBytes(Self.key(text)) { run.segment(for: $0)?.info.firstKey }
        }
        #expect(first("a") == nil)
        #expect(first("b") == Self.key("b") && first("e") == Self.key("b"))
        #expect(first("f") == Self.key("f") && first("z") == Self.key("f"))
    }
}
