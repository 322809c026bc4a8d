import Testing

@testable import Siltstone

/// Random transactions against a sorted dictionary: reads, scans and savepoints inside, and what a commit leaves.
@Suite("Transactions against a model") struct TransactionModelTests {
    @Test("reads and scans inside see the snapshot with the transaction's own writes", arguments: 0..<12)
    func ownWrites(seed: Int) throws {
        var run = try Run(seed: UInt64(seed))
        for _ in 0..<25 { try run.transaction() }
        try run.compareStore()
    }

    private struct Cancelled: Error {}

    private struct Run {
        let store: KeyValueStore
        var random: SeededGenerator
        var committed = StoreModel()
        /// The state that the open transaction should see.
        var open = StoreModel()

        init(seed: UInt64) throws {
            var configuration = Configuration()
            configuration.memTableBytes = 64 << 10
            configuration.largeValueBytes = seed % 2 == 0 ? 64 : 8 << 10
            // Most transactions of two thirds of the runs are larger than memory.
            if seed % 3 != 0 { configuration.transactionMemoryBytes = seed % 3 == 1 ? 0 : 60 }
            store = try KeyValueStore.inMemory(configuration: configuration)
            random = SeededGenerator(seed)
        }

        private mutating func key() -> [UInt8] {
            switch random.index(12) {
            case 0: []
            case 1: [UInt8](repeating: 0xff, count: random.index(3))
            default: Array("k\(random.index(90))".utf8)
            }
        }

        private mutating func bound() -> [UInt8]? { random.index(3) == 0 ? nil : key() }

        private mutating func value() -> [UInt8] {
            [UInt8](repeating: UInt8(random.index(256)), count: random.index(random.index(9) == 0 ? 300 : 9))
        }

        mutating func transaction() throws {
            let transaction = store.begin(isolation: random.index(2) == 0 ? .serializable : .snapshot)
            open = committed
            for _ in 0..<random.index(40) { try step(transaction, depth: 0) }
            if random.index(4) == 0 {
                transaction.rollback()
            } else {
                try transaction.commit()
                committed = open
            }
            #expect(throws: StoreError.self) { try transaction.get(Array("k".utf8)) }
            if random.index(4) == 0 { try store.flush() }
            if random.index(8) == 0 { try store.compact() }
            try compareStore()
        }

        private mutating func step(_ transaction: Transaction, depth: Int) throws {
            switch random.index(12) {
            case 0..<4:
                let (key, value) = (key(), value())
                try transaction.put(key, value)
                open[key] = value
            case 4:
                let key = key()
                try transaction.delete(key)
                open[key] = nil
            case 5:
                let (from, to) = (key(), key())
                try transaction.deleteRange(from: from, to: to)
                open.deleteRange(from, to)
            case 6..<8:
                let key = key()
                #expect(try transaction.get(key) == open[key])
                #expect(try transaction.contains(key) == (open[key] != nil))
                #expect(try transaction.withValue(key) { $0.withBytes { [UInt8]($0) } } == open[key])
            case 8 where depth < 3:
                let before = open
                let isKept = random.index(2) == 0
                do {
                    try transaction.savepoint {
                        for _ in 0..<random.index(8) { try step(transaction, depth: depth + 1) }
                        if !isKept { throw Cancelled() }
                    }
                } catch is Cancelled { open = before }
            default: try walk(transaction)
            }
        }

        private mutating func walk(_ transaction: Transaction) throws {
            let (from, to, reverse) = (bound(), bound(), random.index(2) == 0)
            let limit = random.index(3) == 0 ? random.index(20) : nil
            let expected = open.scan(from: from, to: to, reverse: reverse, limit: limit)
            let cursor = try transaction.scan(from: from, to: to, reverse: reverse, limit: limit)
            // The scan keeps what it began with.
            let key = key()
            try transaction.put(key, [1])
            open[key] = [1]
            var entries: [Entry] = []
            while let entry = try cursor.next() { entries.append(entry) }
            #expect(entries == expected)

            let stop = random.index(30)
            let again = open.scan(from: from, to: to, reverse: reverse, limit: limit)
            var seen: [Entry] = []
            try transaction.forEach(from: from, to: to, reverse: reverse, limit: limit) { key, value in
                seen.append(
                    Entry(key: key.withBytes { [UInt8]($0) }, value: value.withBytes { [UInt8]($0) }))
                return seen.count <= stop
            }
            #expect(seen == Array(again.prefix(stop + 1)))
        }

        func compareStore() throws {
            var entries: [Entry] = []
            let cursor = try store.scan()
            while let entry = try cursor.next() { entries.append(entry) }
            #expect(entries == committed.scan())
        }
    }
}
