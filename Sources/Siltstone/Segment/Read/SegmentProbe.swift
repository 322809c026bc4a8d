/// The data of a mapped segment that a point read needs, copied into one piece of memory. A lookup dereferences,
/// retains and releases no object.
///
/// A probe must not outlive its reader.
struct SegmentProbe: Sendable, BitwiseCopyable {
    fileprivate let reader: Borrowed<SegmentReader>
    /// The blocks.
    fileprivate let data: Bytes
    fileprivate let windowShift: Int
    /// The hash index, its geometry, and the base-2 logarithm of the bytes of its pages.
    fileprivate let index: Bytes
    fileprivate let geometry: HashIndexGeometry
    fileprivate let pageShift: Int
    fileprivate let addressMask: UInt32
    /// Largest address at which a record header can be read with one 8-byte load.
    fileprivate let lastHead: Int
    /// True if the store does not fit into memory. A record must then be requested before it is read, see
    /// ``SegmentReader/fetchRecord(at:)``.
    fileprivate let isTight: Bool
    /// Largest sequence number of the segment's records.
    fileprivate let greatestSequence: SequenceNumber
    /// The marks of the reader, see ``SegmentReader/verifiedWindows``.
    fileprivate let verifiedWindows: AtomicBits
    fileprivate let verifiedPages: AtomicBits
    /// Smallest key of the segment.
    let firstKey: Bytes

    /// Returns nil if the blocks are not mapped uncompressed, or if there is no hash index.
    init?(_ reader: SegmentReader) {
        guard let data = reader.mappedData, let index = reader.mappedIndex, reader.geometry.pageCount > 0 else {
            return nil
        }
        self.reader = Borrowed(reader)
        self.data = data
        self.index = index
        lastHead = reader.dataBytes - 8
        isTight = reader.isTight
        greatestSequence = reader.info.greatestSequence
        windowShift = reader.windowShift
        geometry = reader.geometry
        pageShift = geometry.pageByteCount.trailingZeroBitCount
        addressMask = geometry.addressMask
        verifiedWindows = reader.verifiedWindows.bits
        verifiedPages = reader.verifiedPages.bits
        firstKey = reader.firstKey.bytes
    }

    /// Looks a key up through the reader, which verifies pages and blocks and finds all versions.
    @inline(never)
    fileprivate func search(
        _ key: SearchKey, _ hash: UInt64, _ visible: SequenceNumber
    ) throws(StoreError) -> FoundRecord {
        try reader.with { reader throws(StoreError) in
            // Mapped blocks need no pin.
            var pin = BlockPin()
            return try reader.lookup(key.bytes, hash: hash, visible: visible, pin: &pin).map { FoundRecord($0) }
                ?? .notFound
        }
    }
}

/// Methods of a place in memory instead of the probe, because copying the probe loads all of its fields and a lookup
/// needs only half of them.
extension ElementPlace<SegmentProbe> {
    /// Prefetches the line of the hash index where a lookup of `hash` starts.
    @inline(__always)
    func prefetch(hash: UInt64) {
        line(of: hash, page: value.geometry.page(of: hash)).prefetch()
    }

    /// Prefetches the record to which that line points, which is usually the key's. The line must be loaded for this.
    @inline(__always)
    func prefetchRecord(hash: UInt64) {
        let line = line(of: hash, page: value.geometry.page(of: hash))
        let matches = line.matches
        if matches != 0 { Prefetch.twoLines(value.data, at: Int(line.word(at: matches) & value.addressMask)) }
    }

    /// The bucket where a lookup of `hash` starts.
    @inline(__always)
    private func line(of hash: UInt64, page: Int) -> HashIndexLine {
        HashIndexLine(self.page(page), bucket: value.geometry.bucket(of: hash), hash: hash)
    }

    /// A page of the hash index.
    @inline(__always)
    private func page(_ page: Int) -> Bytes {
        value.index.uncheckedSlice(page &<< value.pageShift, 1 &<< value.pageShift)
    }

    /// The newest visible version of a key, with all fields. See ``SegmentReader/lookup(_:hash:visible:pin:)``.
    ///
    /// The record must not outlive the reader.
    func lookup(_ key: SearchKey, hash: UInt64, visible: SequenceNumber) throws(StoreError) -> FoundRecord {
        if _slowPath(value.isTight) { return try value.search(key, hash, visible) }
        return find(key, hash: hash, visible: visible).isAbsent ? .notFound : try value.search(key, hash, visible)
    }

    /// The fast path of a lookup. Finds the newest visible version of a key if the index page and the record's window
    /// are already verified. Returns `.unclear` if the slow path must decide. The value must not outlive the reader.
    ///
    /// Uses as few instructions as possible. While the processor waits for the memory of one read, it can start the
    /// next one if that is close enough in the instruction stream.
    @inline(__always)
    func find(_ key: SearchKey, hash: UInt64, visible: SequenceNumber) -> QuickFind {
        let page = value.geometry.page(of: hash)
        let line = line(of: hash, page: page)
        guard _fastPath(value.verifiedPages.isSet(page)) else { return .unclear }
        let matches = line.matches
        if matches == 0, !line.hasOverflowed { return .absent }
        let word = line.word(at: matches)
        let address = Int(word & value.addressMask)
        // Also prefetches the following line, which often holds the value. Otherwise that load would wait until the
        // first line has told where the value is.
        Prefetch.line(value.data, at: address &+ Prefetch.lineBytes)
        if _fastPath(matches != 0 && word & ~value.addressMask == value.geometry.wordTag(of: hash) && address != 0) {
            let found = record(at: address, key, visible)
            if _fastPath(!found.isAbsent) { return found }
        }
        return findFurther(key, hash, page, visible)
    }

    /// Checks the record at an address that the hash index has for the key's hash. Returns `.absent` if the record
    /// belongs to another key. That also covers an address that only a corrupt hash index can contain.
    @inline(__always)
    private func record(at address: Int, _ key: SearchKey, _ visible: SequenceNumber) -> QuickFind {
        guard _fastPath(address <= value.lastHead && value.verifiedWindows.isSet(address &>> value.windowShift))
        else { return .unclear }
        guard let header = RecordHeader(value.data, at: address), _fastPath(header.isNewestValue(keyCount: key.count))
        else {
            return anyRecord(at: address, key, visible)
        }
        guard header.size &+ key.count &+ header.valueCount <= value.data.count &- address else { return .unclear }
        guard key.isEqual(to: value.data.uncheckedSlice(address &+ header.size, key.count)) else { return .absent }
        // The slow path finds an older version through the fences, if one exists.
        if _slowPath(value.greatestSequence > visible), header.sequence > visible { return .unclear }
        return QuickFind(value.data.uncheckedSlice(address &+ header.size &+ key.count, header.valueCount))
    }

    /// Does the work of ``record(at:_:_:)`` for a record with any header.
    @inline(never)
    private func anyRecord(at address: Int, _ key: SearchKey, _ visible: SequenceNumber) -> QuickFind {
        guard let found = BlockRecord(value.data, at: address) else { return .unclear }
        guard key.isEqual(to: found.record.key) else { return .absent }
        return found.isOlder || found.record.sequence > visible ? .unclear : QuickFind(FoundRecord(found.record))
    }

    /// Continues the search if the first candidate is not the key's record.
    @inline(never)
    private func findFurther(
        _ key: SearchKey, _ hash: UInt64, _ page: Int, _ visible: SequenceNumber
    ) -> QuickFind {
        var probe = HashIndexProbe(self.page(page), hash: hash, geometry: value.geometry)
        while let address = probe.next() {
            let found = record(at: address, key, visible)
            if !found.isAbsent { return found }
        }
        return .absent
    }
}
