import Siltstone

/// What a store holds, in short: two that hold the same have the same digest.
struct StateDigest: Hashable, Sendable {
    private var hasher = Hasher()
    private(set) var count = 0
    private var sum = 0

    init() {}

    init(_ model: StoreModel) {
        for entry in model.scan() {
            entry.key.withUnsafeBytes { key in entry.value.withUnsafeBytes { value in add(key, value) } }
        }
        finish()
    }

    /// Reads a store or a checkpoint, in order.
    init(_ store: KeyValueStore) throws {
        var digest = StateDigest()
        try store.forEach { key, value in
            key.withUnsafeBytes { key in value.withUnsafeBytes { value in digest.add(key, value) } }
            return true
        }
        digest.finish()
        self = digest
    }

    private mutating func add(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        hasher.combine(key.count)
        hasher.combine(bytes: key)
        hasher.combine(value.count)
        hasher.combine(bytes: value)
        count += 1
    }

    private mutating func finish() { sum = hasher.finalize() }

    static func == (a: StateDigest, b: StateDigest) -> Bool { a.sum == b.sum && a.count == b.count }
    func hash(into hasher: inout Hasher) { hasher.combine(sum) }
}
