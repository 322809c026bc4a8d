import Testing

@testable import Siltstone

struct RecordHeaderTests {
    /// Lengths and numbers on both sides of where they take one byte more.
    private static let keyCounts = [0, 1, 7, 8, 16, 17, 126, 127, 128, 300]
    private static let valueCounts = [0, 1, 100, 127, 128, 129, 1000, 16_383, 16_384, 70_000]
    private static let sequences: [SequenceNumber] = [
        1, 127, 128, 16_383, 16_384, (1 << 21) - 1, 1 << 21, (1 << 28) - 1, 1 << 28, (1 << 35) - 1, 1 << 35,
    ]

    @Test("a record's head, where it is short, says what the whole record says; where it is long, nothing")
    func agreement() {
        for kind in [RecordKind.value, .tombstone, .pointer] {
            for keyCount in Self.keyCounts {
                for valueCount in Self.valueCounts {
                    for sequence in Self.sequences {
                        check(OwnedRecord(bytes(keyCount), bytes(valueCount), sequence, kind), isOlder: false)
                        check(OwnedRecord(bytes(keyCount), bytes(valueCount), sequence, kind), isOlder: true)
                    }
                }
            }
        }
    }

    private func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 0xff, count: count) }

    private func check(_ owned: OwnedRecord, isOlder: Bool) {
        owned.withRecord { record in
            let size = BlockRecord.size(record)
            let memory = MutableBytes.allocate(byteCount: size + 8, alignment: 8)
            defer { memory.deallocate() }
            memory.fill(with: 0xff)
            BlockRecord.write(record, isOlder: isOlder, to: memory)
            let headBytes = size - record.key.count - record.value.count
            let isShort = record.key.count < 128 && record.value.count < 1 << 14 && headBytes <= 8
            let head = RecordHeader(memory.bytes, at: 0)
            #expect((head != nil) == isShort, "\(owned)")
            guard let head else { return }
            #expect(head.size == headBytes && head.valueCount == record.value.count, "\(owned)")
            #expect(head.sequence == record.sequence, "\(owned)")
            let isNewestValue = record.kind == .value && !isOlder
            #expect(head.isNewestValue(keyCount: record.key.count) == isNewestValue, "\(owned)")
            // Lengths that differ in a bit that the head has no room for, too.
            let others = [1, 64, 128, 256, 1 << 16, 1 << 40].map { record.key.count ^ $0 }
            let isTakenForOther = others.contains { head.isNewestValue(keyCount: $0) }
            #expect(!isTakenForOther, "\(owned)")
        }
    }

    @Test("a record that is read by its short head is the one that is read field by field, whatever the bytes are")
    func equalForms() {
        var random = SeededGenerator(8)
        var short = 0
        for _ in 0..<100_000 {
            let marks = random.next() & 0x8080_8080_8080_8080
            // Short keys and values, so that they end within the bytes; zeros behind, as of lengths that are too long.
            let words = [(random.next() & 0x7f03_070f_8303_0783 | marks) & ~0xfc, random.next(), 0, 0].map(
                \.littleEndian)
            words.withUnsafeBytes { bytes in
                let bytes = Bytes(bytes)
                let (one, other) = (BlockRecord(bytes, at: 0), BlockRecord(long: bytes, at: 0))
                if RecordHeader(bytes, at: 0) != nil, one != nil { short += 1 }
                #expect(one.map { OwnedRecord($0.record) } == other.map { OwnedRecord($0.record) })
                #expect(one?.end == other?.end && one?.isOlder == other?.isOlder)
            }
        }
        #expect(short > 1000)
    }

    @Test("no eight bytes make a head that reaches beyond them")
    func arbitrary() {
        var random = SeededGenerator(7)
        for _ in 0..<100_000 {
            // Many bytes with the mark.
            let word = random.next() | (random.next() & 0x8080_8080_8080_8080)
            withUnsafeBytes(of: word.littleEndian) { bytes in
                guard let head = RecordHeader(Bytes(bytes), at: 0) else { return }
                #expect((4...8).contains(head.size) && (0..<1 << 14).contains(head.valueCount))
            }
        }
    }
}
