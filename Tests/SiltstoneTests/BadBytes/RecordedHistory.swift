@testable import Siltstone

/// A store with a memory of its own: everything that was ever written, in order, and what the store held after each
/// change.
struct RecordedHistory {
    /// One change, as it was acknowledged.
    struct Change: Hashable {
        var sequence: SequenceNumber
        var key: [UInt8]
        /// For the removal of a range, the first key behind it.
        var end: [UInt8]?
        /// Nil for a removal.
        var value: [UInt8]?
    }

    typealias Model = [[UInt8]: [UInt8]]

    /// All changes; the i-th has sequence number i + 1.
    private(set) var changes: [Change] = []
    /// What the store held after so many changes.
    private(set) var states: [Model] = [[:]]
    /// Every key that was ever named.
    private(set) var keys: Set<[UInt8]> = []
    /// Every value that was ever put, by key.
    private(set) var puts: [[UInt8]: Set<[UInt8]>] = [:]

    var lastSequence: SequenceNumber { SequenceNumber(changes.count) }

    /// What the store holds now.
    var model: Model { states[changes.count] }

    private mutating func record(_ key: [UInt8], end: [UInt8]? = nil, value: [UInt8]? = nil) {
        changes.append(Change(sequence: lastSequence + 1, key: key, end: end, value: value))
        var model = states[states.count - 1]
        if let end {
            model = model.filter { $0.key.precedes(key) || !$0.key.precedes(end) }
        } else {
            model[key] = value
        }
        states.append(model)
        keys.insert(key)
        if let value { puts[key, default: []].insert(value) }
    }

    mutating func put(_ store: KeyValueStore, _ key: [UInt8], _ value: [UInt8], _ durability: Durability = .buffered)
        throws
    {
        try store.put(key, value, durability: durability)
        record(key, value: value)
    }

    mutating func delete(_ store: KeyValueStore, _ key: [UInt8]) throws {
        try store.delete(key)
        record(key)
    }

    mutating func deleteRange(_ store: KeyValueStore, from: [UInt8], to: [UInt8]) throws {
        try store.deleteRange(from: from, to: to)
        record(from, end: to)
    }

    /// Writes a batch of puts, and removals where the value is nil.
    mutating func write(_ store: KeyValueStore, _ pairs: [(key: [UInt8], value: [UInt8]?)]) throws {
        var batch = WriteBatch()
        for pair in pairs {
            if let value = pair.value { batch.put(pair.key, value) } else { batch.delete(pair.key) }
        }
        try store.write(batch)
        for pair in pairs { record(pair.key, value: pair.value) }
    }
}
