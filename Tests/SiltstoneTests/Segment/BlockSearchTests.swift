import Testing

@testable import Siltstone

@Suite("Searching blocks")
struct BlockSearchTests {
    /// What keys end with, behind what they share.
    enum Endings: String, CaseIterable {
        case decimal, random, few, long, short, clustered

        func make(_ number: Int, _ random: inout SeededGenerator) -> [UInt8] {
            switch self {
            case .decimal: Array(String(number * 7).utf8)
            case .random: (0..<9).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            case .few: [UInt8(number % 3)] + Array(repeating: 1, count: 8) + [UInt8(truncatingIfNeeded: number)]
            case .long: Array(repeating: 5, count: 12) + [UInt8(truncatingIfNeeded: random.next())]
            case .short: Array([UInt8(truncatingIfNeeded: random.next()), 0, 0].prefix(number % 4))
            case .clustered: number % 9 == 0 ? [UInt8(truncatingIfNeeded: random.next())] : [200, UInt8(number % 256)]
            }
        }
    }

    @Test(
        "a search with a hint finds what one without finds, for every key and every version",
        arguments: Endings.allCases)
    func agrees(_ endings: Endings) throws {
        var random = SeededGenerator(7)
        for round in 0..<300 {
            let shared = [UInt8](repeating: 9, count: round % 11)
            var records: [OwnedRecord] = []
            for number in 0..<(1 + round % 60) {
                let key = shared + endings.make(number, &random)
                for version in 0..<(number % 7 == 0 ? 3 : 1) {
                    records.append(OwnedRecord(key, [1, 2], UInt64(10 + number * 4 + version)))
                }
            }
            records.sort(by: OwnedRecord.precedes)
            var builder = BlockBuilder(target: 4096)
            for record in records {
                record.withRecord { builder.append($0, size: BlockRecord.size($0), isOlder: false) }
            }
            let bytes = builder.finish(segment: 1, address: 0)
            let block = try #require(bytes.baseAddress.flatMap { Block($0, length: bytes.count) })
            // Any hint with the right bytes to skip is a good one: where the guess is bad it only takes longer.
            let hint = BlockHint(skip: shared.count, first: random.next() >> 1, next: random.next() | 1 << 63)
            let sought = records.map(\.key) + (0..<20).map { shared + endings.make($0 * 3, &random) }
            for key in sought {
                for sequence in [FenceIndex.beforeAllVersions, 10, UInt64(10 + round)] {
                    let (found, expected) = key.withUnsafeBytes { key in
                        (block.lowerBound(key, sequence, hint: hint), block.lowerBound(key, sequence))
                    }
                    #expect(found == expected, "round \(round), key \(key), version \(sequence)")
                }
            }
        }
    }

    @Test("digests are in the order of what they are of, and keys that end early come first")
    func digests() {
        var random = SeededGenerator(3)
        for round in 0..<5_000 {
            let shared = [UInt8](repeating: 1, count: round % 13)
            let (one, other) = (
                shared + Array((0..<12).map { _ in UInt8(random.next() % 3) }.prefix(Int(random.next() % 13))),
                shared + Array((0..<12).map { _ in UInt8(random.next() % 3) }.prefix(Int(random.next() % 13)))
            )
            let (a, b) = one.withUnsafeBytes { one in
                other.withUnsafeBytes { other in
                    (SearchKey(one).digest(after: shared.count), SearchKey(other).digest(after: shared.count))
                }
            }
            if a != b { #expect((a < b) == one.lexicographicallyPrecedes(other), "\(one), \(other)") }
        }
    }

    @Test("keys are in one order, however they are compared")
    func orders() {
        var random = SeededGenerator(5)
        for _ in 0..<5_000 {
            let (one, other) = (
                Array((0..<30).map { _ in UInt8(random.next() % 2 &* 255) }.prefix(Int(random.next() % 31))),
                Array((0..<30).map { _ in UInt8(random.next() % 2 &* 255) }.prefix(Int(random.next() % 31)))
            )
            let (a, b) = one.withUnsafeBytes { one in
                other.withUnsafeBytes { other in (compareKeys(one, other), compareKeysByWords(one, other)) }
            }
            #expect(a.signum() == b.signum(), "\(one), \(other)")
        }
    }
}
