/// The size limits of a store, all inclusive.
public enum Limits {
    /// The largest number of bytes of a key.
    public static let keyBytes = 64 << 10
    /// The largest number of bytes of a value.
    public static let valueBytes = 1 << 30
    /// The largest number of bytes of the encoded changes of a batch, without large values
    /// (``Configuration/largeValueBytes``). Also of a single change in a transaction, and of all changes of a
    /// transaction in a store with ``FileAccess/read``; there, large values count too.
    public static let batchBytes = 1 << 30
}

extension Limits {
    /// Throws ``StoreError/Code/tooLarge`` if `key` or `value`, both numbers of bytes, exceeds its limit.
    package static func check(key: Int, value: Int) throws(StoreError) {
        guard key <= Limits.keyBytes else {
            throw StoreError(.tooLarge, "a key has \(key) bytes, \(Limits.keyBytes) is the most")
        }
        guard value <= Limits.valueBytes else {
            throw StoreError(.tooLarge, "a value has \(value) bytes, \(Limits.valueBytes) is the most")
        }
    }
}
