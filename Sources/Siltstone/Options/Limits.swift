/// The size limits of a store.
public enum Limits {
    /// Bytes of a key.
    public static let keyBytes = 64 << 10
    /// Bytes of a value.
    public static let valueBytes = 1 << 30
    /// Bytes of the encoded changes of a batch, without large values.
    public static let batchBytes = 1 << 30
}

extension Limits {
    /// Throws ``StoreError/Code/tooLarge`` if a key or a value has too many bytes.
    static func check(key: Int, value: Int) throws(StoreError) {
        guard key <= Limits.keyBytes else {
            throw StoreError(.tooLarge, "a key has \(key) bytes, \(Limits.keyBytes) is the most")
        }
        guard value <= Limits.valueBytes else {
            throw StoreError(.tooLarge, "a value has \(value) bytes, \(Limits.valueBytes) is the most")
        }
    }
}
