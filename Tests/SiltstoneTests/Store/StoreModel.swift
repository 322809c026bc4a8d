import Foundation
import Testing

@testable import Siltstone

/// What a store should hold: the plainest thing that can be right.
struct StoreModel {
    private(set) var values: [[UInt8]: [UInt8]] = [:]

    subscript(key: [UInt8]) -> [UInt8]? {
        get { values[key] }
        set { values[key] = newValue }
    }

    mutating func deleteRange(_ from: [UInt8], _ to: [UInt8]) {
        values = values.filter { key, _ in
            key.precedes(from) || !key.precedes(to)
        }
    }

    /// The entries of a scan.
    func scan(from: [UInt8]? = nil, to: [UInt8]? = nil, reverse: Bool = false, limit: Int? = nil) -> [Entry] {
        var keys = values.keys.filter { key in
            if let from, key.precedes(from) { return false }
            if let to, !key.precedes(to) { return false }
            return true
        }
        keys.sort { $0.precedes($1) }
        if reverse { keys.reverse() }
        return keys.prefix(limit ?? .max).map { Entry(key: $0, value: values[$0] ?? []) }
    }

    func scan(prefix: [UInt8], reverse: Bool, limit: Int?) -> [Entry] {
        let entries = scan(reverse: reverse).filter { $0.key.starts(with: prefix) }
        return Array(entries.prefix(limit ?? .max))
    }
}

/// Runs random operations on a store and on the model, and compares what they say.
final class ModelRun {
    var random: SeededGenerator
    private let fixture: StoreFixture
    private let configuration: Configuration
    private let seed: UInt64
    private(set) var store: KeyValueStore
    private(set) var model = StoreModel()
    private(set) var held: [(snapshot: Snapshot, model: StoreModel)] = []
    private var step = 0

    init(_ fixture: StoreFixture, _ configuration: Configuration, seed: UInt64) throws {
        self.fixture = fixture
        self.configuration = configuration
        self.seed = seed
        random = SeededGenerator(seed)
        store = try fixture.open(configuration)
    }

    var place: Comment { "seed \(seed), step \(step)" }

    /// Few keys of many shapes, so that they meet again and again: common prefixes, prefixes of others, extremes.
    func randomKey() -> [UInt8] {
        let number = random.index(400)
        switch random.index(8) {
        case 0: return [UInt8(number & 0xff)]
        case 1: return []
        case 2: return Array("a rather long prefix that all of these have in common/".utf8) + key(number)
        case 3: return [0xff, 0xff] + [UInt8](repeating: 0xff, count: number % 5)
        default: return key(number)
        }
    }

    private func randomValue() -> [UInt8] {
        let length =
            switch random.index(10) {
            case 0: 0
            case 1: random.index(6000)
            case 2: random.index(1000)
            default: random.index(120)
            }
        // Half noise, half repetition, so that compression has something to do.
        return random.bytes(length / 2) + [UInt8](repeating: UInt8(random.index(256)), count: length - length / 2)
    }

    func run(_ steps: Int) throws {
        for _ in 0..<steps {
            step += 1
            try runStep()
        }
        try compareAll()
        for (snapshot, old) in held { #expect(try snapshot.scan().remaining() == old.scan(), place) }
        held = []
        try store.close()
        store = try fixture.open(configuration)
        try compareAll()
        #expect(try store.verify().problems.isEmpty, place)
        try store.close()
    }

    private func runStep() throws {
        switch random.index(1000) {
        case 0..<450: try put()
        case 450..<530: try delete()
        case 530..<545: try deleteRange()
        case 545..<575: try writeBatch()
        case 575..<640: try changeConditionally()
        case 640..<800: try read()
        case 800..<850: try scan()
        case 850..<900: try readRanges()
        case 900..<920: hold()
        case 920..<950: try compareHeld()
        case 950..<965: held.isEmpty ? () : release(random.index(held.count))
        case 965..<975: try store.flush()
        case 975..<979: try store.compact()
        case 979..<985: try compactRange()
        case 985..<988: try reopen()
        case 988..<990: try store.sync()
        case 990: try compareAll()
        default: try multiGet()
        }
    }

    private func put() throws {
        let (key, value) = (randomKey(), randomValue())
        try store.put(key, value)
        model[key] = value
    }

    private func delete() throws {
        let key = randomKey()
        try store.delete(key)
        model[key] = nil
    }

    private func deleteRange() throws {
        let (from, to) = (randomKey(), randomKey())
        try store.deleteRange(from: from, to: to)
        model.deleteRange(from, to)
    }

    private func writeBatch() throws {
        var batch = WriteBatch()
        // Now and then more than a memtable holds.
        let count = random.chance(0.03) ? 1500 : 1 + random.index(12)
        for _ in 0..<count {
            let key = randomKey()
            switch random.index(20) {
            case 0..<14:
                let value = randomValue()
                batch.put(key, value)
                model[key] = value
            case 14..<19:
                batch.delete(key)
                model[key] = nil
            default:
                let to = randomKey()
                batch.deleteRange(from: key, to: to)
                model.deleteRange(key, to)
            }
        }
        try store.write(batch)
    }

    private func changeConditionally() throws {
        let (key, value) = (randomKey(), randomValue())
        let old = model[key]
        switch random.index(4) {
        case 0:
            #expect(try store.insert(key, value) == (old == nil), place)
            if old == nil { model[key] = value }
        case 1:
            #expect(try store.replace(key, value) == (old != nil), place)
            if old != nil { model[key] = value }
        case 2:
            #expect(try store.remove(key) == (old != nil), place)
            model[key] = nil
        default:
            let expected = random.chance(0.7) ? old : randomValue()
            let new = random.chance(0.8) ? value : nil
            #expect(try store.compareAndSet(key, expected: expected, new: new) == (old == expected), place)
            if old == expected { model[key] = new }
        }
    }

    private func read() throws {
        let key = randomKey()
        let expected = model[key]
        #expect(try store.get(key) == expected, place)
        #expect(try store.contains(key) == (expected != nil), place)
        #expect(try store.withValue(key) { $0.byteCount } == expected?.count, place)
    }

    private func scan() throws {
        let reverse = random.chance(0.5)
        let limit = random.chance(0.5) ? random.index(30) : nil
        if random.chance(0.3) {
            let prefix = Array(randomKey().prefix(random.index(12)))
            let found = try store.scan(prefix: prefix, reverse: reverse, limit: limit).remaining()
            #expect(found == model.scan(prefix: prefix, reverse: reverse, limit: limit), place)
            return
        }
        let from = random.chance(0.7) ? randomKey() : nil
        let to = random.chance(0.7) ? randomKey() : nil
        var found: [Entry] = []
        try store.forEach(from: from, to: to, reverse: reverse, limit: limit) { key, value in
            found.append(Entry(key: key.withBytes { Array($0) }, value: value.withBytes { Array($0) }))
            return true
        }
        #expect(found == model.scan(from: from, to: to, reverse: reverse, limit: limit), place)
    }

    private func hold() {
        if held.count < 6 { held.append((store.snapshot(), model)) }
    }

    private func release(_ index: Int) { held.remove(at: index).snapshot.release() }

    private func compareHeld() throws {
        guard let (snapshot, old) = held.randomElement(using: &random) else { return }
        let key = randomKey()
        #expect(try snapshot.get(key) == old[key], place)
        let reverse = random.chance(0.5)
        #expect(
            try snapshot.scan(from: key, reverse: reverse, limit: 20).remaining()
                == old.scan(from: key, reverse: reverse, limit: 20), place)
    }

    private func compactRange() throws {
        let (a, b) = (randomKey(), randomKey())
        let (from, to) = a.precedes(b) ? (a, b) : (b, a)
        try store.compact(from: random.chance(0.2) ? nil : from, to: random.chance(0.2) ? nil : to)
    }

    private func reopen() throws {
        held = []
        try store.close()
        store = try fixture.open(configuration)
        #expect(try store.allEntries() == model.scan(), place)
    }

    private func compareAll() throws {
        #expect(try store.allEntries() == model.scan(), place)
        #expect(try store.scan(reverse: true).remaining() == model.scan(reverse: true), place)
    }
}
