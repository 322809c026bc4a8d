import Foundation

extension Database {
    /// Reads everything and compares it with the model, byte for byte. Not timed.
    /// - Throws: ``BenchmarkError`` at the first difference.
    func verify() throws {
        let session = try engine.makeSession()
        let maker = KeyMaker(keys)
        let values = ValueMaker(byteCount: settings.valueBytes)
        var previous: [UInt8] = []
        var problem: String?
        var count = 0
        try session.scan(from: nil, reverse: false, limit: .max) { key, value in
            count += 1
            guard problem == nil else { return }
            problem = self.problem(key, value, after: previous, maker, values)
            previous = [UInt8](key)
        }
        let expected = model.liveCount
        if problem == nil, count != expected { problem = "\(count) entries instead of \(expected)" }
        if let problem { throw BenchmarkError("wrong contents: \(problem)") }
    }

    /// What is wrong with an entry, or nil.
    private func problem(
        _ key: Bytes, _ value: Bytes, after previous: [UInt8], _ maker: borrowing KeyMaker,
        _ values: borrowing ValueMaker
    ) -> String? {
        guard previous.lexicographicallyPrecedes(key) else { return "keys out of order" }
        guard value.count == settings.valueBytes else { return "a value of \(value.count) bytes" }
        let stamp = Stamp(rawValue: value.loadUnaligned(as: UInt64.self))
        guard (0..<model.count).contains(stamp.index), let expected = model.stamp(stamp.index) else {
            return "a value of a key that was never written, or was removed"
        }
        guard maker.key(stamp.index).elementsEqual(key) else { return "a value of another key" }
        if model.isExact, expected != stamp { return "an old value of key \(stamp.index)" }
        let bytes = values.value(stamp)
        guard let a = bytes.baseAddress, let b = value.baseAddress, memcmp(a, b, bytes.count) == 0 else {
            return "a damaged value of key \(stamp.index)"
        }
        return nil
    }
}
