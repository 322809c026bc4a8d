/// A series of cursors, one for each of several ranges, for readers that cannot scan several ranges at once.
final class CursorChain {
    /// Sorted and disjoint, in key order.
    private let ranges: [KeyRange]
    private let direction: ScanDirection
    private let makeCursor: (KeyRange) throws(StoreError) -> Cursor
    private var course: RangeCourse
    private var current: Cursor?
    /// The number of entries that the chain may still return.
    private var left: Int
    /// The key to which the next cursor seeks before it is used.
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
        course = RangeCourse(ranges, direction)
        left = limit
    }

    /// Returns the next result of the first cursor that is not at its end; nil if all cursors are.
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
        course = RangeCourse(ranges, direction)
        course.skip(before: direction == .forward ? key : key + [0])
        current = nil
        place = key
    }

    /// The cursor of the current range, or a new one for the next range; nil after the last range.
    private func currentCursor() throws(StoreError) -> Cursor? {
        if let current { return current }
        guard let range = course.next() else { return nil }
        let cursor = try makeCursor(range)
        if let place { try cursor.seek(to: place) }
        place = nil
        current = cursor
        return cursor
    }
}
