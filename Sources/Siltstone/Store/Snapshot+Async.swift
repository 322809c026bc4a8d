extension Snapshot {
    /// The value of `key`, or nil where it has none.
    public func get(_ key: some Collection<UInt8>) async throws(StoreError) -> [UInt8]? {
        try check()
        return try await engine.readWithoutBlocking(Array(key), at: sequence, needsValue: true) {
            $0.map { [UInt8]($0) }
        }
    }

    /// Whether `key` has a value.
    public func contains(_ key: some Collection<UInt8>) async throws(StoreError) -> Bool {
        try check()
        return try await engine.readWithoutBlocking(Array(key), at: sequence, needsValue: false) { $0 != nil }
    }

    /// The values of several keys, in their order; nil for each that has none.
    public func get(all keys: some Sequence<some Collection<UInt8>>) async throws(StoreError) -> [[UInt8]?] {
        var values: [[UInt8]?] = []
        for key in keys { values.append(try await get(key)) }
        return values
    }
}
