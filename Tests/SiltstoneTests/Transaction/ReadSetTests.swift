import Testing

@testable import Siltstone

/// The set of keys and ranges that a commit checks: it may hold too much, never too little.
struct ReadSetTests {
    private func isNoted(_ number: Int, in ranges: KeyRangeSet) -> Bool {
        key(number).withBytes { ranges.contains($0) }
    }

    private func range(_ from: Int, _ to: Int) -> KeyRange { KeyRange(from: key(from), to: key(to)) }

    @Test("an old scan that goes on keeps its part, and takes nobody else's, when scans have been merged meanwhile")
    func oldWalk() {
        var reads = ReadSet()
        let old = (0..<6).map { _ in reads.addScan() }
        for number in old { reads.updateScan(number, range(10 * number, 10 * number + 5)) }
        // As many as make the set merge those that it has.
        for number in 0..<20_000 { reads.updateScan(reads.addScan(), range(1000 + number, 1001 + number)) }
        for number in old { reads.updateScan(number, range(10 * number, 10 * number + 8)) }
        let ranges = reads.mergingScans().ranges
        for number in old { #expect(isNoted(10 * number + 7, in: ranges)) }
        for number in 0..<20_000 where !isNoted(1000 + number, in: ranges) {
            Issue.record("scan \(number) is lost")
            return
        }
    }

    @Test("a set of more ranges and keys than it may hold still holds each of them")
    func bounds() {
        var reads = ReadSet()
        for number in 0..<40_000 { reads.insert(range(3 * number, 3 * number + 1)) }
        for number in 0..<70_000 { key(200_000 + 2 * number).withBytes { reads.insert($0) } }
        let index = ReadIndex(reads.mergingScans())
        func isChanged(_ number: Int) -> Bool {
            key(number).withBytes {
                index.isChanged(by: Record(key: $0, value: .emptyBytes, sequence: 1, kind: .value))
            }
        }
        #expect((0..<40_000).allSatisfy { isChanged(3 * $0) })
        #expect((0..<70_000).allSatisfy { isChanged(200_000 + 2 * $0) })
        #expect(!isChanged(900_000))
        #expect(reads.ranges.ranges.count <= 1 << 14)
    }

    @Test("many scans with long bounds keep the set within its bytes")
    func longBounds() {
        var reads = ReadSet()
        func bound(_ number: Int) -> [UInt8] { key(number) + [UInt8](repeating: 0, count: 64 << 10) }
        for number in 0..<1_000 {
            reads.updateScan(reads.addScan(), KeyRange(from: bound(2 * number), to: bound(2 * number + 1)))
            // Two limits of 16 MiB, and one range that may be beyond each.
            #expect(reads.ranges.byteCount + reads.scanBytes <= 32 << 20 + 256 << 10)
        }
        let ranges = reads.mergingScans().ranges
        #expect((0..<1_000).allSatisfy { number in bound(2 * number).withBytes { ranges.contains($0) } })
    }
}
