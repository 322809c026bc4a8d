import Testing

@testable import Siltstone

/// What is known of one range, change by change.
@Suite("Empty ranges")
struct EmptyRangeTests {
    private func with<R>(_ key: String, _ body: (UnsafeRawBufferPointer) -> R) -> R {
        Array(key.utf8).withUnsafeBytes(body)
    }

    private func range(at key: String, since: SequenceNumber) -> EmptyRange {
        with(key) { EmptyRange(at: $0, since: since) }
    }

    private func text(_ key: [UInt8]) -> String { String(decoding: key, as: UTF8.self) }

    private func grow(
        _ range: inout EmptyRange, through key: String, seen: SequenceNumber, lastPut: SequenceNumber = 0
    ) {
        with(key) { range.grow(through: $0, seen: seen, lastPut: lastPut) }
    }

    @Test("it grows through the last key that was passed, for those who see as much")
    func growth() {
        var range = range(at: "b", since: 5)
        #expect(text(range.end) == "b")
        grow(&range, through: "f", seen: 7)
        #expect(text(range.end) == "f\0")
        #expect(range.sequence == 7)
        grow(&range, through: "c", seen: 9)
        #expect(text(range.end) == "f\0")
        #expect(range.sequence == 7)
        #expect(!with("a") { range.contains($0) })
        #expect(with("b") { range.contains($0) })
        #expect(with("f\0") { range.contains($0) })
        #expect(!with("f\0\0") { range.contains($0) })
    }

    @Test("a walk that does not see all that was put before the watch lets nothing grow")
    func tooOld() {
        var range = range(at: "b", since: 5)
        grow(&range, through: "f", seen: 4)
        #expect(text(range.end) == "b")
        grow(&range, through: "f", seen: 5, lastPut: 8)
        #expect(text(range.end) == "f\0")
        // Watched anew, since the eighth change.
        grow(&range, through: "h", seen: 7)
        #expect(text(range.end) == "f\0")
        grow(&range, through: "h", seen: 8)
        #expect(text(range.end) == "h\0")
    }

    @Test("what is put cuts it there, and what is put behind it bounds its growth once")
    func cuts() {
        var range = range(at: "b", since: 0)
        grow(&range, through: "p", seen: 1)
        with("a") { range.cut(by: $0) }
        #expect(text(range.end) == "p\0")
        with("x") { range.cut(by: $0) }
        with("y") { range.cut(by: $0) }
        #expect(text(range.end) == "p\0")
        grow(&range, through: "z", seen: 2)
        #expect(text(range.end) == "x")
        grow(&range, through: "z", seen: 3)
        #expect(text(range.end) == "z\0")
        with("m") { range.cut(by: $0) }
        #expect(text(range.end) == "m")
        // Nothing between is watched any more.
        grow(&range, through: "o", seen: 4)
        #expect(text(range.end) == "m")
        grow(&range, through: "o", seen: 4)
        #expect(text(range.end) == "o\0")
        with("b") { range.cut(by: $0) }
        #expect(text(range.end) == "b")
        #expect(with("b") { range.contains($0) })
    }

    @Test("a key at the very end bounds its growth, and one that was passed last does")
    func edges() {
        var range = range(at: "", since: 0)
        with("") { range.cut(by: $0) }
        grow(&range, through: "a", seen: 1)
        #expect(range.end == [])
        grow(&range, through: "a", seen: 1)
        with("a\0") { range.cut(by: $0) }
        grow(&range, through: "c", seen: 2)
        #expect(text(range.end) == "a\0")
        grow(&range, through: "c", seen: 2)
        with("e") { range.cut(by: $0) }
        grow(&range, through: "e", seen: 3)
        #expect(text(range.end) == "e")
    }
}
