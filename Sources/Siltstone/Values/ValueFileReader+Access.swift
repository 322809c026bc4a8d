extension ValueFileReader {
    /// Lends the value that a pointer leads to.
    /// - Throws: ``StoreError/Code/corrupt`` where it is not there, or fails its checksum; or what `body` throws.
    func withValue<R>(
        _ pointer: ValuePointer, key: Bytes, _ body: (Bytes) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        var pin = BlockPin()
        defer { withExtendedLifetime(pin) {} }
        return try body(try read(pointer, key: key, pin: &pin))
    }

    /// Bytes of the file, or 0 where that cannot be told: for statistics, and for choices that may be wrong.
    var approximateSize: Int {
        do { return try size() } catch { return 0 }
    }
}
