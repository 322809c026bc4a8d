/// Walks the entries of a snapshot in key order.
///
/// The cursor stays good, and sees the same, whatever is written, flushed or compacted meanwhile, and after its snapshot
/// was released. Used by one task or thread at a time. An error is thrown, never taken for the end; the cursor cannot go
/// on after one.
public final class Cursor {
    /// Behind a pointer, as a property that changes would cost checks of exclusive access.
    private let walk: UnsafeMutablePointer<ScanWalk>
    /// What the walk is over, which does not keep it.
    private let engine: Engine

    init(_ walk: consuming ScanWalk) {
        engine = walk.engine
        self.walk = .allocate(capacity: 1)
        self.walk.initialize(to: walk)
    }

    deinit {
        walk.deinitialize(count: 1)
        walk.deallocate()
    }

    /// The next entry, copied; nil at the end.
    /// - Throws: ``StoreError`` where the disk fails or is damaged. Not where the store was closed since the cursor was
    ///   made: it goes on to its end.
    public func next() throws(StoreError) -> Entry? {
        guard let record = try walk.pointee.nextRecord() else { return nil }
        return try walk.pointee.withValue(of: record) { value in
            Entry(key: [UInt8](record.key), value: [UInt8](value))
        }
    }

    /// Calls `body` with each entry that is left, without copying.
    /// - Parameter body: gets key and value, which are good until it returns; returns false to stop. It must not use the
    ///   cursor itself.
    /// - Throws: ``StoreError``, or what `body` throws.
    public func forEach(_ body: (RawSpan, RawSpan) throws -> Bool) throws {
        try walk.pointee.forEach(body)
    }
}
