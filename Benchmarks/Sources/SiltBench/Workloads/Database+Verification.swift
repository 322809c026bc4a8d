import Foundation

extension Database {
    /// Reads everything and compares it with the model, byte for byte. Not timed.
    /// - Throws: ``BenchmarkError`` at the first difference.
    func verify() throws {
        var verifier = Verifier(model, keys, valueBytes: settings.valueBytes)
        try engine.makeSession().scan(from: nil, reverse: false, limit: .max, &verifier)
        if let problem = verifier.end() { throw BenchmarkError("wrong contents: \(problem)") }
    }
}

/// Compares entries with a model.
private final class Verifier: EntryVisitor {
    private let model: Model
    private let keys: KeyMaker
    private let values: ValueMaker
    private let valueBytes: Int
    private var previous: [UInt8] = []
    private var problem: String?
    private var count = 0

    init(_ model: Model, _ keys: KeySpace, valueBytes: Int) {
        self.model = model
        self.keys = KeyMaker(keys)
        self.values = ValueMaker(byteCount: valueBytes)
        self.valueBytes = valueBytes
    }

    func visit(_ key: Bytes, _ value: Bytes) {
        count += 1
        guard problem == nil else { return }
        problem = problem(key, value)
        previous = [UInt8](key)
    }

    /// What is wrong with all that was visited, or nil.
    func end() -> String? {
        let expected = model.liveCount
        return problem ?? (count == expected ? nil : "\(count) entries instead of \(expected)")
    }

    /// What is wrong with an entry, or nil.
    private func problem(_ key: Bytes, _ value: Bytes) -> String? {
        guard previous.lexicographicallyPrecedes(key) else { return "keys out of order" }
        guard value.count == valueBytes else { return "a value of \(value.count) bytes" }
        let stamp = Stamp(rawValue: value.loadUnaligned(as: UInt64.self))
        guard (0..<model.count).contains(stamp.index), let expected = model.stamp(stamp.index) else {
            return "a value of a key that was never written, or was removed"
        }
        guard keys.key(stamp.index).elementsEqual(key) else { return "a value of another key" }
        if model.isExact, expected != stamp { return "an old value of key \(stamp.index)" }
        let bytes = values.value(stamp)
        guard let a = bytes.baseAddress, let b = value.baseAddress, memcmp(a, b, bytes.count) == 0 else {
            return "a damaged value of key \(stamp.index)"
        }
        return nil
    }
}
