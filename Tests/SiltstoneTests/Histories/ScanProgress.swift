@testable import Siltstone

/// Turns the entries of a scan, as they come, into what they say of the history's keys: also of those that are missing.
struct ScanProgress {
    /// The keys of the range of which nothing is known yet.
    private var left: Range<Int>
    private let isReverse: Bool
    private var last: [UInt8]?
    private(set) var observations: [Observation] = []
    /// What no scan of any store may do.
    private(set) var problems: [String] = []

    /// - Parameter range: of the scan, which begins and ends at keys of the history.
    init(_ range: Range<Int>, isReverse: Bool) {
        left = range
        self.isReverse = isReverse
    }

    /// The next entry came.
    mutating func add(_ entry: Entry) {
        if let last {
            let isAscending = last.precedes(entry.key)
            if last == entry.key || isAscending == isReverse { problems.append("entries out of order") }
        }
        last = entry.key
        // All keys that the scan has passed are missing, but for the one that it is at.
        let upTo = HistoryKeys.countUpTo(entry.key)
        let index = HistoryKeys.index(entry.key)
        if isReverse {
            while let key = left.last, key >= upTo { miss(key) }
        } else {
            while let key = left.first, key < (index ?? upTo) { miss(key) }
        }
        guard let index else { return }
        if index != (isReverse ? left.last : left.first) { return problems.append("key \(index) is out of the range") }
        observations.append(Observation(key: index, seen: .revision(RevisionCoding.decode(entry.value))))
        pass(index)
    }

    /// The scan came to its end by itself: what has not come is missing.
    mutating func end() {
        while let key = isReverse ? left.last : left.first { miss(key) }
    }

    private mutating func miss(_ key: Int) {
        observations.append(Observation(key: key, seen: .revision(.absent)))
        pass(key)
    }

    private mutating func pass(_ key: Int) { left = isReverse ? left.lowerBound..<key : key + 1..<left.upperBound }
}
