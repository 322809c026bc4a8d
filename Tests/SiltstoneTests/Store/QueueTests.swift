import Testing

@testable import Siltstone

/// Lists whose entries are taken out one by one. A scan must not pass all that was taken before.
struct QueueTests {
    /// What is taken out of the list in each step.
    enum Mode: CaseIterable {
        case first, last
        /// One entry, or two, before the one that is taken stay.
        case behindHead, beforeTail, behindTwo
        /// An entry in the middle stays.
        case aroundMiddle
        /// The first entry is removed as a range.
        case rangeOfFirst
        /// Ten lists, in turn.
        case inTurn
        /// A key is put anywhere before each first one is taken.
        case priority
        /// A key is put at the end before the last two are taken, or the first two.
        case stack, refilled
        /// From both ends in turn.
        case bothEnds
    }

    /// A store, or a transaction in it.
    private struct List {
        let reader: any KeyValueReader
        let put: ([UInt8]) throws -> Void
        let delete: ([UInt8]) throws -> Void
        let deleteRange: ([UInt8], [UInt8]) throws -> Void
        var usesCursor = false

        func keys(prefix: [UInt8] = [1], reverse: Bool = false, _ limit: Int = 1) throws -> [[UInt8]] {
            if usesCursor {
                let cursor = try reader.scan(prefix: prefix, reverse: reverse)
                return try (0..<limit).compactMap { _ in try cursor.nextKey() }
            }
            var keys: [[UInt8]] = []
            try reader.forEach(prefix: prefix, reverse: reverse, limit: limit) { key, _ in
                keys.append(key.withBytes { [UInt8]($0) })
                return true
            }
            return keys
        }
    }

    private static func key(_ index: Int, list: Int = 1) -> [UInt8] {
        [UInt8(list), UInt8(index >> 16), UInt8(index >> 8 & 255), UInt8(index & 255)]
    }

    /// Makes the steps of a mode, and checks what comes out.
    private func run(_ mode: Mode, _ count: Int, _ list: List) throws {
        var expected: [[UInt8]] = []
        var taken: [[UInt8]] = []
        func take(_ keys: [[UInt8]], at index: Int) throws {
            guard index < keys.count else { return }
            taken.append(keys[index])
            try list.delete(keys[index])
        }
        let keys = (0..<count).map { Self.key($0) }
        switch mode {
        case .first, .refilled:
            for index in 0..<count {
                if mode == .refilled, index % 2 == 0 { try list.put(Self.key(count + index)) }
                try take(list.keys(), at: 0)
            }
            expected = keys
        case .last:
            for _ in 0..<count { try take(list.keys(reverse: true), at: 0) }
            expected = keys.reversed()
        case .behindHead, .behindTwo:
            let stuck = mode == .behindHead ? 1 : 2
            for _ in stuck..<count { try take(list.keys(stuck + 1), at: stuck) }
            expected = Array(keys[stuck...])
        case .beforeTail:
            for _ in 1..<count { try take(list.keys(reverse: true, 2), at: 1) }
            expected = keys.dropLast().reversed()
        case .aroundMiddle:
            let middle = count / 2
            for index in 0..<(count - 1) { try take(list.keys(2), at: index < middle ? 0 : 1) }
            expected = keys
            expected.remove(at: middle)
        case .rangeOfFirst:
            for _ in 0..<count {
                let first = try list.keys()[0]
                taken.append(first)
                try list.deleteRange(first, first + [0])
            }
            expected = keys
        case .inTurn:
            for index in 0..<count {
                let (number, place) = (2 + index % 10, index / 10)
                try take(list.keys(prefix: [UInt8(number)]), at: 0)
                expected.append(Self.key(place, list: number))
            }
        case .priority:
            var random = SeededGenerator(1)
            var model = Set((0..<50).map { $0 * count / 50 })
            for index in 0..<count where !model.contains(index) { try list.delete(Self.key(index)) }
            for _ in 0..<count {
                let index = random.index(count)
                try list.put(Self.key(index))
                model.insert(index)
                try take(list.keys(), at: 0)
                let first = try #require(model.min())
                model.remove(first)
                expected.append(Self.key(first))
            }
        case .stack:
            for index in 0..<(count / 2) {
                try list.put(Self.key(count + index))
                for _ in 0..<2 { try take(list.keys(reverse: true), at: 0) }
                expected += [Self.key(count + index), Self.key(count - 1 - index)]
            }
        case .bothEnds:
            for index in 0..<count {
                try take(list.keys(reverse: index % 2 == 1), at: 0)
                expected.append(Self.key(index % 2 == 0 ? index / 2 : count - 1 - index / 2))
            }
        }
        #expect(taken == expected)
    }

    private func filled(_ mode: Mode, _ count: Int, value: [UInt8]) throws -> KeyValueStore {
        var configuration = Configuration()
        // Nothing is merged, so that what was deleted stays.
        configuration.tidiesWhenIdle = false
        configuration.automaticCompaction = false
        configuration.largeValueBytes = 64
        let store = try KeyValueStore.inMemory(configuration: configuration)
        for index in 0..<count {
            try store.put(mode == .inTurn ? Self.key(index / 10, list: 2 + index % 10) : Self.key(index), value)
        }
        // Neighbours of the list.
        try store.put([0], [])
        try store.put([100], [])
        return store
    }

    /// A scan passes fewer deleted records than this, on average.
    private static let most = 40

    @Test(
        "a scan passes few deleted records, however many there are", .comesToAnEnd, arguments: Mode.allCases,
        [300, 600])
    func store(mode: Mode, count: Int) throws {
        let value = [UInt8](repeating: 7, count: count == 300 ? 3 : 100)
        let store = try filled(mode, count, value: value)
        // In segments, too.
        if count == 600 { try store.flush() }
        let list = List(
            reader: store, put: { try store.put($0, value) }, delete: { try store.delete($0) },
            deleteRange: { try store.deleteRange(from: $0, to: $1) }, usesCursor: count == 300)
        try run(mode, count, list)
        let passed = store.engine.scans.deletedRanges.passedCount
        #expect(passed <= Self.most * count)
        try store.close()
    }

    @Test(
        "nor in a transaction, whether it or others have deleted them", .comesToAnEnd, arguments: Mode.allCases,
        [300, 600])
    func transaction(mode: Mode, count: Int) throws {
        let value = [UInt8](repeating: 7, count: count == 300 ? 3 : 100)
        let store = try filled(mode, count, value: value)
        try store.transaction { transaction in
            let list = List(
                reader: transaction, put: { try transaction.put($0, value) }, delete: { try transaction.delete($0) },
                deleteRange: { try transaction.deleteRange(from: $0, to: $1) }, usesCursor: count == 600)
            try run(mode, count, list)
            #expect(transaction.state.passedCount <= Self.most * count)
        }
        try store.close()
    }

    @Test("a transaction passes once what was deleted before it, though others go on", .comesToAnEnd)
    func transactionAmongOthers() throws {
        let store = try filled(.first, 1000, value: [])
        for index in 0..<500 { try store.delete(Self.key(index)) }
        let transaction = store.begin(isolation: .snapshot)
        let list = List(
            reader: transaction, put: { try transaction.put($0, []) }, delete: { try transaction.delete($0) },
            deleteRange: { try transaction.deleteRange(from: $0, to: $1) })
        for index in 0..<200 {
            // Another consumer, and a producer.
            try store.forEach(prefix: [1], limit: 1) { key, _ in
                try store.delete(key.withBytes { [UInt8]($0) })
                return true
            }
            try store.put(Self.key(2000 + index), [])
            let keys = try list.keys()
            #expect(keys == [Self.key(500 + index)])
            try transaction.delete(keys[0])
        }
        #expect(transaction.state.passedCount <= 500 + Self.most * 200)
        #expect(store.engine.scans.deletedRanges.passedCount <= 1500 + Self.most * 400)
        transaction.rollback()
        try store.close()
    }

    @Test("what a savepoint has deleted is there again after its end", .comesToAnEnd)
    func savepoint() throws {
        struct Cancelled: Error {}
        let store = try filled(.first, 300, value: [])
        try store.transaction { transaction in
            let list = List(
                reader: transaction, put: { try transaction.put($0, []) }, delete: { try transaction.delete($0) },
                deleteRange: { try transaction.deleteRange(from: $0, to: $1) })
            for _ in 0..<2 {
                let cursor = try transaction.scan(prefix: [1])
                #expect(throws: Cancelled.self) {
                    try transaction.savepoint {
                        try run(.first, 300, list)
                        #expect(try list.keys().isEmpty)
                        throw Cancelled()
                    }
                }
                #expect(try list.keys() == [Self.key(0)])
                #expect(try list.keys(reverse: true) == [Self.key(299)])
                #expect(try cursor.nextKey() == Self.key(0))
            }
        }
        try store.close()
    }
}
