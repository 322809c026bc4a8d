import Testing

@testable import Siltstone

/// The check of commits against a plain comparison of what was read with what was changed.
struct ConflictModelTests {
    @Test(
        "a commit conflicts if what it has read was changed, and only then, whatever flushes and compactions do meanwhile",
        arguments: 0..<8)
    func exact(_ number: Int) throws {
        var (conflicts, commits) = (0, 0)
        for round in 0..<SuiteScale.count(20, thorough: 200) {
            let seed = SuiteScale.seed &+ UInt64(1000 * number + round)
            var run = try Run(seed: seed)
            let replay = SuiteScale.replay("ConflictModelTests", seed: seed)
            switch try run.play() {
            case .must(let hasConflict) where hasConflict != run.hasConflict:
                Issue.record("the commit did \(run.hasConflict ? "" : "not ")conflict: \(run.story)\n\(replay)")
            case .must, .may: break
            }
            if run.hasConflict { conflicts += 1 } else { commits += 1 }
        }
        #expect(conflicts > 3 && commits > 3)
    }

    private enum Expectation {
        case must(Bool)
        /// Something that was absent came and went. That is no conflict, and may be taken for one.
        case may
    }

    private struct Run {
        private let store: KeyValueStore
        private var random: SeededGenerator
        private var model = StoreModel()
        private var readKeys: Set<Int> = []
        private var changedKeys: Set<Int> = []
        private(set) var hasConflict = false
        private(set) var story: [String] = []

        private static let keys = 40

        init(seed: UInt64) throws {
            random = SeededGenerator(seed)
            var configuration = StoreFixture.small()
            configuration.largeValueBytes = random.chance(0.5) ? 64 : 8 << 10
            configuration.access = random.chance(0.5) ? .mapped : .read
            store = try KeyValueStore.inMemory(configuration: configuration)
        }

        private mutating func value() -> [UInt8] {
            [UInt8](repeating: UInt8(random.index(256)), count: random.chance(0.2) ? 500 : 9)
        }

        private mutating func range() -> Range<Int> {
            let from = random.index(Self.keys)
            return from..<min(Self.keys, from + 1 + random.index(random.chance(0.8) ? 3 : 20))
        }

        mutating func play() throws -> Expectation {
            for _ in 0..<random.index(60) { try change() }
            let (before, isSnapshot) = (model, random.chance(0.2))
            let transaction = store.begin(isolation: isSnapshot ? .snapshot : .serializable)
            for _ in 0...random.index(random.chance(0.2) ? 40 : 5) {
                if isSnapshot { try write(transaction) } else { try read(transaction) }
                if random.chance(0.1) { try upheave() }
            }
            try transaction.put(Array("result".utf8), [1])
            changedKeys = []
            for _ in 0..<random.index(8) { try change() }
            hasConflict = StoreError.Code.of { try transaction.commit() } == .conflict
            let touched = readKeys.intersection(changedKeys)
            if touched.isEmpty { return .must(false) }
            let isReal = touched.contains { before[key($0)] != nil || model[key($0)] != nil }
            return isReal ? .must(true) : .may
        }

        private mutating func upheave() throws {
            story.append("upheaval")
            try store.flush()
            if random.chance(0.5) { try store.compact() }
        }

        /// A write by somebody else.
        private mutating func change() throws {
            if random.chance(0.2) { try upheave() }
            let (number, value) = (random.index(Self.keys), value())
            story.append("change of \(number)")
            switch random.index(10) {
            case 0..<4:
                try store.put(key(number), value)
                note(number, value)
            case 4:
                try store.delete(key(number))
                note(number, nil)
            case 5:
                let range = range()
                story.append("removal of \(range)")
                try store.deleteRange(from: key(range.lowerBound), to: key(range.upperBound))
                for number in range { note(number, nil) }
            case 6..<8:
                try store.transaction { transaction in
                    try transaction.put(key(number), value)
                    try transaction.delete(key((number + 7) % Self.keys))
                }
                note(number, value)
                note((number + 7) % Self.keys, nil)
            default:
                var batch = WriteBatch()
                for step in 0..<3 { batch.put(key((number + step) % Self.keys), value) }
                try store.write(batch)
                for step in 0..<3 { note((number + step) % Self.keys, value) }
            }
        }

        private mutating func note(_ number: Int, _ value: [UInt8]?) {
            model[key(number)] = value
            changedKeys.insert(number)
        }

        private mutating func read(_ transaction: Transaction) throws {
            let number = random.index(Self.keys)
            guard random.chance(0.4) else {
                story.append("read of \(number)")
                readKeys.insert(number)
                _ = try transaction.get(key(number))
                return
            }
            let (range, isReverse) = (range(), random.chance(0.5))
            story.append("\(isReverse ? "backward " : "")scan over \(range)")
            let cursor = try transaction.scan(
                from: key(range.lowerBound), to: key(range.upperBound), reverse: isReverse)
            var left = range
            for _ in 0..<(random.chance(0.5) ? random.index(3) : Int.max) {
                guard let entry = try cursor.next() else {
                    readKeys.formUnion(left)
                    return
                }
                // All keys up to the one that was found.
                let found = try #require(range.first { key($0) == entry.key })
                readKeys.formUnion(isReverse ? found..<left.upperBound : left.lowerBound..<found + 1)
                left = isReverse ? left.lowerBound..<found : found + 1..<left.upperBound
            }
        }

        /// Under snapshot isolation the written keys are compared.
        private mutating func write(_ transaction: Transaction) throws {
            let number = random.index(Self.keys)
            switch random.index(4) {
            case 0:
                let range = range()
                try transaction.deleteRange(from: key(range.lowerBound), to: key(range.upperBound))
                readKeys.formUnion(range)
            case 1:
                try transaction.delete(key(number))
                readKeys.insert(number)
            case 2:
                // Undone, and so not compared.
                struct Undone: Error {}
                do {
                    try transaction.savepoint {
                        try transaction.put(key(number), [1])
                        throw Undone()
                    }
                } catch is Undone {}
            default:
                try transaction.put(key(number), [1])
                readKeys.insert(number)
            }
        }
    }
}
