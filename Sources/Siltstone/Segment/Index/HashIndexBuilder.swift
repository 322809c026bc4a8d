/// Collects the keys of a segment and makes its hash index.
struct HashIndexBuilder: ~Copyable {
    /// Twelve bytes: as a word of its own the hash would bring four of padding.
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

    /// How often a larger table is tried before the segment goes without one. Only keys chosen to have the same
    /// hash get there.
    private static let attempts = 12

    private var entries: ScratchArray<Entry>
    /// Keys so far.
    private(set) var count = 0

    init(expected: Int) {
        entries = ScratchArray(count: max(expected, 1024))
    }

    /// Adds a key by the address of its newest record.
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
    /// The entries are brought into the order of their pages first, so that each page is filled, summed and copied while it
    /// is in the innermost cache. Filling the whole table in key order costs a cache miss for each key.
    /// - Returns: the table's shape, and the checksum of each page.
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

    /// Brings the entries into the order of their pages, in place: each is taken to the next free place of its page, and
    /// what stood there is the next to be taken (McIlroy, Bostic and McIlroy, "Engineering Radix Sort", 1993). A counting
    /// sort lost: it takes as much memory again.
    /// - Parameter starts: where the entries of each page begin, and behind them the end.
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

    /// A shape in which no page is overfull; where the entries of each page begin in their order by pages, and where the
    /// last one's end.
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

    /// Fills a page: each entry goes into the first bucket from its own on that has room, and leaves its bit in the
    /// overflow filter of the full ones that it passes.
    /// - Parameter used: for each bucket how many of its places are taken; set by this.
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
