/// Runs `body` on the bytes of a collection. Uses its own storage if that is contiguous, as for arrays, slices,
/// buffers, `Data` and the UTF-8 of native strings; otherwise a copy.
///
/// Inlinable, so that a caller in another module pays for no generic call for each key.
/// - Complexity: O(1) if the storage is contiguous, else O(*n*).
@inlinable
@inline(__always)
func withContiguousBytes<R, E: Error, C: Collection<UInt8>>(
    _ bytes: C, _ body: (Bytes) throws(E) -> R
) throws(E) -> R {
    // The compiler resolves these two conditions for each type of key. The two types need no `Result` for the error,
    // which would cost up to a third of a read from the caches.
    if unsafe C.self == UnsafeRawBufferPointer.self {
        return try unsafe body(Bytes(unsafeBitCast(bytes, to: UnsafeRawBufferPointer.self)))
    }
    if C.self == [UInt8].self {
        let array = unsafe unsafeBitCast(bytes, to: [UInt8].self)
        return try array.withBytes(body)
    }
    // The standard library's function rethrows untyped errors, so the typed error travels in a result.
    let lent = bytes.withContiguousStorageIfAvailable { storage -> Result<R, E> in
        do throws(E) { return unsafe .success(try body(Bytes(UnsafeRawBufferPointer(storage)))) } catch {
            return .failure(error)
        }
    }
    if let lent { return try lent.get() }
    let copy = ContiguousArray(bytes)
    let result = unsafe copy.withUnsafeBytes { storage -> Result<R, E> in
        do throws(E) { return unsafe .success(try body(Bytes(storage))) } catch { return .failure(error) }
    }
    return try result.get()
}

/// Runs `body` on the bytes of two collections, such as a key and its value.
@inlinable
@inline(__always)
func withContiguousBytes<R, E: Error>(
    _ first: some Collection<UInt8>, _ second: some Collection<UInt8>, _ body: (Bytes, Bytes) throws(E) -> R
) throws(E) -> R {
    try withContiguousBytes(first) { first throws(E) in
        try withContiguousBytes(second) { second throws(E) in try body(first, second) }
    }
}

/// Same as ``withContiguousBytes(_:_:)``, for the public functions, which take spans.
@inlinable
@inline(__always)
func withContiguousSpan<R, E: Error>(
    _ bytes: some Collection<UInt8>, _ body: (RawSpan) throws(E) -> R
) throws(E) -> R {
    try withContiguousBytes(bytes) { bytes throws(E) in try unsafe body(bytes.buffer.bytes) }
}

/// Runs `body` with scratch memory for `count` elements on the stack.
private func withStack<T, R, E: Error>(
    _ type: T.Type, count: Int, _ body: (UnsafeMutableBufferPointer<T>) throws(E) -> R
) throws(E) -> R {
    // The standard library's function rethrows untyped errors, so the typed error travels in a result.
    let result = unsafe withUnsafeTemporaryAllocation(of: type, capacity: count) { buffer in
        Result { () throws(E) in try unsafe body(buffer) }
    }
    return try result.get()
}

/// Runs `body` with `count` bytes of scratch memory on the stack.
func withStackBytes<R>(
    _ count: Int, _ body: (MutableBytes) throws(StoreError) -> R
) throws(StoreError) -> R {
    try unsafe withStack(UInt8.self, count: count) { bytes throws(StoreError) in
        try unsafe body(MutableBytes(UnsafeMutableRawBufferPointer(bytes)))
    }
}

/// Runs `body` with storage for `count` records on the stack.
func withStackRecords<R, E: Error>(_ count: Int, _ body: (RecordBuffer) throws(E) -> R) throws(E) -> R {
    try unsafe withStack(Record.self, count: count) { records throws(E) in try unsafe body(RecordBuffer(records)) }
}
