extension ValueFileReader {
    /// Runs `body` on the value that a pointer refers to. The value is valid until `body` returns.
    /// - Parameter key: the key that the record must have.
    /// - Throws: ``StoreError/Code/corrupt`` if the value is missing or fails its checksum; the errors of reads; any
    ///   error that `body` throws.
    func withValue<R>(
        _ pointer: ValuePointer, key: Bytes, _ body: (Bytes) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        var pin = BlockPin()
        defer { withExtendedLifetime(pin) {} }
        return try body(try read(pointer, key: key, pin: &pin))
    }
}
