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

    /// Enters and returns the first range, in scan order, that does not end before a position; nil if all do. May go
    /// back to a range that was entered before.
    /// - Parameter place: see ``skip(before:)``.
    mutating func seek(_ place: [UInt8]) -> KeyRange? {
        skip(before: place)
        return next()
    }

    /// Moves to the first range, in scan order, that does not end before a position, without entering it.
    /// - Parameter place: in a forward scan the first key to visit; in a backward scan the first key above those to
    ///   visit.
    /// - Complexity: O(log n) for n ranges
    mutating func skip(before place: [UInt8]) {
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ends(range(middle), before: place) { low = middle + 1 } else { high = middle }
        }
        entered = low
    }

    /// Whether a range ends before a position, in scan order.
    private func ends(_ range: KeyRange, before place: [UInt8]) -> Bool {
        switch direction {
        case .forward: range.to.map { !place.lexicographicallyPrecedes($0) } ?? false
        case .backward: !range.from.lexicographicallyPrecedes(place)
        }
    }
}

extension KeyRange {
    /// The end of the range at which a scan starts.
    func nearEnd(_ direction: ScanDirection) -> [UInt8]? { direction == .forward ? from : to }

    /// The end of the range at which a scan ends.
    func farEnd(_ direction: ScanDirection) -> [UInt8]? { direction == .forward ? to : from }
}
