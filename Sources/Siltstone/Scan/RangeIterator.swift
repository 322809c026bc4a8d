/// The ranges of one scan, in scan order, and the position among them.
struct RangeIterator {
    /// Sorted and disjoint, in key order.
    private let ranges: [KeyRange]
    private let direction: ScanDirection
    /// Index in scan order of the range that ``next()`` returns.
    private var nextIndex = 0

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
        guard nextIndex < ranges.count else { return nil }
        nextIndex += 1
        return range(nextIndex - 1)
    }

    /// Moves directly before the first range, in scan order, that does not end before a position. ``next()`` then
    /// enters that range. May go back to a range that was entered before.
    /// - Parameter position: lies just before a key: a forward scan returns that key next, a backward scan the largest
    ///   smaller key.
    /// - Complexity: O(log n) for n ranges
    mutating func seek(to position: [UInt8]) {
        nextIndex = ranges.indices.partitioningIndex { !ends(range($0), before: position) }
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
    /// The lower bound, inclusive; nil if the range has no bound on that side.
    private var start: [UInt8]? { from.isEmpty ? nil : from }

    /// The position at which a scan of the range starts: forward the lower bound (inclusive), backward the upper bound
    /// (exclusive); nil if the range has no bound on that side.
    func startBound(_ direction: ScanDirection) -> [UInt8]? { direction == .forward ? start : to }

    /// The position at which a scan of the range stops: forward the upper bound (exclusive), backward the lower bound
    /// (inclusive); nil if the range has no bound on that side.
    func stopBound(_ direction: ScanDirection) -> [UInt8]? { direction == .forward ? to : start }

    /// Like ``startBound(_:)``, but a forward scan without a bound starts at the empty key.
    func start(_ direction: ScanDirection) -> [UInt8]? { direction == .forward ? from : to }

    /// The part of the range from a position on, in scan order.
    func rest(from position: [UInt8], _ direction: ScanDirection) -> KeyRange {
        intersection(direction == .forward ? KeyRange(from: position) : KeyRange(to: position))
    }
}
