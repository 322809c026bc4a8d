/// The fragments of a set of range tombstones in plain memory, so that reads retain no object.
///
/// Each start has two digests, of the first and of the second eight bytes after the common prefix of all starts. The
/// search compares the first digest, on a tie the second, on a tie the key. A single start is compared by key.
///
/// One tombstone elsewhere can make the common prefix empty. The first eight bytes of the other starts are then often
/// equal. The second digest tells them apart.
///
/// Filled in the initializer, and never changed. Freed by its set.
struct FragmentIndex: BitwiseCopyable, Sendable {
    /// Number of fragments.
    let count: Int
    /// The digest of each start after the common prefix (``SearchKey/digest(after:)``).
    private let digests: ElementRow<UInt64>
    /// The digests of the next eight bytes.
    private let furtherDigests: ElementRow<UInt64>
    private let starts: ElementRow<Bytes>
    private let ends: ElementRow<Bytes>
    /// The common prefix of all starts.
    private let common: SearchKey
    /// Memory of the keys.
    private let storage: MutableBytes

    /// Creates an index of fragments.
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
        // The keys are sorted, so the common prefix of the first and the last is common to all.
        let first = SearchKey(count > 0 ? starts[0] : .emptyBytes)
        let last = SearchKey(count > 0 ? starts[count - 1] : .emptyBytes)
        common = first.prefix(count > 1 ? first.commonPrefix(with: last) : 0)
        for index in 0..<count {
            let start = SearchKey(starts[index])
            digests[index] = start.digest(after: common.count)
            furtherDigests[index] = start.digest(after: common.count + 8)
        }
    }

    /// Frees the memory. Called once, when nobody reads any more.
    func deallocate() {
        digests.deallocate()
        furtherDigests.deallocate()
        starts.deallocate()
        ends.deallocate()
        storage.deallocate()
    }

    func start(_ index: Int) -> Bytes { starts[index] }

    /// The first key after a fragment.
    func end(_ index: Int) -> Bytes { ends[index] }

    /// Returns true if a fragment contains a key.
    /// - Complexity: O(log *n*) in the number of fragments
    @inline(__always)
    func covers(_ key: SearchKey) -> Bool { fragment(holding: key) >= 0 }

    /// Returns the index of the fragment that contains a key; −1 if none does.
    @inline(__always)
    func fragment(holding key: SearchKey) -> Int {
        let index = countOfStarts(upTo: key, includingEqual: true) &- 1
        return index >= 0 && compareKeysByWords(key.bytes, ends[index]) < 0 ? index : -1
    }

    /// Returns how many fragments start before a key.
    /// - Parameter includingEqual: true to count a fragment that starts at the key.
    @inline(__always)
    func countOfStarts(upTo key: SearchKey, includingEqual: Bool) -> Int {
        if count == 0 { return 0 }
        if count == 1 {
            // A single start has no common prefix to skip, and its digest may equal that of many keys.
            let order = compareKeysByWords(starts[0], key.bytes)
            return order < 0 || order == 0 && includingEqual ? 1 : 0
        }
        if common.count > 0, !key.hasPrefix(common) { return key.compare(to: common) < 0 ? 0 : count }
        let digest = key.digest(after: common.count)
        let low = digests.count(below: digest, of: count)
        guard low < count, digests[low] == digest else { return low }
        return countOfTies(key, digest, from: low, includingEqual: includingEqual)
    }

    /// Same as ``countOfStarts(upTo:includingEqual:)``, for a key whose digest equals that of the fragment at `start`.
    @inline(never)
    private func countOfTies(_ key: SearchKey, _ digest: UInt64, from start: Int, includingEqual: Bool) -> Int {
        let first = Self.ties(digests, digest, start..<count)
        let ties = Self.ties(furtherDigests, key.digest(after: common.count &+ 8), first)
        return ties.partitioningIndex { index in
            let order = compareKeysByWords(starts[index], key.bytes)
            return order > 0 || order == 0 && !includingEqual
        }
    }

    /// Returns the part of a range whose digests equal a given one; if there is none, an empty range at its position.
    private static func ties(_ digests: ElementRow<UInt64>, _ digest: UInt64, _ range: Range<Int>) -> Range<Int> {
        let (next, isLast) = digest.addingReportingOverflow(1)
        let first = digests.count(below: digest, from: range.lowerBound, of: range.count)
        let end = isLast ? range.count : digests.count(below: next, from: range.lowerBound, of: range.count)
        return (range.lowerBound + first)..<(range.lowerBound + end)
    }
}
