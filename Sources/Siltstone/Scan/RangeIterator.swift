/// The ranges of one scan, in scan order, and the position among them.
struct RangeIterator {
    /// Sorted and disjoint, in key order.
    private let ranges: [KeyRange]
    private let direction: ScanDirection
    /// The number of ranges that were entered; the last of them is the current one.
    private var entered = 0

    /// - Parameter ranges: sorted and disjoint, none of them empty.
    init(_ ranges: [KeyRange], _ direction: ScanDirection) {
        self.ranges = ranges
        self.direction = direction
    }

    /// The range at an index in scan order.
    private func range(_ index: Int) -> KeyRange {
        ranges[direction == .forward ? index : ranges.count - 1 - index]
    }

    /// Enters the next range and returns it; nil after the last one.
    mutating func next() -> KeyRange? {
        guard entered < ranges.count else { return nil }
        entered += 1
        return range(entered - 1)
    }

    /// Moves directly before the first range, in scan order, that does not end before a position. ``next()`` then
    /// enters that range. May go back to a range that was entered before.
    /// - Parameter position: the gap directly before a key. A forward scan reads that key next, a backward scan the
    ///   next smaller one.
    /// - Complexity: O(log n) for n ranges
    mutating func seek(to position: [UInt8]) {
        entered = ranges.indices.partitioningIndex { !ends(range($0), before: position) }
    }

    /// Whether a range ends before a position, in scan order.
    private func ends(_ range: KeyRange, before position: [UInt8]) -> Bool {
        switch direction {
        case .forward: range.to.map { !position.lexicographicallyPrecedes($0) } ?? false
        case .backward: !range.from.lexicographicallyPrecedes(position)
        }
    }
}

extension KeyRange {
    /// The lower bound, inclusive; nil if the range is open there.
    private var start: [UInt8]? { from.isEmpty ? nil : from }

    /// The position at which a scan of the range starts: forward the first key (inclusive), backward the upper bound
    /// (exclusive); nil if the range is open there.
    func startBound(_ direction: ScanDirection) -> [UInt8]? { direction == .forward ? start : to }

    /// The position at which a scan of the range stops: forward the upper bound (exclusive), backward the first key
    /// (inclusive); nil if the range is open there.
    func stopBound(_ direction: ScanDirection) -> [UInt8]? { direction == .forward ? to : start }
}
