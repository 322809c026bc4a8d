/// What a point read needs of a mapped segment, in one piece of memory: no object is looked at, retained or released.
///
/// Good as long as the reader.
struct SegmentProbe: Sendable, BitwiseCopyable {
    fileprivate let reader: Borrowed<SegmentReader>
    fileprivate let data: Bytes
    fileprivate let windowShift: Int
    fileprivate let index: Bytes
    fileprivate let geometry: HashIndexGeometry
    fileprivate let pageShift: Int
    fileprivate let addressMask: UInt32
    /// Where the last record may begin whose head is read in one piece.
    fileprivate let lastHead: Int
    /// Whether the record has to be asked for before it is touched, see ``SegmentReader/fetchRecord(at:)``.
    fileprivate let isTight: Bool
    /// The greatest sequence number of its records.
    fileprivate let greatestSequence: SequenceNumber
    fileprivate let verifiedWindows: AtomicBits
    fileprivate let verifiedPages: AtomicBits
    /// No record comes before it.
    let firstKey: Bytes

    /// Nil where blocks are not mapped as they are, or there is no hash index.
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

    /// The cases that are seldom.
    @inline(never)
    fileprivate func search(
        _ key: SearchKey, _ hash: UInt64, _ visible: SequenceNumber
    ) throws(StoreError) -> FoundRecord {
        try reader.with { reader throws(StoreError) in
            // Mapped blocks need no pin.
            var pin = BlockPin()
            return try reader.lookup(key.bytes, hash: hash, visible: visible, pin: &pin).map { FoundRecord($0) }
                ?? .none
        }
    }
}

/// By address: a probe that is copied first has all of it loaded, where a lookup needs half.
extension ElementPlace<SegmentProbe> {
    /// Asks for the line of the hash index where a lookup of `hash` begins.
    @inline(__always)
    func prefetch(hash: UInt64) {
        line(of: hash, page: value.geometry.page(of: hash)).prefetch()
    }

    /// Asks for the record that the line leads to where a lookup of `hash` begins: most often the key's.
    @inline(__always)
    func prefetchRecord(hash: UInt64) {
        let line = line(of: hash, page: value.geometry.page(of: hash))
        let matches = line.matches
        if matches != 0 { Prefetch.twoLines(value.data, at: Int(line.word(at: matches) & value.addressMask)) }
    }

    /// The bucket where a lookup of `hash` begins.
    @inline(__always)
    private func line(of hash: UInt64, page: Int) -> HashIndexLine {
        HashIndexLine(self.page(page), hash: hash, value.geometry)
    }

    /// A page of the hash index.
    @inline(__always)
    private func page(_ page: Int) -> Bytes {
        value.index.uncheckedSlice(page &<< value.pageShift, 1 &<< value.pageShift)
    }

    /// The newest version of a key that a reader may see, whole; see ``SegmentReader/lookup(_:hash:visible:pin:)``.
    ///
    /// The record is good as long as the reader.
    func lookup(_ key: SearchKey, hash: UInt64, visible: SequenceNumber) throws(StoreError) -> FoundRecord {
        if _slowPath(value.isTight) { return try value.search(key, hash, visible) }
        return find(key, hash: hash, visible: visible).isAbsent ? .none : try value.search(key, hash, visible)
    }

    /// The newest version of a key that a reader may see, where what is needed was verified before. The value is good as
    /// long as the reader.
    ///
    /// In as few instructions as can be: while the processor waits for the memory of one read it begins with the next, if
    /// that is not too far ahead.
    @inline(__always)
    func find(_ key: SearchKey, hash: UInt64, visible: SequenceNumber) -> QuickFind {
        let page = value.geometry.page(of: hash)
        let line = line(of: hash, page: page)
        guard _fastPath(value.verifiedPages.isSet(page)) else { return .unclear }
        let matches = line.matches
        if matches == 0, !line.hasOverflowed { return .absent }
        let word = line.word(at: matches)
        let address = Int(word & value.addressMask)
        // The value's line, too, which otherwise would be asked for when the first one has told where it is.
        Prefetch.line(value.data, at: address &+ Prefetch.lineBytes)
        if _fastPath(matches != 0 && word & ~value.addressMask == value.geometry.wordTag(of: hash) && address != 0) {
            let found = record(at: address, key, visible)
            if _fastPath(!found.isAbsent) { return found }
        }
        return findFurther(key, hash, page, visible)
    }

    /// The record at an address that the hash index has for the key's hash; absent where it is another key's, or what
    /// only a hash index that was made wrong leads to.
    @inline(__always)
    private func record(at address: Int, _ key: SearchKey, _ visible: SequenceNumber) -> QuickFind {
        guard _fastPath(address <= value.lastHead && value.verifiedWindows.isSet(address &>> value.windowShift))
        else { return .unclear }
        guard let head = RecordHead(value.data, at: address), _fastPath(head.isNewestValue(keyCount: key.count))
        else {
            return anyRecord(at: address, key, visible)
        }
        guard head.size &+ key.count &+ head.valueCount <= value.data.count &- address else { return .unclear }
        guard key.isEqual(to: value.data.uncheckedSlice(address &+ head.size, key.count)) else { return .absent }
        // An older version, if any, is found by way of the fences.
        if _slowPath(value.greatestSequence > visible), head.sequence > visible { return .unclear }
        return QuickFind(value.data.uncheckedSlice(address &+ head.size &+ key.count, head.valueCount))
    }

    /// As ``record(at:_:_:)``, whatever the head.
    @inline(never)
    private func anyRecord(at address: Int, _ key: SearchKey, _ visible: SequenceNumber) -> QuickFind {
        guard let found = BlockRecord(value.data, at: address) else { return .unclear }
        guard key.isEqual(to: found.record.key) else { return .absent }
        return found.isOlder || found.record.sequence > visible ? .unclear : QuickFind(FoundRecord(found.record))
    }

    /// Goes on where the first place that looks right is not the key's.
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
