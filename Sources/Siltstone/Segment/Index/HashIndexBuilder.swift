/// Collects the keys of a segment and builds its hash index.
struct HashIndexBuilder: ~Copyable {
    /// Twelve bytes. With the hash as one 64-bit field, an entry would have four bytes of padding.
    private struct Entry: BitwiseCopyable {
        private var low: UInt32
        private var high: UInt32
        var address: UInt32

        @inline(__always)
        init(hash: UInt64, address: UInt32) {
            low = UInt32(truncatingIfNeeded: hash)
            high = UInt32(truncatingIfNeeded: hash &>> 32)
            self.address = address
        }

        @inline(__always)
        var hash: UInt64 { UInt64(high) &<< 32 | UInt64(low) }
    }

    /// Attempts with a larger table before the segment gets no hash index. Only keys that were chosen to have equal
    /// hashes exhaust them.
    private static let attempts = 12

    private var entries: ScratchArray<Entry>
    /// Keys so far.
    private(set) var count = 0

    /// - Parameter expected: approximate number of keys; 0 if it is unknown.
    init(expected: Int) {
        entries = ScratchArray(count: max(expected, 1024))
    }

    /// Adds a key by its hash and the address of its newest record.
    @inline(__always)
    mutating func add(hash: UInt64, address: Int) {
        if count == entries.count { grow() }
        entries[count] = Entry(hash: hash, address: UInt32(truncatingIfNeeded: address))
        count &+= 1
    }

    @inline(never)
    private mutating func grow() { entries = entries.grown(to: 2 * entries.count) }

    /// Writes the table.
    ///
    /// First sorts the entries by page. Each page is then filled, checksummed and copied while it is in the L1 cache.
    /// Filling the complete table in key order would cost a cache miss per key.
    /// - Parameter dataBytes: logical bytes of all blocks, which bound the addresses.
    /// - Returns: the table's geometry, and the checksum of each page.
    mutating func write(
        to output: inout SegmentOutput, dataBytes: Int
    ) throws(StoreError) -> (geometry: HashIndexGeometry, checksums: [UInt32]) {
        guard count > 0, let (geometry, starts) = chooseGeometry(dataBytes: dataBytes) else { return (.none, []) }
        sort(by: geometry, starts)
        let page = MutableBytes.allocate(byteCount: geometry.pageByteCount, alignment: 64)
        defer { page.deallocate() }
        let used = HeapArray<Int>(count: geometry.bucketsPerPage)
        var checksums: [UInt32] = []
        checksums.reserveCapacity(geometry.pageCount)
        for index in 0..<geometry.pageCount {
            fill(page, with: starts[index]..<starts[index + 1], geometry, used)
            checksums.append(CRC32.checksum(page.bytes))
            try output.append(page.bytes)
        }
        return (geometry, checksums)
    }

    /// Sorts the entries by page, in place. Moves each entry to the next free position of its page, and continues with
    /// the entry that it displaces there (McIlroy, Bostic and McIlroy, "Engineering Radix Sort", 1993). A counting sort
    /// was rejected because it takes the same memory again.
    /// - Parameter starts: position of each page's first entry, followed by the end.
    private mutating func sort(by geometry: HashIndexGeometry, _ starts: [Int]) {
        let next = HeapArray<Int>(count: geometry.pageCount)
        for page in 0..<geometry.pageCount { next[page] = starts[page] }
        for page in 0..<geometry.pageCount {
            while next[page] < starts[page + 1] {
                var entry = entries[next[page]]
                var home = geometry.page(of: entry.hash)
                while home != page {
                    let displaced = entries[next[home]]
                    entries[next[home]] = entry
                    entry = displaced
                    next[home] += 1
                    home = geometry.page(of: entry.hash)
                }
                entries[next[page]] = entry
                next[page] += 1
            }
        }
    }

    /// Chooses a geometry in which no page overflows. Returns it with the position of each page's first entry when
    /// sorted by page, followed by the end. Returns nil after ``attempts`` attempts.
    private func chooseGeometry(dataBytes: Int) -> (HashIndexGeometry, [Int])? {
        var geometry = HashIndexGeometry(keys: count, dataBytes: dataBytes)
        for _ in 0..<Self.attempts {
            var counts = [Int](repeating: 0, count: geometry.pageCount + 1)
            for index in 0..<count { counts[geometry.page(of: entries[index].hash)] += 1 }
            if counts.allSatisfy({ $0 <= geometry.placesPerPage }) {
                var start = 0
                for index in counts.indices { (counts[index], start) = (start, start + counts[index]) }
                return (geometry, counts)
            }
            geometry.pageCount += geometry.pageCount / 32 + 1
        }
        return nil
    }

    /// Fills a page. Each entry goes into the first bucket with a free slot, starting with its own bucket. It sets its
    /// bit in the overflow filter of each full bucket that it passes.
    /// - Parameter used: scratch memory: the number of used slots per bucket.
    private func fill(
        _ page: MutableBytes, with range: Range<Int>, _ geometry: HashIndexGeometry, _ used: borrowing HeapArray<Int>
    ) {
        page.fill(with: 0)
        for bucket in 0..<geometry.bucketsPerPage { used[bucket] = 0 }
        for index in range {
            let entry = entries[index]
            var bucket = geometry.bucket(of: entry.hash)
            while used[bucket] == HashIndexGeometry.entriesPerBucket {
                let filter = bucket &* HashIndexGeometry.bucketBytes &+ 12
                let bits: UInt32 = page.bytes.uncheckedInteger(at: filter)
                page.uncheckedStore(bits | HashIndexGeometry.overflowBit(of: entry.hash), at: filter)
                bucket = (bucket &+ 1) & (geometry.bucketsPerPage &- 1)
            }
            let line = bucket &* HashIndexGeometry.bucketBytes
            let place = used[bucket]
            page.uncheckedStore(HashIndexGeometry.fingerprint(of: entry.hash), at: line &+ place)
            page.uncheckedStore(geometry.wordTag(of: entry.hash) | entry.address, at: line &+ 16 &+ 4 &* place)
            used[bucket] &+= 1
        }
    }
}
