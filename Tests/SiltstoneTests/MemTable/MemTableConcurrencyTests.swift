import Synchronization
import Testing

@testable import Siltstone

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// One writer, several readers, no lock between them. Meant for the thread sanitizer too.
struct MemTableConcurrencyTests {
    /// A fixed history of changes, so that a reader knows what it must find at any point of it.
    private final class History: Sendable {
        let keys: [[UInt8]]
        /// Which key the change with sequence number *i + 1* is of.
        let changes: [Int]
        /// Sequence number of the next change of the same key, or `.max`.
        let next: [UInt64]
        /// How many distinct keys the changes up to *i* have.
        let distinct: [Int]
        let published = Atomic<UInt64>(0)

        init(seed: UInt64, keyCount: Int, changeCount: Int) {
            var generator = MemTableModel.Generator(seed: seed)
            keys = (0..<keyCount).map { number in
                let digits = String(number * 3)
                return Array(("k" + String(repeating: "0", count: 11 - digits.count) + digits).utf8)
            }
            var changes: [Int] = []
            for _ in 0..<changeCount { changes.append(Int.random(in: 0..<keyCount, using: &generator)) }
            var next = [UInt64](repeating: .max, count: changeCount)
            var distinct = [0]
            var last = [Int](repeating: -1, count: keyCount)
            for (index, key) in changes.enumerated() {
                if last[key] >= 0 { next[last[key]] = UInt64(index + 1) }
                distinct.append(distinct[index] + (last[key] < 0 ? 1 : 0))
                last[key] = index
            }
            self.changes = changes
            self.next = next
            self.distinct = distinct
        }

        /// A value that tells which change it is of, in each of its bytes' places.
        static func value(_ sequence: UInt64) -> [UInt8] {
            [UInt8](count: Int(sequence) % 24 + 8) { UInt8(truncatingIfNeeded: sequence >> UInt64($0 % 8 * 8)) }
        }

        /// Whether a record is the newest version of its key that is visible, and whole.
        func isRight(_ record: Record, visible: UInt64) -> Bool {
            guard record.sequence >= 1, record.sequence <= visible, record.sequence <= changes.count else {
                return false
            }
            let index = Int(record.sequence - 1)
            return keys[changes[index]].elementsEqual(record.key) && next[index] > visible
                && Self.value(record.sequence).elementsEqual(record.value)
        }

        func write(to table: MemTable) {
            for (index, key) in changes.enumerated() {
                table.insert(keys[key], Self.value(UInt64(index + 1)), UInt64(index + 1))
                published.store(UInt64(index + 1), ordering: .releasing)
            }
        }

        var isOver: Bool { published.load(ordering: .acquiring) == UInt64(changes.count) }
    }

    /// Runs each body on a thread of its own, and waits for all.
    private func onThreads(_ bodies: [@Sendable () -> Void]) {
        final class Box: Sendable {
            let body: @Sendable () -> Void
            init(_ body: @escaping @Sendable () -> Void) { self.body = body }
        }
        #if canImport(Darwin)
        var threads = [pthread_t?](repeating: nil, count: bodies.count)
        #else
        var threads = [pthread_t](repeating: pthread_t(), count: bodies.count)
        #endif
        for (index, body) in bodies.enumerated() {
            let box = Unmanaged.passRetained(Box(body)).toOpaque()
            let code = pthread_create(
                &threads[index], nil,
                { argument in
                    #if canImport(Darwin)
                    Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body()
                    #else
                    if let argument { Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body() }
                    #endif
                    return nil
                }, box)
            precondition(code == 0)
        }
        for thread in threads {
            #if canImport(Darwin)
            if let thread { pthread_join(thread, nil) }
            #else
            pthread_join(thread, nil)
            #endif
        }
    }

    /// Runs a reader, again and again until the writer is done and once after that, beside the writer.
    /// - Returns: how many rounds of it failed.
    private func failures(
        seed: UInt64, keyCount: Int, changeCount: Int,
        reader: @escaping @Sendable (MemTable, History, inout MemTableModel.Generator) -> Bool
    ) throws -> Int {
        let table = try MemTable(capacity: 32 << 20, pool: nil)
        let history = History(seed: seed, keyCount: keyCount, changeCount: changeCount)
        let failures = Atomic<Int>(0)
        let readers = (0..<2).map { number in
            { @Sendable in
                var generator = MemTableModel.Generator(seed: seed &+ UInt64(number) &+ 1000)
                var isLast = false
                while true {
                    if !reader(table, history, &generator) { failures.add(1, ordering: .relaxed) }
                    if isLast { return }
                    isLast = history.isOver
                }
            }
        }
        withExtendedLifetime(failures) { onThreads(readers + [{ history.write(to: table) }]) }
        return failures.load(ordering: .relaxed)
    }

    @Test("a lookup beside the writer finds the version of its snapshot", arguments: [500, 20_000])
    func lookups(keyCount: Int) throws {
        let failed = try failures(seed: 11, keyCount: keyCount, changeCount: SuiteScale.count(5_000, thorough: 20_000))
        { table, history, generator in
            let visible = history.published.load(ordering: .acquiring)
            if visible == 0 { return true }
            for _ in 0..<20 {
                let change = Int.random(in: 0..<Int(visible), using: &generator)
                let isRight = history.keys[history.changes[change]].withBytes { key in
                    table.lookup(key, visible: visible).map { history.isRight($0, visible: visible) } ?? false
                }
                if !isRight { return false }
            }
            return true
        }
        #expect(failed == 0)
    }

    @Test("a scan forward beside the writer sees its snapshot, whole and in order", arguments: [500, 20_000])
    func forward(keyCount: Int) throws {
        let failed = try failures(seed: 12, keyCount: keyCount, changeCount: SuiteScale.count(5_000, thorough: 20_000))
        { table, history, _ in
            let visible = history.published.load(ordering: .acquiring)
            var cursor = MemTableCursor(table)
            cursor.seek(nil)
            var batch = RecordBatch(capacity: 33)
            var count = 0
            var last: [UInt8]?
            while true {
                batch.removeAll()
                cursor.fill(&batch, limit: 33, visible: visible)
                if batch.count == 0 { break }
                for index in 0..<batch.count {
                    guard history.isRight(batch[index], visible: visible) else { return false }
                    let key = Array(batch[index].key)
                    if let last, !last.precedes(key) { return false }
                    last = key
                }
                count += batch.count
            }
            return count == history.distinct[Int(visible)]
        }
        #expect(failed == 0)
    }

    @Test("a scan backward beside the writer sees its snapshot, whole and in order", arguments: [500, 20_000])
    func backward(keyCount: Int) throws {
        let failed = try failures(seed: 13, keyCount: keyCount, changeCount: SuiteScale.count(5_000, thorough: 20_000))
        { table, history, _ in
            let visible = history.published.load(ordering: .acquiring)
            var cursor = MemTableCursor(table)
            cursor.seek(nil, .backward)
            var batch = RecordBatch(capacity: 33)
            var count = 0
            var last: [UInt8]?
            while true {
                batch.removeAll()
                cursor.fill(&batch, .backward, limit: 33, visible: visible)
                if batch.count == 0 { break }
                for index in 0..<batch.count {
                    guard history.isRight(batch[index], visible: visible) else { return false }
                    let key = Array(batch[index].key)
                    if let last, !key.precedes(last) { return false }
                    last = key
                }
                count += batch.count
            }
            return count == history.distinct[Int(visible)]
        }
        #expect(failed == 0)
    }

    @Test("a seek beside the writer stands at its key, in both directions")
    func seeks() throws {
        let failed = try failures(seed: 14, keyCount: 8000, changeCount: SuiteScale.count(5_000, thorough: 20_000)) {
            table, history, generator in
            let visible = history.published.load(ordering: .acquiring)
            if visible == 0 { return true }
            let key = history.keys[history.changes[Int.random(in: 0..<Int(visible), using: &generator)]]
            var cursor = MemTableCursor(table)
            var batch = RecordBatch(capacity: 1)
            key.withBytes { cursor.seek($0) }
            cursor.fill(&batch, limit: 1, visible: visible)
            guard batch.count == 1, batch[0].key.elementsEqual(key), history.isRight(batch[0], visible: visible) else {
                return false
            }
            // Just behind the key: the key with one more byte.
            batch.removeAll()
            (key + [0]).withBytes { cursor.seek($0, .backward) }
            cursor.fill(&batch, .backward, limit: 1, visible: visible)
            return batch.count == 1 && batch[0].key.elementsEqual(key) && history.isRight(batch[0], visible: visible)
        }
        #expect(failed == 0)
    }

    @Test("a leaf whose slots are moving is read as it was before or after, never between")
    func movingLeaf() throws {
        let table = try MemTable(capacity: 8 << 20, pool: nil)
        let published = Atomic<UInt64>(0)
        let failures = Atomic<Int>(0)
        let total: UInt64 = 40_000
        // Descending keys: every insert moves all slots of the first leaf.
        @Sendable func number(_ bytes: Bytes) -> UInt64 { bytes.integer(at: 0, as: UInt64.self)!.byteSwapped }
        let write = { @Sendable in
            for sequence in 1...total {
                table.insert(withUnsafeBytes(of: (total - sequence).bigEndian) { Array($0) }, [], sequence)
                published.store(sequence, ordering: .releasing)
            }
        }
        let scan = { @Sendable in
            var cursor = MemTableCursor(table)
            var batch = RecordBatch(capacity: 60)
            while true {
                let seen = published.load(ordering: .acquiring)
                batch.removeAll()
                cursor.seek(nil)
                cursor.fill(&batch, limit: 60, visible: .greatest)
                var isRight = batch.count >= min(60, Int(seen))
                for index in 0..<batch.count {
                    let isNext = index == 0 || number(batch[index].key) == number(batch[index - 1].key) + 1
                    isRight = isRight && isNext
                }
                if !isRight { failures.add(1, ordering: .relaxed) }
                if seen == total { return }
            }
        }
        let find = { @Sendable in
            while true {
                let seen = published.load(ordering: .acquiring)
                for back in 0..<min(seen, 30) {
                    let isFound = withUnsafeBytes(of: (total - seen + back).bigEndian) {
                        table.lookup(Bytes($0), visible: .greatest)?.sequence == seen - back
                    }
                    if !isFound { failures.add(1, ordering: .relaxed) }
                }
                if seen == total { return }
            }
        }
        withExtendedLifetime(failures) { onThreads([write, scan, find]) }
        #expect(failures.load(ordering: .relaxed) == 0)
    }

    @Test("range tombstones made beside readers are seen as soon as they are published")
    func rangeTombstones() throws {
        let table = try MemTable(capacity: 1 << 20, pool: nil)
        let published = Atomic<UInt64>(0)
        let failures = Atomic<Int>(0)
        let total: UInt64 = 300
        withExtendedLifetime(failures) {
            onThreads([
                { @Sendable in
                    for number in 1...total {
                        [UInt8(number / 2 % 200)].withBytes { start in
                            [UInt8(255)].withBytes {
                                table.insertRangeTombstone(start: start, end: $0, sequence: number)
                            }
                        }
                        published.store(number, ordering: .releasing)
                    }
                },
                { @Sendable in
                    while true {
                        let seen = published.load(ordering: .acquiring)
                        let newest = [UInt8(254)].withBytes {
                            table.rangeTombstones.newestCovering($0, visible: .greatest)
                        }
                        if newest < seen { failures.add(1, ordering: .relaxed) }
                        if seen == total { return }
                    }
                },
            ])
        }
        #expect(failures.load(ordering: .relaxed) == 0)
    }
}
