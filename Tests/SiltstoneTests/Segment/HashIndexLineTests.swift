import Testing

@testable import Siltstone

struct HashIndexLineTests {
    @Test("the places of a line with a fingerprint are found, all of them and no others")
    func matches() {
        var random = SeededGenerator(11)
        let line = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 64)
        defer { line.deallocate() }
        guard let base = line.baseAddress else { return }
        for _ in 0..<2000 {
            let hash = random.next()
            let fingerprint = HashIndexGeometry.fingerprint(of: hash)
            for index in line.indices { line[index] = UInt8(truncatingIfNeeded: random.next()) }
            // The overflow filter behind the fingerprints may look like one.
            for index in 0..<16 where random.chance(0.3) { line[index] = fingerprint }
            let found = HashIndexLine(MutableBytes(line).bytes, bucket: 0, hash: hash)
            let expected = (0..<HashIndexGeometry.entriesPerBucket).filter { line[$0] == fingerprint }
            #expect((0..<32).filter { found.matches & (1 << UInt32($0)) != 0 } == expected)
            if let first = expected.first {
                let word = UInt32(littleEndian: base.loadUnaligned(fromByteOffset: 16 + 4 * first, as: UInt32.self))
                #expect(found.word(at: found.matches) == word)
            }
        }
    }
}
