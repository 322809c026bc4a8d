import Testing

@testable import SiltBench

/// Keys, values and orders.
struct DataTests {
    @Test(
        "decimal keys are their indices in 16 digits",
        arguments: [0, 7, 99_999_999, 100_000_000, 1_234_567_890_123_456])
    func decimalKeys(index: Int) {
        let digits = String(index)
        let expected = String(repeating: "0", count: 16 - digits.count) + digits
        let maker = KeyMaker(.decimal)
        let key = String(decoding: maker.key(index), as: UTF8.self)
        #expect(key == expected)
    }

    @Test("hashed keys are the digits of their hashes, and differ")
    func hashedKeys() {
        let maker = KeyMaker(.hashed)
        var keys = Set<String>()
        for index in 0..<1000 {
            let digits = String(mixed(UInt64(index) + 1))
            let key = String(decoding: maker.key(index), as: UTF8.self)
            #expect(key == "user" + String(repeating: "0", count: 20 - digits.count) + digits)
            keys.insert(key)
        }
        #expect(keys.count == 1000)
    }

    @Test(
        "keys of every shape that says so are in the order of their indices, and missing ones lie between them",
        arguments: [KeySpace.decimal, .binary, .paths, .long])
    func orderedKeys(space: KeySpace) {
        let maker = KeyMaker(space)
        var previous: [UInt8] = []
        for index in 0..<2000 {
            let missing = [UInt8](maker.missingKey(index))
            let key = [UInt8](maker.key(index))
            #expect(previous.lexicographicallyPrecedes(key) && key.lexicographicallyPrecedes(missing))
            #expect((8...KeySpace.longestBytes).contains(key.count))
            previous = missing
        }
    }

    @Test("path-like keys of neighbours share all but two digits; their lengths differ elsewhere")
    func paths() {
        let maker = KeyMaker(.paths)
        let keys = (0..<10_000).map { [UInt8](maker.key($0)) }
        #expect(keys[100].dropLast(2) == keys[199].dropLast(2))
        #expect(Set(keys.map(\.count)).count > 50)
        let another = KeyMaker(.paths)
        #expect(keys[50] == [UInt8](another.key(50)))
    }

    @Test("a permutation has every index once, and is the same again")
    func permutation() {
        let order = IndexStream.permutation(1000, .fillOrder)
        #expect(order.sorted() == Array(0..<1000))
        #expect(order != Array(0..<1000))
        #expect(order == IndexStream.permutation(1000, .fillOrder))
    }

    @Test("threads that draw at random never draw the same index")
    func disjointThreads() {
        let drawn = (0..<3).map { thread in
            var stream = IndexStream.uniform(100, .overwrite, thread: thread, of: 3)
            return Set((0..<1000).map { _ in stream.next() })
        }
        #expect(drawn[0].isDisjoint(with: drawn[1]) && drawn[1].isDisjoint(with: drawn[2]))
        #expect(drawn[0].isDisjoint(with: drawn[2]) && drawn.joined().allSatisfy { (0..<100).contains($0) })
    }

    @Test("Zipf's law: the first rank is drawn about twice as often as the second, and none outside")
    func zipfian() {
        let zipfian = Zipfian(count: 1000)
        var random = RandomSource(.mix)
        var counts = [Int](repeating: 0, count: 1000)
        for _ in 0..<200_000 { counts[zipfian.next(&random)] += 1 }
        #expect((1.7...2.3).contains(Double(counts[0]) / Double(counts[1])))
    }

    @Test("a tally tells a value of another key, and a torn one, from a right one")
    func tally() {
        let values = ValueMaker(byteCount: 100)
        var right = Tally()
        right.add(values.value(Stamp(index: 5, generation: 2)), of: 5)
        #expect(right == Tally(found: 1, checksum: Stamp(index: 5, generation: 2).rawValue, wrong: 0))
        var foreign = Tally()
        foreign.add(values.value(Stamp(index: 5, generation: 2)), of: 6)
        #expect(foreign.wrong == 1)
        var torn = [UInt8](values.value(Stamp(index: 5, generation: 2)))
        torn[0] ^= 1
        var tally = Tally()
        torn.withUnsafeBytes { tally.add($0, of: 5) }
        #expect(tally.wrong == 1)
    }

    @Test("a model forgets what was removed, and counts generations on when it comes back")
    func model() {
        let model = Model(capacity: 1)
        model.reserve(3)
        #expect(model.nextStamp(1) == Stamp(index: 1, generation: 1))
        model.remove(1)
        #expect(model.stamp(1) == nil && model.liveCount == 0)
        #expect(model.nextStamp(1) == Stamp(index: 1, generation: 2))
        #expect(model.liveCount == 1)
    }
}
