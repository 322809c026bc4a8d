/// The ranges of one walk, in the order of its direction, and the one that it is in.
struct RangeCourse {
    /// Sorted and disjoint, in key order.
    private let ranges: [KeyRange]
    private let direction: ScanDirection
    /// Ranges that were entered; the last of them is the current one.
    private var entered = 0

    /// - Parameter ranges: sorted and disjoint, none of them empty.
    init(_ ranges: [KeyRange], _ direction: ScanDirection) {
        self.ranges = ranges
        self.direction = direction
    }

    private func range(_ index: Int) -> KeyRange {
        ranges[direction == .forward ? index : ranges.count - 1 - index]
    }

    /// Enters the next range; nil behind the last one.
    mutating func next() -> KeyRange? {
        guard entered < ranges.count else { return nil }
        entered += 1
        return range(entered - 1)
    }

    /// Enters the first range, in the walk's direction, that does not end before a place; nil where all do.
    /// - Parameter place: as of ``skip(before:)``.
    mutating func seek(_ place: [UInt8]) -> KeyRange? {
        skip(before: place)
        return next()
    }

    /// Stands before the first range, in the walk's direction, that does not end before a place.
    /// - Parameter place: forward a key; backward the first key behind it.
    /// - Complexity: O(log n)
    mutating func skip(before place: [UInt8]) {
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ends(range(middle), before: place) { low = middle + 1 } else { high = middle }
        }
        entered = low
    }

    private func ends(_ range: KeyRange, before place: [UInt8]) -> Bool {
        switch direction {
        case .forward: range.to.map { !place.lexicographicallyPrecedes($0) } ?? false
        case .backward: !range.from.lexicographicallyPrecedes(place)
        }
    }
}

extension KeyRange {
    /// Where a walk over the range begins.
    func nearEnd(_ direction: ScanDirection) -> [UInt8]? { direction == .forward ? from : to }

    /// Where it ends.
    func farEnd(_ direction: ScanDirection) -> [UInt8]? { direction == .forward ? to : from }
}
