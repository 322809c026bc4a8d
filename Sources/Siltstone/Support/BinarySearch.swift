/// Returns the first index of a range that satisfies a condition; the range's end if none does. All indexes after one
/// that satisfies it must do so as well.
/// - Complexity: O(log *n*) calls of `holds`
@inline(__always)
func firstIndex(in range: Range<Int>, where holds: (Int) -> Bool) -> Int {
    var (low, high) = (range.lowerBound, range.upperBound)
    while low < high {
        let middle = (low &+ high) &>> 1
        if holds(middle) { high = middle } else { low = middle &+ 1 }
    }
    return low
}
