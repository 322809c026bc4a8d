extension Range<Int> {
    /// Returns the first index for which `holds` is true; the upper bound if there is none. `holds` is false up to some
    /// index, and true from there on.
    /// - Complexity: O(log *n*) calls of `holds`.
    @inline(__always)
    func partitioningIndex(where holds: (Int) -> Bool) -> Int {
        var (low, high) = (lowerBound, upperBound)
        while low < high {
            let middle = (low &+ high) &>> 1
            if holds(middle) { high = middle } else { low = middle &+ 1 }
        }
        return low
    }
}
