/// The order of keys: unsigned bytes, a prefix before what it begins.
/// - Returns: below zero, zero or above zero as `a` comes before, is, or comes after `b`.
@inline(__always)
func compareKeys(_ a: Bytes, _ b: Bytes) -> Int {
    let shorter = min(a.count, b.count)
    let order = Bytes.compare(a, b, first: shorter)
    if order != 0 { return order }
    return a.count &- b.count
}

/// The order of ``compareKeys(_:_:)``, found out in place, eight bytes at a time: where keys are short and in the caches,
/// the call of the C library's comparison costs more than what it does.
@inline(__always)
func compareKeysByWords(_ a: Bytes, _ b: Bytes) -> Int {
    let shorter = min(a.count, b.count)
    if shorter < 8 {
        let order = Bytes.compare(a, b, first: shorter)
        return order != 0 ? order : a.count &- b.count
    }
    var offset = 0
    while offset < shorter {
        // The last eight may begin with some that are known to be the same: cheaper than a call for a few.
        let place = min(offset, shorter &- 8)
        let one = a.uncheckedLoad(at: place, as: UInt64.self)
        let other = b.uncheckedLoad(at: place, as: UInt64.self)
        if one != other { return UInt64(bigEndian: one) < UInt64(bigEndian: other) ? -1 : 1 }
        offset &+= 8
    }
    return a.count &- b.count
}

/// Whether two keys are the same bytes.
@inline(__always)
func keysEqual(_ a: Bytes, _ b: Bytes) -> Bool {
    a.count == b.count && Bytes.compare(a, b, first: a.count) == 0
}
