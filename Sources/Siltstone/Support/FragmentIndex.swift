/// The fragments of a set of range tombstones in plain memory, for reads that touch no object.
///
/// Starts are searched by two digests, each of eight bytes, behind what all of them begin with; only ties of both compare keys.
/// With one digest a single tombstone that begins otherwise, and leaves the starts nothing in common, would make ties of all.
///
/// Filled in the initialiser, and never changed. Freed by its set.
struct FragmentIndex: BitwiseCopyable, Sendable {
    let count: Int
    private let digests: ElementRow<UInt64>
    /// Those of the eight bytes behind.
    private let furtherDigests: ElementRow<UInt64>
    private let starts: ElementRow<Bytes>
    private let ends: ElementRow<Bytes>
    /// What all starts begin with.
    private let common: SearchKey
    /// Holds the keys.
    private let storage: MutableBytes

    /// - Parameter fragments: sorted, without overlap.
    init(_ fragments: [RangeTombstones.Fragment]) {
        count = fragments.count
        digests = ElementRow(count: count)
        furtherDigests = ElementRow(count: count)
        starts = ElementRow(count: count)
        ends = ElementRow(count: count)
        storage = .allocate(byteCount: fragments.reduce(1) { $0 + $1.start.count + $1.end.count }, alignment: 8)
        var used = 0
        func copy(_ key: [UInt8], to storage: MutableBytes) -> Bytes {
            let place = storage[used..<(used + key.count)]
            place.copyBytes(from: key)
            used += key.count
            return place.bytes
        }
        for (index, fragment) in fragments.enumerated() {
            starts[index] = copy(fragment.start, to: storage)
            ends[index] = copy(fragment.end, to: storage)
        }
        // Keys are in order: what the outermost have in common, all have.
        let first = SearchKey(count > 0 ? starts[0] : .emptyBytes)
        let last = SearchKey(count > 0 ? starts[count - 1] : .emptyBytes)
        common = first.prefix(count > 1 ? first.commonPrefix(with: last) : 0)
        for index in 0..<count {
            let start = SearchKey(starts[index])
            digests[index] = start.digest(after: common.count)
            furtherDigests[index] = start.digest(after: common.count + 8)
        }
    }

    /// To be called once, when nobody reads any more.
    func deallocate() {
        digests.deallocate()
        furtherDigests.deallocate()
        starts.deallocate()
        ends.deallocate()
        storage.deallocate()
    }

    func start(_ index: Int) -> Bytes { starts[index] }

    func end(_ index: Int) -> Bytes { ends[index] }

    /// Whether a fragment holds a key.
    /// - Complexity: O(log n)
    @inline(__always)
    func covers(_ key: SearchKey) -> Bool { fragment(holding: key) >= 0 }

    /// The fragment that holds a key; −1 where none does.
    @inline(__always)
    func fragment(holding key: SearchKey) -> Int {
        let index = countOfStarts(upTo: key, including: true) &- 1
        return index >= 0 && compareKeysByWords(key.bytes, ends[index]) < 0 ? index : -1
    }

    /// How many fragments begin before a key.
    /// - Parameter including: whether one that begins with the key counts.
    @inline(__always)
    func countOfStarts(upTo key: SearchKey, including: Bool) -> Int {
        if count == 0 { return 0 }
        if count == 1 {
            // Where there is one start there is no common beginning to skip, and most keys would be ties of its digest.
            let order = compareKeysByWords(starts[0], key.bytes)
            return order < 0 || order == 0 && including ? 1 : 0
        }
        if common.count > 0, !key.hasPrefix(common) { return key.compare(to: common) < 0 ? 0 : count }
        let digest = key.digest(after: common.count)
        let low = digests.count(below: digest, of: count)
        return low < count && digests[low] == digest ? countOfTies(key, digest, from: low, including: including) : low
    }

    /// As ``countOfStarts(upTo:including:)``, of a key whose digest is that of a fragment.
    @inline(never)
    private func countOfTies(_ key: SearchKey, _ digest: UInt64, from start: Int, including: Bool) -> Int {
        let first = Self.ties(digests, digest, start..<count)
        var ties = Self.ties(furtherDigests, key.digest(after: common.count &+ 8), first)
        while !ties.isEmpty {
            let middle = (ties.lowerBound &+ ties.upperBound) &>> 1
            let order = compareKeysByWords(starts[middle], key.bytes)
            if order < 0 || order == 0 && including {
                ties = (middle &+ 1)..<ties.upperBound
            } else {
                ties = ties.lowerBound..<middle
            }
        }
        return ties.lowerBound
    }

    /// The part of a range whose digests are a given one; where none is, the place where it would be.
    private static func ties(_ digests: ElementRow<UInt64>, _ digest: UInt64, _ range: Range<Int>) -> Range<Int> {
        let (next, isLast) = digest.addingReportingOverflow(1)
        let first = digests.count(below: digest, from: range.lowerBound, of: range.count)
        let end = isLast ? range.count : digests.count(below: next, from: range.lowerBound, of: range.count)
        return (range.lowerBound + first)..<(range.lowerBound + end)
    }
}
