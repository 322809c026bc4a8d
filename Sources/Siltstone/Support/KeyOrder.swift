/// Compares two keys as unsigned bytes; a prefix sorts before longer keys.
/// - Returns: a negative number if `a` is less than `b`, zero if they are equal, a positive number if `a` is greater.
@inline(__always)
func compareKeys(_ a: Bytes, _ b: Bytes) -> Int {
    let shorter = min(a.count, b.count)
    let order = Bytes.uncheckedCompare(a, b, first: shorter)
    if order != 0 { return order }
    return a.count &- b.count
}

/// Same order as ``compareKeys(_:_:)``, compared inline eight bytes at a time. For short keys in the caches, the call
/// of the C library's comparison costs more than its work.
@inline(__always)
func compareKeysByWords(_ a: Bytes, _ b: Bytes) -> Int {
    let shorter = min(a.count, b.count)
    if shorter < 8 {
        let order = Bytes.uncheckedCompare(a, b, first: shorter)
        return order != 0 ? order : a.count &- b.count
    }
    var offset = 0
    while offset < shorter {
        // The last eight bytes may overlap bytes that are known to be equal, which is cheaper than a call for a few
        // bytes.
        let place = min(offset, shorter &- 8)
        let one = a.uncheckedLoad(at: place, as: UInt64.self)
        let other = b.uncheckedLoad(at: place, as: UInt64.self)
        if one != other { return UInt64(bigEndian: one) < UInt64(bigEndian: other) ? -1 : 1 }
        offset &+= 8
    }
    return a.count &- b.count
}

/// Returns true if two keys are the same bytes.
@inline(__always)
func keysEqual(_ a: Bytes, _ b: Bytes) -> Bool {
    a.count == b.count && Bytes.uncheckedCompare(a, b, first: a.count) == 0
}
