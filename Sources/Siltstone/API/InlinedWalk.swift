/// A walk by its address, so that what is done with the entries can become part of the caller: to call it for each takes
/// longer than most of what is done with one.
public struct InlinedWalk {
    /// In the room of its scan; nil for the walk of a transaction.
    private let walk: HeapPlace<ScanWalk>?
    /// The walk of a transaction, kept.
    private let merged: Borrowed<TransactionWalk>?

    /// - Parameters:
    ///   - walk: not begun. What it is over has to be kept until its end.
    ///   - from: where it begins; nil for the first of all.
    init(_ walk: consuming ScanWalk, from: [UInt8]?) throws(StoreError) {
        // Into its room before it begins: begun outside, it would be copied once more, which is a fiftieth of a short walk.
        self.init(room: walk.moveIntoRoom())
        do throws(StoreError) { try self.walk?.value.begin(at: from) } catch { try fail(error) }
    }

    private init(room: HeapPlace<ScanWalk>) {
        walk = room
        merged = nil
    }

    private func fail(_ error: StoreError) throws(StoreError) -> Never {
        end(behind: nil)
        throw error
    }

    init(_ walk: TransactionWalk) {
        self.walk = nil
        merged = .retaining(walk)
    }

    /// - Parameter walk: not begun, and one that keeps where it begins.
    init(_ walk: consuming ScanWalk) throws(StoreError) {
        self.init(room: walk.moveIntoRoom())
        do throws(StoreError) { try self.walk?.value.begin() } catch { try fail(error) }
    }

    /// To be called once, after which the walk is gone.
    /// - Parameter taken: behind the last record that the caller has looked at; nil for the whole of the last row.
    @usableFromInline
    func end(behind taken: RecordPlace?) {
        // Taken out first: the next walk may have the room.
        if let walk { _ = walk.take() }
        merged?.with { $0.end(behind: taken) }
        merged?.release()
    }

    @usableFromInline
    func nextRow(behind taken: RecordPlace?) throws(StoreError) -> RecordRow? {
        if let walk { return try walk.value.nextRow(behind: taken) }
        return try merged?.with { merged throws(StoreError) in try merged.nextRow(behind: taken) } ?? nil
    }

    @usableFromInline
    func handOther(_ record: RecordPlace, to body: (RawSpan, RawSpan) throws -> Bool) throws -> Bool {
        if let walk { return try walk.value.handOther(record, to: body) }
        return try merged?.object.handOther(record, to: body) ?? false
    }

    @usableFromInline
    func handOtherKey(_ record: RecordPlace, to body: (RawSpan) throws -> Bool) rethrows -> Bool {
        if let walk { return try walk.value.handOtherKey(record, to: body) }
        return try merged?.object.handOtherKey(record, to: body) ?? false
    }

    /// Calls `body` with key and value of each entry, and ends the walk.
    /// - Parameter body: gets bytes that are good until it returns; returns false to stop.
    /// - Returns: whether the walk has come to its end.
    @inlinable
    @inline(__always)
    @discardableResult
    func forEach(_ body: (RawSpan, RawSpan) throws -> Bool) throws -> Bool {
        var stop: RecordPlace?
        defer { end(behind: stop) }
        var taken: RecordPlace?
        while let row = try nextRow(behind: taken) {
            guard let next = try row.handValues(to: body, stop: &stop) else { return false }
            taken = next
            if next == row.end, row.start != row.end { continue }
            if try !handOther(next, to: body) {
                stop = next.successor()
                return false
            }
            taken = next.successor()
        }
        return true
    }

    /// As ``forEach(_:)``, with keys alone: values that lie in value files are not fetched.
    @inlinable
    @inline(__always)
    @discardableResult
    func forEachKey(_ body: (RawSpan) throws -> Bool) throws -> Bool {
        var stop: RecordPlace?
        defer { end(behind: stop) }
        var taken: RecordPlace?
        while let row = try nextRow(behind: taken) {
            guard let next = try row.handKeys(to: body, stop: &stop) else { return false }
            taken = next
            if next == row.end, row.start != row.end { continue }
            if try !handOtherKey(next, to: body) {
                stop = next.successor()
                return false
            }
            taken = next.successor()
        }
        return true
    }

    /// Counts the entries, and ends the walk.
    func count() throws(StoreError) -> Int {
        if let walk {
            defer { end(behind: nil) }
            return try walk.value.count()
        }
        defer { end(behind: nil) }
        var count = 0
        let add = { (_: RawSpan) in
            count += 1
            return true
        }
        var (taken, stop): (RecordPlace?, RecordPlace?)
        while let row = try nextRow(behind: taken) {
            guard let next = row.handKeys(to: add, stop: &stop) else { break }
            taken = next
            if next == row.end, row.start != row.end { continue }
            _ = handOtherKey(next, to: add)
            taken = next.successor()
        }
        return count
    }
}

extension ScanPath {
    /// Begins a walk that becomes part of the caller.
    /// - Parameters: as of ``KeyValueReader/forEach(from:to:reverse:limit:_:)``.
    ///   - snapshot: the last change that the walk sees; nil for what the store holds now.
    func beginWalk(
        at snapshot: SequenceNumber?, from: [UInt8]?, to: [UInt8]?, reverse: Bool, limit: Int?
    ) throws(StoreError) -> InlinedWalk {
        let limit = ScanRange.limit(limit)
        // Not one call with the key chosen before: a key that was chosen is retained.
        if reverse {
            return try InlinedWalk(ScanWalk(self, at: snapshot, .backward, farEnd: from, limit: limit), from: to)
        }
        return try InlinedWalk(ScanWalk(self, at: snapshot, .forward, farEnd: to, limit: limit), from: from)
    }

    /// As ``beginWalk(at:from:to:reverse:limit:)``, over several ranges.
    /// - Parameter ranges: sorted and disjoint.
    func beginWalk(
        at snapshot: SequenceNumber?, over ranges: [KeyRange], reverse: Bool, limit: Int?
    ) throws(StoreError) -> InlinedWalk {
        try InlinedWalk(
            ScanWalk(
                self, at: snapshot, over: ranges, reverse ? .backward : .forward, limit: ScanRange.limit(limit)))
    }
}
