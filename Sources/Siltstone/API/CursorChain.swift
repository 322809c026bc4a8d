/// A series of cursors, one for each of several ranges, in scan order. It serves readers whose own cursors have only
/// one range, as those of transactions.
final class CursorChain {
    /// Sorted and disjoint, in key order.
    private let ranges: [KeyRange]
    private let direction: ScanDirection
    private let makeCursor: (KeyRange) throws(StoreError) -> Cursor
    /// The ranges that have no cursor yet, in scan order.
    private var course: RangeIterator
    /// The range of the next cursor; nil if ``course`` gives it. It stays here until its cursor exists, so that a read
    /// that throws does not skip the range.
    private var pending: KeyRange?
    /// The cursor of the current range; nil before the first read, and after a range or a seek.
    private var current: Cursor?
    /// The number of entries that the chain may still return. A seek does not reset it.
    private var left: Int
    /// The target of a pending seek. The next cursor that is made seeks to it.
    private var place: [UInt8]?

    /// - Parameters:
    ///   - ranges: sorted and disjoint.
    ///   - limit: the largest number of entries.
    ///   - makeCursor: makes the cursor over one range, in the same direction and without a limit.
    init(
        _ ranges: [KeyRange], _ direction: ScanDirection, limit: Int,
        _ makeCursor: @escaping (KeyRange) throws(StoreError) -> Cursor
    ) {
        self.ranges = ranges
        self.direction = direction
        self.makeCursor = makeCursor
        course = RangeIterator(ranges, direction)
        left = limit
    }

    /// Returns the next result of the first cursor that is not at its end; nil if all cursors are at their end or the
    /// limit is reached.
    /// - Parameter body: reads from a cursor; returns nil at its end.
    func next<R>(_ body: (Cursor) throws(StoreError) -> R?) throws(StoreError) -> R? {
        while left > 0, let cursor = try currentCursor() {
            if let result = try body(cursor) {
                left -= 1
                return result
            }
            current = nil
        }
        return nil
    }

    /// See ``Cursor/forEach(_:)``.
    func forEach(_ body: (RawSpan, RawSpan) throws -> Bool) throws {
        var isStopped = false
        while left > 0, !isStopped, let cursor = try currentCursor() {
            try cursor.forEach { key, value in
                left -= 1
                isStopped = try !body(key, value)
                return !isStopped && left > 0
            }
            if !isStopped, left > 0 { current = nil }
        }
    }

    /// See ``Cursor/seek(to:)``. The search itself happens with the next read.
    func seek(to key: [UInt8]) {
        course = RangeIterator(ranges, direction)
        // Skips the ranges that the scan would finish before it reaches the key. A backward scan excludes its start, so
        // it starts at the key's successor.
        course.skip(before: direction == .forward ? key : key + [0])
        (current, pending) = (nil, nil)
        place = key
    }

    /// The cursor of the current range, or a new one for the next range; nil after the last range.
    private func currentCursor() throws(StoreError) -> Cursor? {
        if let current { return current }
        guard let range = pending ?? course.next() else { return nil }
        pending = range
        let cursor = try makeCursor(range)
        if let place { try cursor.seek(to: place) }
        (place, pending) = (nil, nil)
        current = cursor
        return cursor
    }
}
