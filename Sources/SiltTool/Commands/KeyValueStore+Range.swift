import Siltstone

extension KeyValueStore {
    /// Calls `body` with the records of a range, borrowed from the store, until it returns false.
    @inline(__always)
    func forEach(_ range: KeyRange, _ body: (RawRecord) throws -> Bool) throws {
        try forEach(from: range.from, to: range.to, reverse: range.reverse, limit: range.limit) { key, value in
            try unsafe key.withUnsafeBytes { key in
                try unsafe value.withUnsafeBytes { value in
                    try body(unsafe RawRecord(key: Bytes(key), value: Bytes(value)))
                }
            }
        }
    }
}
