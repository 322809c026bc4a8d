import Testing

@testable import Siltstone

/// What is known of key ranges, change by change.
struct DeletedRangeTests {
    /// A store of single-byte keys, with all versions, and the set that its scans would have.
    private struct History {
        var random: SeededGenerator
        var set = DeletedRangeSet()
        /// For each key the changes, and whether they put it.
        var versions: [[(sequence: SequenceNumber, isPut: Bool)]] = Array(repeating: [], count: keyCount)
        var last: SequenceNumber = 0
        static let keyCount = 24

        func isThere(_ key: Int, _ seen: SequenceNumber) -> Bool {
            versions[key].last { $0.sequence <= seen }?.isPut ?? false
        }

        mutating func change(_ key: Int, isPut: Bool) {
            last += 1
            if isPut { [UInt8(key)].withBytes { set.note(put: $0, last) } }
            versions[key].append((last, isPut))
        }

        /// A scan from the gap before a key, up to the first entry or at most `most` keys.
        mutating func scan(_ start: Int, _ direction: ScanDirection, seen: SequenceNumber, most: Int, passing: Int) {
            var end = start
            while abs(end - start) < most {
                let next = direction == .forward ? end : end - 1
                guard (0..<Self.keyCount).contains(next), !isThere(next, seen) else { break }
                end += direction == .forward ? 1 : -1
            }
            let bounds = ([UInt8(min(start, end))], [UInt8(max(start, end))])
            set.add(bounds, passing: passing, seen: seen)
        }

        mutating func step() {
            let key = random.index(Self.keyCount)
            switch random.index(10) {
            case 0..<2: change(key, isPut: true)
            case 2..<6: change(key, isPut: false)
            default:
                let seen = random.chance(0.6) ? last : last - min(last, SequenceNumber(random.index(6)))
                let passing = random.chance(0.7) ? DeletedRangeSet.fewestRecords : DeletedRun.fewest
                let direction: ScanDirection = random.chance(0.5) ? .forward : .backward
                scan(key, direction, seen: seen, most: 1 + random.index(Self.keyCount), passing: passing)
            }
        }

        /// The number of keys that somebody who may skip a known range would miss.
        func missed() -> Int {
            var missed = 0
            for part in set.parts where part.isKnown {
                let range = KeyRange(from: part.from, to: part.to)
                for key in 0..<Self.keyCount where [UInt8(key)].withBytes({ range.contains($0) }) {
                    for seen in part.sequence...max(part.sequence, last) where isThere(key, seen) { missed += 1 }
                }
            }
            return missed
        }
    }

    @Test("whoever may skip a range misses nothing, in any history", arguments: 0..<8 as Range<UInt64>)
    func histories(seed: UInt64) {
        var history = History(random: SeededGenerator(seed))
        var known = 0
        for step in 0..<1500 {
            history.step()
            let missed = history.missed()
            guard missed == 0 else {
                Issue.record("seed \(seed), step \(step): \(missed) keys would be missed")
                return
            }
            known += history.set.parts.count { $0.isKnown }
        }
        #expect(known > 500)
    }

    private func bounds(_ from: String, _ to: String) -> DeletedRun.Bounds { (Array(from.utf8), Array(to.utf8)) }

    private func end(_ set: DeletedRangeSet, _ key: String, _ direction: ScanDirection, seen: SequenceNumber) -> String?
    {
        set.end(from: Array(key.utf8), direction, seen: seen).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("a range is skipped in both directions, from anywhere in it, by those who see as much")
    func skipped() {
        var set = DeletedRangeSet()
        set.add(bounds("b", "f"), passing: 64, seen: 7)
        for key in ["b", "c", "e"] { #expect(end(set, key, .forward, seen: 7) == "f") }
        for key in ["a", "f"] { #expect(end(set, key, .forward, seen: 7) == nil) }
        for key in ["c", "e", "f"] { #expect(end(set, key, .backward, seen: 7) == "b") }
        for key in ["b", "g"] { #expect(end(set, key, .backward, seen: 7) == nil) }
        #expect(end(set, "c", .forward, seen: 6) == nil)
        #expect(end(set, "c", .backward, seen: 6) == nil)
    }

    @Test("few records make no range, and make one longer")
    func few() {
        var set = DeletedRangeSet()
        set.add(bounds("b", "f"), passing: 63, seen: 1)
        #expect(set.isEmpty)
        set.add(bounds("b", "f"), passing: 64, seen: 1)
        set.add(bounds("h", "k"), passing: 8, seen: 2)
        #expect(set.parts.count == 1)
        set.add(bounds("f", "h"), passing: 8, seen: 3)
        set.add(bounds("a", "b"), passing: 8, seen: 2)
        #expect(set.parts.count == 1)
        #expect(end(set, "a", .forward, seen: 3) == "h")
        #expect(end(set, "a", .forward, seen: 2) == nil)
    }

    @Test("what is put cuts a range in two, and the scan that finds it deleted joins them")
    func cut() {
        var set = DeletedRangeSet()
        set.add(bounds("b", "p"), passing: 64, seen: 1)
        for key in ["m", "b", "o", "p", "z"] { Array(key.utf8).withBytes { set.note(put: $0, 2) } }
        #expect(set.parts.map { String(decoding: $0.from, as: UTF8.self) } == ["b\0", "m\0", "o\0"])
        #expect(end(set, "b", .forward, seen: 9) == nil)
        #expect(end(set, "c", .forward, seen: 9) == "m")
        #expect(end(set, "n", .backward, seen: 9) == "m\0")
        // Who does not see the puts cannot tell that they were deleted.
        set.add(bounds("b", "p"), passing: 8, seen: 1)
        #expect(end(set, "m", .forward, seen: 9) == nil)
        set.add(bounds("b", "p"), passing: 8, seen: 3)
        #expect(set.parts.count == 1)
        #expect(end(set, "b", .forward, seen: 3) == "p")
    }

    @Test("beside puts elsewhere, the second scan knows")
    func watched() {
        var set = DeletedRangeSet()
        set.notePuts(upTo: 5)
        set.add(bounds("b", "p"), passing: 64, seen: 4)
        #expect(end(set, "b", .forward, seen: 9) == nil)
        Array("x".utf8).withBytes { set.note(put: $0, 6) }
        set.add(bounds("c", "f"), passing: 8, seen: 4)
        #expect(end(set, "c", .forward, seen: 9) == nil)
        // Change 6 is of no account to what is watched since change 5.
        set.add(bounds("c", "f"), passing: 8, seen: 5)
        #expect(end(set, "c", .forward, seen: 5) == "f")
        #expect(end(set, "b", .forward, seen: 9) == nil)
        set.add(bounds("a", "r"), passing: 8, seen: 6)
        #expect(end(set, "a", .forward, seen: 6) == "r")
    }

    @Test("more ranges or bytes than the bounds are all forgotten")
    func bounded() {
        var set = DeletedRangeSet()
        for index in 0..<DeletedRangeSet.mostParts {
            let key = [UInt8(index >> 8), UInt8(index & 255)]
            set.add((key, key + [0]), passing: 64, seen: 1)
        }
        #expect(set.parts.count == DeletedRangeSet.mostParts)
        set.add(bounds("zz", "zzz"), passing: 64, seen: 1)
        #expect(set.isEmpty)
        let long = [UInt8](repeating: 1, count: DeletedRangeSet.mostBytes / 2)
        set.add((long, long + [0]), passing: 64, seen: 1)
        #expect(set.isEmpty)
        set.add((long, [2]), passing: 64, seen: 1)
        #expect(set.parts.count == 1)
    }
}
