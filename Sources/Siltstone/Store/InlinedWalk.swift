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
            if try !body(record.pointee.key.bytes, record.pointee.value.bytes) {
                stop = record.successor()
                return nil
            }
            next = record.successor()
        }
        return next
    }
}

/// A walk by its address, so that what is done with the entries can become part of the caller: to call it for each takes
/// longer than most of what is done with one.
public struct InlinedWalk {
    /// In the room of its scan; nil for the walk of a transaction.
    private let walk: UnsafeMutablePointer<ScanWalk>?
    /// The walk of a transaction, retained.
    private let merged: Unmanaged<TransactionWalk>?

    /// - Parameters:
    ///   - walk: not begun. What it is over has to be kept until its end.
    ///   - from: where it begins; nil for the first of all.
    init(_ walk: consuming ScanWalk, from: [UInt8]?) throws(StoreError) {
        var walk = walk
        try walk.begin(at: from)
        self.walk = walk.room
        self.walk?.initialize(to: walk)
        merged = nil
    }

    init(_ walk: TransactionWalk) {
        self.walk = nil
        merged = .passRetained(walk)
    }

    /// To be called once, after which the walk is gone.
    /// - Parameter taken: behind the last record that the caller has looked at; nil for the whole of the last row.
    @usableFromInline
    func end(behind taken: UnsafePointer<Record>?) {
        // Taken out first: whoever walks next may have the room.
        if let walk { _ = walk.move() }
        merged?.takeRetainedValue().end(behind: taken)
    }

    @usableFromInline
    func nextRow(behind taken: UnsafePointer<Record>?) throws(StoreError) -> RecordRow? {
        if let walk { return try walk.pointee.nextRow(behind: taken) }
        return try merged?._withUnsafeGuaranteedRefThrowing { merged throws(StoreError) in
            try merged.nextRow(behind: taken)
        } ?? nil
    }

    @usableFromInline
    func handOther(_ record: UnsafePointer<Record>, to body: (RawSpan, RawSpan) throws -> Bool) throws -> Bool {
        if let walk { return try walk.pointee.handOther(record, to: body) }
        return try merged?.takeUnretainedValue().handOther(record, to: body) ?? false
    }

    /// Calls `body` with key and value of each entry, and ends the walk.
    /// - Parameter body: gets bytes that are good until it returns; returns false to stop.
    @inlinable
    @inline(__always)
    func forEach(_ body: (RawSpan, RawSpan) throws -> Bool) throws {
        var stop: UnsafePointer<Record>?
        defer { end(behind: stop) }
        var taken: UnsafePointer<Record>?
        while let row = try nextRow(behind: taken) {
            guard let next = try row.handValues(to: body, stop: &stop) else { return }
            taken = next
            if next == row.end, row.start != row.end { continue }
            if try !handOther(next, to: body) {
                stop = next.successor()
                return
            }
            taken = next.successor()
        }
    }
}

extension Engine {
    /// Begins a walk that becomes part of the caller.
    /// - Parameters: as of ``KeyValueReader/forEach(from:to:reverse:limit:_:)``.
    ///   - snapshot: what is to be seen; nil for what the store holds now.
    func beginWalk(
        at snapshot: Snapshot?, from: [UInt8]?, to: [UInt8]?, reverse: Bool, limit: Int?
    ) throws(StoreError) -> InlinedWalk {
        let limit = ScanRange.limit(limit)
        // Not one call with the key chosen before: a key that was chosen is retained.
        if reverse {
            return try InlinedWalk(ScanWalk(self, at: snapshot, .backward, farEnd: from, limit: limit), from: to)
        }
        return try InlinedWalk(ScanWalk(self, at: snapshot, .forward, farEnd: to, limit: limit), from: from)
    }
}
