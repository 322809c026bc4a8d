import Testing

@testable import Siltstone

extension BlockIndex {
    /// The most fences, one behind the other, that begin with the same nine bytes: none of which digests tell apart where no
    /// more is common to all.
    fileprivate var mostAlike: Int {
        var (most, row) = (1, 1)
        for block in 2..<max(2, blockCount) {
            row = fence(of: block).key.prefix(9).elementsEqual(fence(of: block - 1).key.prefix(9)) ? row + 1 : 1
            most = max(most, row)
        }
        return most
    }
}

/// Searching the fences.
struct BlockIndexTests {
    /// What looking at one fence after the other finds.
    private func place(_ key: [UInt8], _ sequence: SequenceNumber, _ fences: BlockIndex) -> Int {
        let behind = (1..<max(1, fences.blockCount)).first { block in
            let (fence, version) = fences.fence(of: block)
            let order = key.withBytes { compareKeys(fence, $0) }
            return order > 0 || order == 0 && version < sequence
        }
        return (behind ?? fences.blockCount) - 1
    }

    /// Keys in order; where `ties`, the bytes that digests are made of are the same in each half of them.
    private func keys(_ count: Int, ties: Bool) -> [[UInt8]] {
        (0..<count).map { index in
            let digits = String(index * 7)
            let number = String(repeating: "0", count: 8 - digits.count) + digits
            return Array((ties ? (index < count / 2 ? "a" : "b") + "--------" + number : number + "tail").utf8)
        }
    }

    @Test(
        "every key, and those around it, is sent to the block that holds it, however many blocks there are",
        arguments: [1, 2, 3, 31, 32, 33, 34, 63, 64, 65, 66], [false, true])
    func agrees(_ blocks: Int, _ ties: Bool) throws {
        // Two records fill a block.
        let keys = keys(blocks * 2, ties: ties)
        let records = keys.map { OwnedRecord($0, [UInt8](repeating: 1, count: 2000), 5) }
        let reader = try SegmentFixture(records, options: SegmentOptions(blockBytes: 4096)).open()
        #expect(abs(reader.blockIndex.blockCount - blocks) <= 1)
        #expect(!ties || blocks < 31 || reader.blockIndex.mostAlike > 10)
        let beyond: [[UInt8]] = [[], [0], [255], [UInt8](repeating: 255, count: 40), Array("a--------".utf8)]
        let some = keys.prefix(8) + keys.suffix(8) + stride(from: 8, to: keys.count, by: 3).map { keys[$0] }
        for key in some + some.map({ $0 + [0] }) + some.map({ Array($0.dropLast()) }) + beyond {
            for sequence in [BlockIndex.beforeAllVersions, 5, 1] {
                let found = key.withBytes { reader.blockIndex.search($0, sequence) }
                #expect(found == place(key, sequence, reader.blockIndex), "\(key), version \(sequence)")
            }
        }
    }
}
