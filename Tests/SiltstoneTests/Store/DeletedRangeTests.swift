import Testing

@testable import Siltstone

/// What is known of one range, change by change.
struct DeletedRangeTests {
    private func with<R>(_ key: String, _ body: (Bytes) -> R) -> R {
        Array(key.utf8).withBytes(body)
    }

    private func range(at key: String, since: SequenceNumber) -> DeletedRange {
        with(key) { DeletedRange(at: $0, since: since) }
    }

    private func text(_ key: [UInt8]) -> String { String(decoding: key, as: UTF8.self) }

    private func grow(
        _ range: inout DeletedRange, through key: String, seen: SequenceNumber, lastPut: SequenceNumber = 0
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

    @Test("a scan that does not see all that was put before the watch lets nothing grow")
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

    private func cut(_ range: inout DeletedRange, by key: String, _ change: SequenceNumber = 0) -> DeletedRange? {
        with(key) { range.cut(by: $0, change) }
    }

    @Test("what is put behind it bounds its growth once")
    func bounds() {
        var range = range(at: "b", since: 0)
        grow(&range, through: "p", seen: 1)
        for key in ["a", "x", "y"] { #expect(cut(&range, by: key) == nil) }
        #expect(text(range.end) == "p\0")
        grow(&range, through: "z", seen: 2)
        #expect(text(range.end) == "x")
        grow(&range, through: "z", seen: 3)
        #expect(text(range.end) == "z\0")
    }

    @Test("what is put cuts it in two, of which the first may grow over that key alone, for those who see the put")
    func cuts() throws {
        var range = range(at: "b", since: 0)
        grow(&range, through: "p", seen: 1, lastPut: 1)
        let behind = try #require(cut(&range, by: "m", 6))
        #expect(text(range.end) == "m")
        #expect(!with("m") { behind.contains($0) })
        #expect(with("m\0") { behind.contains($0) })
        #expect(text(behind.end) == "p\0")
        #expect(behind.sequence == 1)
        // Who does not see the put may find nothing there all the same.
        grow(&range, through: "o", seen: 5, lastPut: 6)
        #expect(text(range.end) == "m")
        grow(&range, through: "o", seen: 6, lastPut: 6)
        #expect(text(range.end) == "m\0")
        grow(&range, through: "o", seen: 6, lastPut: 6)
        #expect(text(range.end) == "o\0")
        #expect(try text(#require(cut(&range, by: "b", 7)).end) == "o\0")
        #expect(text(range.end) == "b")
        #expect(with("b") { range.contains($0) })
        // Put once more before anybody has found it deleted.
        #expect(cut(&range, by: "b", 8) == nil)
        grow(&range, through: "b", seen: 9, lastPut: 8)
        #expect(text(range.end) == "b")
    }

    @Test("nothing is left behind the last key of it")
    func cutAtLast() {
        var range = range(at: "b", since: 0)
        grow(&range, through: "p", seen: 1)
        #expect(cut(&range, by: "p", 2) == nil)
        #expect(text(range.end) == "p")
    }

    private func joined(_ range: DeletedRange, _ other: DeletedRange) -> DeletedRange? {
        var joined = range
        return joined.join(other) ? joined : nil
    }

    @Test("it takes over what begins in it or right behind it, to be seen by those who may see both")
    func joins() throws {
        var range = range(at: "b", since: 0)
        grow(&range, through: "p", seen: 3, lastPut: 3)
        var behind = try #require(cut(&range, by: "m", 6))
        #expect(joined(range, behind) == nil)
        #expect(joined(behind, range) == nil)
        grow(&behind, through: "t", seen: 8, lastPut: 8)
        #expect(cut(&behind, by: "w", 9) == nil)
        grow(&range, through: "m", seen: 6, lastPut: 9)
        range = try #require(joined(range, behind))
        #expect(text(range.end) == "t\0")
        #expect(range.sequence == 8)
        // The watch is that of the last piece.
        var early = range
        grow(&early, through: "z", seen: 7)
        #expect(text(early.end) == "t\0")
        grow(&range, through: "z", seen: 8)
        #expect(text(range.end) == "w")
        // One that lies within changes nothing.
        #expect(try text(#require(joined(range, behind)).end) == "w")
    }

    @Test("a key at the very end bounds its growth, and one that was passed last does")
    func edges() {
        var range = range(at: "", since: 0)
        #expect(cut(&range, by: "") == nil)
        grow(&range, through: "a", seen: 1)
        #expect(range.end == [])
        grow(&range, through: "a", seen: 1)
        #expect(cut(&range, by: "a\0") == nil)
        grow(&range, through: "c", seen: 2)
        #expect(text(range.end) == "a\0")
        grow(&range, through: "c", seen: 2)
        #expect(cut(&range, by: "e") == nil)
        grow(&range, through: "e", seen: 3)
        #expect(text(range.end) == "e")
    }
}
