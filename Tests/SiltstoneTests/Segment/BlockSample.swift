@testable import Siltstone

/// What the keys of a block are like.
enum KeyShape: String, CaseIterable {
    case decimal, random, few, long, short, clustered, binary, one

    /// What they begin with.
    func shared(_ round: Int) -> [UInt8] { [UInt8](repeating: 9, count: round % 13 == 12 ? 300 : round % 13) }

    /// What they end with, behind what they share.
    func ending(_ number: Int, _ random: inout SeededGenerator) -> [UInt8] {
        switch self {
        case .decimal: Array(String(number * 7).utf8)
        case .random: random.bytes(9)
        case .few: [UInt8(number % 3)] + Array(repeating: 1, count: 8) + [UInt8(truncatingIfNeeded: number)]
        case .long: Array(repeating: 5, count: 12) + [UInt8(truncatingIfNeeded: random.next())]
        case .short: Array([UInt8(truncatingIfNeeded: random.next()), 0, 0].prefix(number % 4))
        case .clustered: number % 9 == 0 ? random.bytes(1) : [200, UInt8(truncatingIfNeeded: number)]
        case .binary: (0..<random.index(14)).map { _ in [0x00, 0xff, 0x7f].randomElement(using: &random) ?? 0 }
        case .one: [7]
        }
    }
}

/// A block, and the records that it was made of.
struct BlockSample {
    private(set) var bytes: [UInt8]
    let records: [OwnedRecord]
    private let memory: HeapBytes
    private(set) var block: Block

    /// Makes a block of records, which are brought into order.
    init(_ records: [OwnedRecord], _ layout: BlockLayout, target: Int = 64 << 10) {
        self.records = records.sorted(by: OwnedRecord.precedes)
        var builder = BlockBuilder(target: target, layout: layout)
        var slots: [Int] = []
        for record in self.records {
            slots.append(builder.nextOffset)
            record.withRecord { builder.append($0, size: BlockRecord.size($0), isOlder: false) }
        }
        let built = builder.finish(segment: 1, address: 0)
        bytes = Array(built)
        assert(builder.isEmpty && slots.last ?? 0 <= UInt16.max, "a record begins too far from the start of the block")
        // Of the block's size to the byte, so that the sanitizers see what goes beyond it.
        memory = HeapBytes(copying: bytes)
        block = Block(memory.bytes, layout: layout) ?? .empty
    }

    /// Makes a block of at least `count` records; some keys have several versions.
    init(
        _ shape: KeyShape, shared: [UInt8], count: Int, _ layout: BlockLayout, target: Int = 64 << 10,
        _ random: inout SeededGenerator
    ) {
        var records: [OwnedRecord] = []
        for number in 0..<count {
            let key = shared + shape.ending(number, &random)
            for version in 0..<(number % 7 == 0 ? 3 : 1) {
                records.append(OwnedRecord(key, [1], UInt64(10 + number * 4 + version)))
            }
        }
        self.init(records, layout, target: target)
    }

    mutating func change(_ offset: Int, to byte: UInt8) {
        bytes[offset] = byte
        memory.buffer.store(byte, at: offset)
    }

    /// Where the engine finds that a version belongs.
    func search(_ key: [UInt8], _ sequence: SequenceNumber) -> Int? {
        key.withBytes { block.lowerBound($0, sequence) }
    }

    /// Where it does belong.
    func place(of key: [UInt8], _ sequence: SequenceNumber) -> Int {
        records.firstIndex { record in
            record.key == key ? record.sequence <= sequence : key.precedes(record.key)
        } ?? records.count
    }
}
