import Testing

@testable import Siltstone

/// Searching blocks.
struct BlockSearchTests {
    @Test(
        "a search finds what looking at one record after the other finds, for every key and every version",
        arguments: KeyShape.allCases, BlockLayout.allCases)
    func agrees(_ shape: KeyShape, _ layout: BlockLayout) throws {
        var random = SeededGenerator(7)
        for round in 0..<25 {
            let shared = shape.shared(round)
            let sample = BlockSample(shape, shared: shared, count: 1 + round * 2, layout, &random)
            for key in sample.records.map(\.key) + (0..<10).map({ shared + shape.ending($0 * 3, &random) }) {
                for sequence in [BlockIndex.beforeAllVersions, 10, UInt64(10 + round)] {
                    let expected = sample.place(of: key, sequence)
                    #expect(sample.search(key, sequence) == expected, "round \(round), key \(key), version \(sequence)")
                }
            }
        }
    }

    @Test(
        "keys that are unlike all of a block's, and those just before and behind each of them, are placed right",
        arguments: KeyShape.allCases, BlockLayout.allCases)
    func strangers(_ shape: KeyShape, _ layout: BlockLayout) throws {
        var random = SeededGenerator(8)
        for round in 0..<20 {
            let sample = BlockSample(shape, shared: shape.shared(round), count: 1 + round * 2, layout, &random)
            var sought: [[UInt8]] = [[], [0], [255], Array(repeating: 255, count: 40)]
            for key in sample.records.map(\.key).shuffled(using: &random).prefix(12) {
                sought += [key + [0], key + [255], Array(key.dropLast()), Array(key.dropFirst())]
                guard let place = key.indices.randomElement(using: &random) else { continue }
                for step in [1, 255] {
                    var changed = key
                    changed[place] &+= UInt8(step)
                    sought.append(changed)
                }
            }
            for key in sought {
                let expected = sample.place(of: key, BlockIndex.beforeAllVersions)
                #expect(sample.search(key, BlockIndex.beforeAllVersions) == expected, "round \(round), key \(key)")
            }
        }
    }

    @Test(
        "blocks of any number of records are searched right",
        arguments: [1, 2, 7, 8, 9, 15, 16, 17, 140, 255, 256, 257, 258, 511, 1000, 2900])
    func counts(_ count: Int) throws {
        var random = SeededGenerator(UInt64(count))
        for shape in [KeyShape.decimal, .random, .few] {
            let sample = BlockSample(shape, shared: [1], count: count, .digested, target: 1 << 20, &random)
            #expect(sample.block.count >= count)
            for round in 0..<(count < 300 ? 100 : 30) {
                let known = sample.records.randomElement(using: &random)?.key ?? []
                let key = round % 2 == 0 ? known : [1] + shape.ending(random.index(count), &random)
                let sequence = round % 3 == 0 ? BlockIndex.beforeAllVersions : 10 + UInt64(random.index(count))
                #expect(sample.search(key, sequence) == sample.place(of: key, sequence), "key \(key)")
            }
        }
    }

    @Test("keys of 64 KiB that differ at their ends are told apart", arguments: [65_400, 65_535, 65_536, 70_000])
    func longKeys(length: Int) throws {
        let shared = [UInt8](repeating: 3, count: length)
        // A second one would begin too far from the start of the block where the first one is longer.
        let keys = length < 65_500 ? [shared, shared + [1, 2]] : [shared + [1]]
        let sample = BlockSample(keys.map { OwnedRecord($0, [], 5) }, .digested, target: 4096)
        #expect(DigestScale(sample.block.bytes).skip == min(length + (keys.count == 1 ? 1 : 0), Int(UInt16.max)))
        let ends: [[UInt8]] = [[], [0], [1], [1, 0], [1, 2], [1, 2, 0], [2], [UInt8](repeating: 0, count: 9)]
        for key in keys + ends.map({ shared + $0 }) + [Array(shared.dropLast()), shared.dropLast() + [4]] {
            let expected = sample.place(of: key, BlockIndex.beforeAllVersions)
            #expect(sample.search(key, BlockIndex.beforeAllVersions) == expected)
        }
    }

    @Test("whatever a block's digests say, a search stays in the block", arguments: KeyShape.allCases)
    func wrongDigests(_ shape: KeyShape) throws {
        var random = SeededGenerator(9)
        for round in 0..<60 {
            var sample = BlockSample(shape, shared: shape.shared(round % 12), count: 1 + round * 5, .digested, &random)
            #expect(sample.block.hasRightDigests())
            // Of the header's scale, of the digests, or of both. Slots and records stay as they are.
            for _ in 0...random.index(20) {
                let offset =
                    round % 3 == 0 || random.chance(0.1)
                    ? 8 + random.index(16) : sample.block.limit + random.index(2 * sample.block.count)
                sample.change(offset, to: UInt8(truncatingIfNeeded: random.next()))
            }
            for key in sample.records.prefix(30).map(\.key) + [[], [255], [9, 9, 9]] {
                let found = try #require(sample.search(key, BlockIndex.beforeAllVersions))
                #expect((0...sample.block.count).contains(found))
            }
        }
    }

    @Test("no change of a digest, or of what digests are made by, goes unnoticed by a check of the block")
    func noticed() throws {
        var random = SeededGenerator(10)
        var sample = BlockSample(.decimal, shared: [1, 2, 3], count: 50, .digested, &random)
        let places = Array(8..<24) + Array(sample.block.limit..<sample.block.limit + 2 * sample.block.count)
        for offset in places {
            for bit in 0..<8 {
                let byte = sample.bytes[offset]
                sample.change(offset, to: byte ^ 1 << bit)
                #expect(!sample.block.hasRightDigests(), "offset \(offset), bit \(bit)")
                sample.change(offset, to: byte)
            }
        }
        #expect(sample.block.hasRightDigests())
    }

    @Test("the keys of a block spend all 16 bits of digests on where they differ")
    func resolution() throws {
        let keys = (0..<140).map { Array("a long prefix ".utf8) + [UInt8($0)] }
        let sample = BlockSample(keys.map { OwnedRecord($0, [], 5) }, .digested)
        #expect(Set((0..<140).map { sample.block.digest($0) }).count == 140)
        #expect(sample.block.digest(0) == 0 && sample.block.digest(139) >= 1 << 15)
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
            let (a, b) = one.withBytes { one in
                other.withBytes { other in
                    (SearchKey(one).digest(after: shared.count), SearchKey(other).digest(after: shared.count))
                }
            }
            if a != b { #expect((a < b) == one.precedes(other), "\(one), \(other)") }
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
            let (a, b) = one.withBytes { one in
                other.withBytes { other in (compareKeys(one, other), compareKeysByWords(one, other)) }
            }
            #expect(a.signum() == b.signum(), "\(one), \(other)")
        }
    }
}
