/// Consecutive records that a scan returns.
@usableFromInline
struct RecordRow {
    @usableFromInline
    let start: RecordPlace
    @usableFromInline
    let end: RecordPlace

    /// Calls `body` with key and value of each record, up to the first record whose kind is not `.value`.
    /// - Parameter stop: set to the position after the record for which `body` has returned false.
    /// - Returns: the position of that first record, or the end; nil if `body` has returned false.
    @inlinable
    @inline(__always)
    func forEachValue(
        to body: (RawSpan, RawSpan) throws -> Bool, stop: inout RecordPlace?
    ) rethrows -> RecordPlace? {
        var next = start
        while next != end {
            // A constant, because the spans would depend on a variable, which would then be kept on the heap.
            let record = next
            guard case .value = record.kind else { break }
            if try unsafe !body(record.key.buffer.bytes, record.value.buffer.bytes) {
                stop = record.successor()
                return nil
            }
            next = record.successor()
        }
        return next
    }
}

extension RecordRow {
    /// No records.
    static var none: RecordRow { RecordRow(start: .none, end: .none) }

    @inline(__always)
    var isEmpty: Bool { start == end }

    @inline(__always)
    var count: Int { end - start }

    /// The first record; nil if there is none.
    var first: Record? { isEmpty ? nil : start.record }

    /// Calls `body` with the key of each record, up to the first tombstone. It does not matter whether a value is in
    /// the record or in a value file.
    /// - Parameter stop: as in ``forEachValue(to:stop:)``.
    /// - Returns: as ``forEachValue(to:stop:)``, for the first tombstone.
    @inlinable
    @inline(__always)
    func handKeys(
        to body: (RawSpan) throws -> Bool, stop: inout RecordPlace?
    ) rethrows -> RecordPlace? {
        var next = start
        while next != end {
            let record = next
            if case .tombstone = record.kind { break }
            if try unsafe !body(record.key.buffer.bytes) {
                stop = record.successor()
                return nil
            }
            next = record.successor()
        }
        return next
    }
}

extension RecordRow {
    /// Calls `body` with each record.
    @inline(__always)
    func forEach(_ body: (Record) -> Void) {
        var next = start
        while next != end {
            body(next.record)
            next += 1
        }
    }
}
