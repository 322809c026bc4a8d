/// Contiguous rows in one byte array: a batch of a result, or the rows of an insert.
public struct RowBuffer: Sendable {
    /// The bytes of all rows.
    public var bytes: [UInt8] = []
    /// The end offset of each row in ``bytes``.
    public var ends: [Int] = []

    /// No rows.
    public init() {}

    /// The number of rows.
    public var count: Int { ends.count }

    /// True if there are no rows.
    public var isEmpty: Bool { ends.isEmpty }

    /// The byte range of a row in ``bytes``.
    public subscript(range row: Int) -> Range<Int> { (row == 0 ? 0 : ends[row - 1])..<ends[row] }

    /// Appends a copy of a row.
    /// - Complexity: O(bytes).
    public mutating func append(_ row: RawSpan) {
        unsafe row.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
        ends.append(bytes.count)
    }

    /// Passes a row to a closure.
    public func withRow<R, E: Error>(_ row: Int, _ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        let range = self[range: row]
        return try unsafe body(bytes.span.bytes.extracting(range))
    }

    /// Removes all rows and keeps the capacity.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
    }
}
