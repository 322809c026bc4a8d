import Foundation

/// What the tests do to many bytes, by plain loops and the C library: without the optimizer, `map` and the comparisons of
/// the standard library take a hundred times as long.
extension Array where Element == UInt8 {
    /// Bytes made from their indexes.
    init(count: Int, _ byte: (_ index: Int) -> UInt8) {
        // For an empty array, the initializer below writes 0 over the count of the storage that all empty arrays share.
        // The thread sanitizer reports that as a race with their readers.
        if count == 0 {
            self = []
            return
        }
        self.init(unsafeUninitializedCapacity: count) { buffer, initializedCount in
            var index = 0
            while index < count {
                buffer.initializeElement(at: index, to: byte(index))
                index &+= 1
            }
            initializedCount = count
        }
    }

    /// Whether it comes before another in the order of keys.
    func precedes(_ other: [UInt8]) -> Bool {
        let order = memcmp(self, other, Swift.min(count, other.count))
        return order != 0 ? order < 0 : count < other.count
    }

    /// Whether it holds the same bytes as another.
    func isSame(as other: [UInt8]) -> Bool { count == other.count && memcmp(self, other, count) == 0 }
}
