/// Walks the entries of a snapshot in key order.
///
/// The cursor stays good, and sees the same, whatever is written, flushed or compacted meanwhile, and after its snapshot
/// was released. Used by one task or thread at a time. An error is thrown, never taken for the end; the cursor cannot go
/// on after one.
public final class Cursor {
    private let engine: Engine
    /// Behind a pointer, as a property that changes would cost checks of exclusive access.
    private let walk: UnsafeMutablePointer<ScanWalk>

    init(_ snapshot: Snapshot, _ range: ScanRange) throws(StoreError) {
        let walk = try ScanWalk(snapshot, range)
        engine = snapshot.engine
        self.walk = .allocate(capacity: 1)
        self.walk.initialize(to: walk)
    }

    init(_ engine: Engine, _ range: ScanRange) throws(StoreError) {
        let walk = try ScanWalk(engine, range)
        self.engine = engine
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
        return try engine.withResolvedValue(record, walk.pointee.version) { value in
            Entry(key: [UInt8](record.key), value: [UInt8](value))
        }
    }

    /// Calls `body` with each entry that is left, without copying.
    /// - Parameter body: gets key and value, which are good until it returns; returns false to stop. It must not use the
    ///   cursor itself.
    /// - Throws: ``StoreError``, or what `body` throws.
    public func forEach(_ body: (RawSpan, RawSpan) throws -> Bool) throws {
        try walk.pointee.forEachEntry(engine, body)
    }
}

extension ScanWalk {
    /// Calls `body` with key and value of each entry that is left.
    mutating func forEachEntry(_ engine: Engine, _ body: (RawSpan, RawSpan) throws -> Bool) throws {
        let version = version
        try forEach { record in
            if _fastPath(record.kind == .value) { return try body(record.key.bytes, record.value.bytes) }
            let key = record.key
            let result = try engine.withResolvedValue(record, version) { value -> Result<Bool, any Error> in
                Result { try body(key.bytes, value.bytes) }
            }
            return try result.get()
        }
    }
}
