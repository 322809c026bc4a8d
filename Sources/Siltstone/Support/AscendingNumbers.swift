/// Numbers in ascending order, such as the digests of keys.
extension UnsafeMutablePointer<UInt64> {
    /// How many of the first `count` numbers are below another. Without branches: which way each step goes is a coin toss.
    /// - Complexity: O(log count)
    @inline(__always)
    func count(below wanted: UInt64, of count: Int) -> Int {
        var low = 0
        var left = count
        while left > 0 {
            let half = (left &+ 1) &>> 1
            low = self[low &+ half &- 1] < wanted ? low &+ half : low
            left &-= half
        }
        return low
    }
}
