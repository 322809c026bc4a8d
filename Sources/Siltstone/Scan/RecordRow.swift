/// Records in a row that a walk hands out.
@usableFromInline
struct RecordRow {
    @usableFromInline
    let start: UnsafePointer<Record>
    @usableFromInline
    let end: UnsafePointer<Record>

    /// Calls `body` with key and value of each record up to the first that is no value.
    /// - Parameter stop: set behind the record for which `body` has returned false.
    /// - Returns: where that is, or the end; nil where `body` has returned false.
    @inlinable
    @inline(__always)
    func handValues(
        to body: (RawSpan, RawSpan) throws -> Bool, stop: inout UnsafePointer<Record>?
    ) rethrows -> UnsafePointer<Record>? {
        var next = start
        while next != end {
            // Not the variable, on which the spans would depend: it would be kept on the heap.
            let record = next
            guard case .value = record.pointee.kind else { break }
            if try !body(record.pointee.key.buffer.bytes, record.pointee.value.buffer.bytes) {
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
    static var none: RecordRow { RecordRow(start: noRecord, end: noRecord) }

    /// An address that nobody looks at.
    private static var noRecord: UnsafePointer<Record> {
        UnsafePointer(bitPattern: MemoryLayout<Record>.alignment).unsafelyUnwrapped
    }

    /// Calls `body` with the key of each record up to the first that is a removal; where values lie does not matter.
    /// - Parameter stop: as of ``handValues(to:stop:)``.
    /// - Returns: as that does.
    @inlinable
    @inline(__always)
    func handKeys(
        to body: (RawSpan) throws -> Bool, stop: inout UnsafePointer<Record>?
    ) rethrows -> UnsafePointer<Record>? {
        var next = start
        while next != end {
            let record = next
            if case .tombstone = record.pointee.kind { break }
            if try !body(record.pointee.key.buffer.bytes) {
                stop = record.successor()
                return nil
            }
            next = record.successor()
        }
        return next
    }
}
