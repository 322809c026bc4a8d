@testable import Siltstone

/// What a memtable should hold: every version of every key, in a sorted array, and the seeded randomness to fill both.
struct MemTableModel {
    /// SplitMix64 (Steele, Lea and Flood, 2014).
    struct Generator: RandomNumberGenerator {
        private var state: UInt64

        init(seed: UInt64) { state = seed }

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
            return mixed ^ (mixed >> 31)
        }
    }

    struct Version: Equatable {
        var key: [UInt8]
        var value: [UInt8]
        var sequence: UInt64
        var kind: RecordKind

        init(_ record: Record) {
            key = Array(record.key)
            value = Array(record.value)
            sequence = record.sequence
            kind = record.kind
        }

        init(key: [UInt8], value: [UInt8], sequence: UInt64, kind: RecordKind) {
            self.key = key
            self.value = value
            self.sequence = sequence
            self.kind = kind
        }
    }

    /// The versions of each key, oldest first.
    private(set) var versions: [[UInt8]: [Version]] = [:]

    mutating func insert(_ version: Version) { versions[version.key, default: []].append(version) }

    var keys: [[UInt8]] { versions.keys.sorted { $0.precedes($1) } }

    func newest(of key: [UInt8], visible: UInt64) -> Version? { versions[key]?.last { $0.sequence <= visible } }

    /// The newest visible version of every key, in key order.
    func visible(_ sequence: UInt64) -> [Version] { keys.compactMap { newest(of: $0, visible: sequence) } }

    /// Keys that try comparisons: short, prefixes of each other, with the least and the greatest byte, and in families
    /// with long common prefixes.
    static func awkwardKey(_ generator: inout Generator) -> [UInt8] {
        let family: [UInt8] =
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: []
            case 1: Array("user:0000000000".utf8)
            case 2: [UInt8](repeating: 0, count: 9)
            default: [UInt8](repeating: 0xff, count: 11)
            }
        let bytes: [UInt8] = [0x00, 0xff, 0x61, 0x62, 0x01]
        let count = Int.random(in: 0...(27 - family.count), using: &generator)
        return family + (0..<count).map { _ in bytes.randomElement(using: &generator) ?? 0 }
    }
}

extension MemTable {
    func insert(_ version: MemTableModel.Version) {
        version.key.withBytes { key in
            version.value.withBytes { value in
                insert(key: key, value: value, sequence: version.sequence, kind: version.kind)
            }
        }
    }

    func insert(_ key: [UInt8], _ value: [UInt8] = [], _ sequence: UInt64, _ kind: RecordKind = .value) {
        insert(MemTableModel.Version(key: key, value: value, sequence: sequence, kind: kind))
    }

    func find(_ key: [UInt8], visible: UInt64 = .greatest) -> MemTableModel.Version? {
        key.withBytes { lookup($0, visible: visible).map { MemTableModel.Version($0) } }
    }

    /// Records from `key` on, or from the start.
    func forward(from key: [UInt8]? = nil, visible: UInt64?, step: Int = 7, limit: Int = .max) -> [MemTableModel
        .Version]
    {
        var cursor = MemTableCursor(self)
        if let key { key.withBytes { cursor.seek($0) } } else { cursor.seek(nil) }
        var batch = RecordBatch(capacity: step)
        var found: [MemTableModel.Version] = []
        while found.count < limit {
            batch.removeAll()
            cursor.fill(&batch, limit: min(step, limit - found.count), visible: visible)
            if batch.count == 0 { break }
            for index in 0..<batch.count { found.append(MemTableModel.Version(batch[index])) }
        }
        return found
    }

    /// Records below `key`, or from the end, in descending order.
    func backward(below key: [UInt8]? = nil, visible: UInt64, step: Int = 7, limit: Int = .max) -> [MemTableModel
        .Version]
    {
        var cursor = MemTableCursor(self)
        if let key { key.withBytes { cursor.seek($0, .backward) } } else { cursor.seek(nil, .backward) }
        var batch = RecordBatch(capacity: step)
        var found: [MemTableModel.Version] = []
        while found.count < limit {
            batch.removeAll()
            cursor.fill(&batch, .backward, limit: min(step, limit - found.count), visible: visible)
            if batch.count == 0 { break }
            for index in 0..<batch.count { found.append(MemTableModel.Version(batch[index])) }
        }
        return found
    }
}
