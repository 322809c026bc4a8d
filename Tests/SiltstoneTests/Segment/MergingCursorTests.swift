import Testing

@testable import Siltstone

struct MergingCursorTests {
    /// Hands over records of an array, whose bytes it wipes out when it hands over the next ones: nothing may be looked at later.
    private final class WipingSource: RecordSource {
        private let records: [OwnedRecord]
        /// How many batches can be read before one fails.
        var batchesBeforeFailure = Int.max
        private var rest: ArraySlice<OwnedRecord> = []
        private var lent: [UnsafeMutableRawBufferPointer] = []

        /// - Parameter records: in ascending order.
        init(_ records: [OwnedRecord]) { self.records = records }

        deinit { wipe() }

        override var recordCount: Int { records.count }

        override func position(_ key: Bytes?, _ direction: ScanDirection, reading count: Int) {
            let index = records.firstIndex { record in
                key.map { key in record.key.withBytes { compareKeys($0, key) >= 0 } } ?? (direction == .forward)
            }
            let place = index ?? records.endIndex
            rest = direction == .forward ? records[place...] : ArraySlice(records[..<place].reversed())
        }

        override func fill(limit: Int, _ direction: ScanDirection, visible: SequenceNumber?, numbered: Bool)
            throws(StoreError)
        {
            wipe()
            batchesBeforeFailure -= 1
            if batchesBeforeFailure == -1 { throw StoreError(.inputOutput, "a batch that cannot be read") }
            for record in rest.prefix(limit) {
                let (key, value) = (lend(record.key), lend(record.value))
                batch.value.append(Record(key: key, value: value, sequence: record.sequence, kind: record.kind))
            }
            rest = rest.dropFirst(limit)
        }

        private func lend(_ bytes: [UInt8]) -> Bytes {
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
            memory.copyBytes(from: bytes)
            lent.append(memory)
            return MutableBytes(memory).bytes
        }

        private func wipe() {
            for memory in lent {
                memory.initializeMemory(as: UInt8.self, repeating: 0xff)
                memory.deallocate()
            }
            lent = []
        }
    }

    private var random = SeededGenerator(23)

    /// Keys with common beginnings, some of them the beginning of others.
    private static func key(_ number: Int) -> [UInt8] {
        [UInt8]("\(number / 10)".utf8) + [UInt8](repeating: 7, count: number % 10)
    }

    /// Keys of all sources, in order: dense in some sources, thin in others, behind one another in some.
    private mutating func sources(versions: ClosedRange<Int>) -> [[OwnedRecord]] {
        let count = Int.random(in: 1...9, using: &random)
        let all = (0..<400).map(Self.key).sorted { $0.precedes($1) }
        var sequence = SequenceNumber(10_000)
        return (0..<count).map { source in
            let share = [0, 1, 5, 50, 100].randomElement(using: &random) ?? 0
            let range =
                Bool.random(using: &random)
                ? 0..<all.count : source * all.count / count..<(source + 1) * all.count / count
            var records: [OwnedRecord] = []
            for key in all[range] where Int.random(in: 0..<100, using: &random) < share {
                for _ in 0..<Int.random(in: versions, using: &random) {
                    sequence -= 1
                    let kind: RecordKind = Int.random(in: 0..<10, using: &random) == 0 ? .tombstone : .value
                    records.append(OwnedRecord(key, [UInt8(source)], sequence, kind))
                }
            }
            return records
        }
    }

    private func all(_ cursor: MergingCursor) throws -> [OwnedRecord] {
        var found: [OwnedRecord] = []
        while true {
            let span = try cursor.nextSpan()
            if span.isEmpty { return found }
            span.forEach { found.append(OwnedRecord($0)) }
        }
    }

    @Test("a read gets each key once, from the newest source that has it, either way, from any key on, again and again")
    mutating func reads() throws {
        for _ in 0..<120 {
            let records = sources(versions: 1...1)
            let cursor = MergingCursor(records.map { WipingSource($0) }, visible: .greatest)
            var newest: [[UInt8]: OwnedRecord] = [:]
            for record in records.joined() where newest[record.key] == nil { newest[record.key] = record }
            let merged = newest.values.sorted { $0.key.precedes($1.key) }
            for _ in 0..<6 {
                let start = Bool.random(using: &random) ? nil : Self.key(Int.random(in: 0..<420, using: &random))
                let limit = [1, 3, 11, 100, .max].randomElement(using: &random) ?? 1
                let isForward = Bool.random(using: &random)
                cursor.restart(isForward ? .forward : .backward, visible: .greatest, numbered: true)
                try (start ?? []).withBytes { try cursor.seek(start == nil ? nil : $0, limit: limit) }
                let expected = merged.filter { record in
                    start.map { isForward == !record.key.precedes($0) } ?? true
                }
                #expect(try all(cursor) == (isForward ? expected : expected.reversed()))
            }
        }
    }

    @Test("a compaction gets all versions of each key, newest first")
    mutating func compactions() throws {
        for _ in 0..<120 {
            let records = sources(versions: 1...3)
            let cursor = MergingCursor(records.map { WipingSource($0) })
            try cursor.seek(nil)
            var found: [OwnedRecord] = []
            while let record = try cursor.next() { found.append(OwnedRecord(record)) }
            let expected = records.joined().sorted {
                $0.key == $1.key ? $0.sequence > $1.sequence : $0.key.precedes($1.key)
            }
            #expect(found == expected)
        }
    }

    @Test("a merge whose source could not be read for once goes on with that source")
    func failure() throws {
        let records = (0..<3).map { source in (0..<100).map { OwnedRecord(Self.key(1000 + $0 * 3 + source), [], 1) } }
        for failing in records.indices {
            for batches in 1...4 {
                let sources = records.map { WipingSource($0) }
                sources[failing].batchesBeforeFailure = batches
                let cursor = MergingCursor(sources)
                try cursor.seek(nil)
                var found: [OwnedRecord] = []
                #expect(throws: StoreError.self) {
                    while let record = try cursor.next() { found.append(OwnedRecord(record)) }
                }
                while let record = try cursor.next() { found.append(OwnedRecord(record)) }
                #expect(found == records.joined().sorted { $0.key.precedes($1.key) })
            }
        }
    }

    @Test("memtables and runs say how many keys and records they have")
    func counts() throws {
        let store = try StoreFixture().open()
        for number in 0..<500 { try store.put(Self.key(number), [1, 2, 3]) }
        try store.flush()
        for number in 0..<7 { try store.put(Self.key(number), [4]) }
        #expect(store.engine.reads.superVersions.current().sources().map(\.recordCount) == [7, 500])
        try store.close()
    }

    @Test("a limited read asks each source for its share, not for the whole")
    func shares() throws {
        let dense = WipingSource((0..<900).map { OwnedRecord(Self.key(1000 + $0 * 10), [], 1) })
        let thin = WipingSource((0..<100).map { OwnedRecord(Self.key(1005 + $0 * 90), [], 2) })
        let cursor = MergingCursor([thin, dense], visible: .greatest)
        try cursor.seek(nil, limit: 50)
        #expect(thin.batch.value.count == 7)
        #expect(dense.batch.value.count == 47)
    }
}
