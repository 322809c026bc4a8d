import Testing

@testable import Siltstone

struct FragmentIndexTests {
    @Test("places among fragments are those of a plain search, whatever starts have in common", arguments: 0..<40)
    func agrees(_ seed: UInt64) {
        var random = SeededGenerator(seed)
        let prefixes: [[UInt8]] = [
            [], [1], Array("a prefix of twenty b".utf8), [UInt8](repeating: 0xff, count: 9), [0, 0, 0, 0, 0, 0, 0, 0],
        ]
        func randomKey() -> [UInt8] {
            let prefix =
                seed % 2 == 0 ? prefixes[random.index(prefixes.count)] : prefixes[Int(seed / 2) % prefixes.count]
            return prefix + (0..<random.index(12)).map { _ in [0, 1, 7, 0xff][random.index(4)] }
        }
        let borders = Set((0..<(2 + random.index(200))).map { _ in randomKey() })
            .sorted { $0.lexicographicallyPrecedes($1) }
        let tombstones = stride(from: 0, to: borders.count - 1, by: 2).map {
            RangeTombstone(start: borders[$0], end: borders[$0 + 1], sequence: 1)
        }
        let set = RangeTombstones(tombstones)
        for key in borders + (0..<200).map({ _ in randomKey() }) {
            let before = tombstones.filter { $0.start.lexicographicallyPrecedes(key) }.count
            let through = tombstones.filter { !key.lexicographicallyPrecedes($0.start) }.count
            let isCovered = through > 0 && key.lexicographicallyPrecedes(tombstones[through - 1].end)
            withContiguousBytes(key) { bytes in
                #expect(set.index.countOfStarts(upTo: SearchKey(bytes), includingEqual: false) == before)
                #expect(set.index.countOfStarts(upTo: SearchKey(bytes), includingEqual: true) == through)
                #expect(set.index.covers(SearchKey(bytes)) == isCovered)
            }
        }
    }
}
