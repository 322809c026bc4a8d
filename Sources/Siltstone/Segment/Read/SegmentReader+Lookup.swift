extension SegmentReader {
    /// The newest visible version of a key. For a mapped, uncompressed segment with a hash index, ``SegmentProbe`` is
    /// the fast path. It calls this function if it cannot decide.
    /// - Parameters:
    ///   - hash: ``KeyHash/hash(_:)`` of the key, which the caller needs for several segments.
    ///   - visible: largest sequence number that is visible to the caller.
    ///   - pin: keeps the record valid together with the reader. `key` must not lie in memory that it pinned before.
    /// - Returns: the record, possibly a tombstone; nil if the segment has no such version.
    /// - Throws: ``StoreError/Code/corrupt`` if a page or block that the lookup reads fails its checksum.
    /// - Complexity: O(1) for the newest version; O(log n) for an older one, or without a hash index, with n blocks and
    ///   records
    func lookup(
        _ key: Bytes, hash: UInt64, visible: SequenceNumber, pin: inout BlockPin
    ) throws(StoreError) -> Record? {
        guard geometry.pageCount > 0 else { return try lookupThroughFences(key, visible: visible, pin: &pin) }
        var pagePin = BlockPin()
        defer { withExtendedLifetime(pagePin) {} }
        let page = try indexPage(geometry.page(of: hash), pin: &pagePin)
        var probe = HashIndexProbe(page, hash: hash, geometry: geometry)
        while let address = probe.next() {
            guard address < dataBytes else { throw wrongAddress(address) }
            let block = blockIndex.block(holding: address)
            if _slowPath(isTight && verifiedBlocks.isSet(block)) { fetchRecord(at: address) }
            let view = try self.block(block, pin: &pin)
            if isPinless { noteVerified(around: address) }
            let offset = address - blockIndex.start(of: block)
            guard let found = view.record(at: offset)?.record else {
                throw wrongAddress(address)
            }
            guard keysEqual(found.key, key) else { continue }
            if found.sequence <= visible { return found }
            return try lookupThroughFences(key, visible: visible, pin: &pin)
        }
        return nil
    }

    /// Marks the window of an address as verified if all blocks that overlap it are. ``SegmentProbe`` then needs one
    /// bit instead of the block index to know that a record's block is verified.
    func noteVerified(around address: Int) {
        let window = address >> windowShift
        if verifiedWindows.isSet(window) { return }
        let first = blockIndex.block(holding: window << windowShift)
        let last = blockIndex.block(holding: min(dataBytes, (window + 1) << windowShift) - 1)
        if (first...last).allSatisfy({ verifiedBlocks.isSet($0) }) { verifiedWindows.set(window) }
    }

    @inline(never)
    private func wrongAddress(_ address: Int) -> StoreError {
        .corrupt(
            "the hash index leads to no record at address \(address)", file: path, offset: layout.footer.indexOffset)
    }

    /// Finds a version through the fences: if the newest version is not visible, or if there is no hash index.
    @inline(never)
    private func lookupThroughFences(
        _ key: Bytes, visible: SequenceNumber, pin: inout BlockPin
    ) throws(StoreError) -> Record? {
        guard blockIndex.blockCount > 0 else { return nil }
        var number = blockIndex.search(key, visible)
        var block = try block(number, pin: &pin)
        guard var slot = block.lowerBound(key, visible) else { throw malformed(number) }
        if slot == block.count {
            number += 1
            guard number < blockIndex.blockCount else { return nil }
            block = try self.block(number, pin: &pin)
            slot = 0
        }
        guard let found = block.record(slot)?.record else { throw malformed(number) }
        return keysEqual(found.key, key) && found.sequence <= visible ? found : nil
    }
}
