/// Records in a row that a walk hands out.
@usableFromInline
struct RecordRow {
    @usableFromInline
    let start: RecordPlace
    @usableFromInline
    let end: RecordPlace

    /// Calls `body` with key and value of each record up to the first that is no value.
    /// - Parameter stop: set behind the record for which `body` has returned false.
    /// - Returns: where that is, or the end; nil where `body` has returned false.
    @inlinable
    @inline(__always)
    func handValues(
        to body: (RawSpan, RawSpan) throws -> Bool, stop: inout RecordPlace?
    ) rethrows -> RecordPlace? {
        var next = start
        while next != end {
            // Not the variable, on which the spans would depend: it would be kept on the heap.
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

    /// The first record; nil where there is none.
    var first: Record? { isEmpty ? nil : start.record }

    /// Calls `body` with the key of each record up to the first that is a removal; where values lie does not matter.
    /// - Parameter stop: as of ``handValues(to:stop:)``.
    /// - Returns: as that does.
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
