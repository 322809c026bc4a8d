/// What a point read needs of a mapped segment, in one piece of memory: no object is looked at, retained or released.
///
/// `@unchecked Sendable`: addresses of what is immutable or atomic. Good as long as the reader.
struct SegmentProbe: @unchecked Sendable {
    fileprivate let reader: Unmanaged<SegmentReader>
    fileprivate let data: UnsafeRawPointer
    fileprivate let dataBytes: Int
    fileprivate let windowShift: Int
    fileprivate let index: UnsafeRawPointer
    fileprivate let geometry: PointIndexGeometry
    fileprivate let pageShift: Int
    fileprivate let addressMask: UInt32
    fileprivate let verifiedWindows: AtomicBits
    fileprivate let verifiedPages: AtomicBits
    /// No record comes before it.
    let firstKey: Bytes

    /// Nil where blocks are not mapped as they are, or there is no point index.
    init?(_ reader: SegmentReader) {
        guard let data = reader.mappedData, let index = reader.mappedIndex, reader.geometry.pageCount > 0 else {
            return nil
        }
        self.reader = .passUnretained(reader)
        self.data = data
        self.index = index
        dataBytes = reader.dataBytes
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
        try reader._withUnsafeGuaranteedRefThrowing { reader throws(StoreError) in
            // Mapped blocks need no pin.
            var pin = BlockPin()
            return try reader.lookup(key.bytes, hash: hash, visible: visible, pin: &pin).map { FoundRecord($0) }
                ?? .none
        }
    }
}

/// By address: a probe that is copied first has all of it loaded, where a lookup needs half.
extension UnsafePointer<SegmentProbe> {
    /// The newest version of a key that a reader may see; see ``SegmentReader/lookup(_:hash:visible:pin:)``.
    ///
    /// The record is good as long as the reader.
    ///
    /// In as few instructions as can be: while the processor waits for the memory of one read it begins with the next, if
    /// that is not too far ahead. So this is the usual case only: the first place of the first bucket that looks right is
    /// the key's, or the key is missing and the bucket has not overflowed.
    @inline(never)
    func lookup(_ key: SearchKey, hash: UInt64, visible: SequenceNumber) throws(StoreError) -> FoundRecord {
        let page = pointee.geometry.page(of: hash)
        let line = PointIndexLine(pointee.index + page &<< pointee.pageShift, hash: hash, pointee.geometry)
        guard _fastPath(pointee.verifiedPages.isSet(page)) else { return try pointee.search(key, hash, visible) }
        let matches = line.matches
        if matches == 0, !line.hasOverflowed { return .none }
        let word = line.word(at: matches)
        let address = Int(word & pointee.addressMask)
        // The value's line, too, which otherwise would be asked for when the first one has told where it is.
        Prefetch.line(pointee.data + (address &+ Prefetch.lineBytes))
        // At address 0 is a block's header: that is an empty place.
        guard _fastPath(matches != 0 && address != 0),
            _fastPath(word & ~pointee.addressMask == pointee.geometry.wordTag(of: hash)),
            _fastPath(address < pointee.dataBytes && pointee.verifiedWindows.isSet(address &>> pointee.windowShift)),
            let found = BlockRecord(pointee.data, at: address, limit: pointee.dataBytes),
            _fastPath(key.isEqual(to: found.record.key) && found.record.sequence <= visible)
        else { return try pointee.search(key, hash, visible) }
        return FoundRecord(found.record)
    }
}
