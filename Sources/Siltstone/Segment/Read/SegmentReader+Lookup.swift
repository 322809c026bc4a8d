extension SegmentReader {
    /// The newest version of a key that a reader may see. Where all is mapped, ``SegmentProbe`` does the same faster.
    /// - Parameters:
    ///   - hash: ``KeyHash/hash(_:)`` of the key, which the caller needs for several segments.
    ///   - visible: the greatest sequence number that the reader sees.
    ///   - pin: keeps the record valid together with the reader. `key` must not lie in what it kept before.
    /// - Returns: the record, a tombstone too; nil where the segment has no such version.
    /// - Throws: ``StoreError/Code/corrupt`` where a page or block on the way fails its checksum.
    /// - Complexity: O(1) for the newest version, O(log n) for an older one
    func lookup(
        _ key: Bytes, hash: UInt64, visible: SequenceNumber, pin: inout BlockPin
    ) throws(StoreError) -> Record? {
        guard geometry.pageCount > 0 else { return try lookupOlder(key, visible: visible, pin: &pin) }
        var pagePin = BlockPin()
        defer { withExtendedLifetime(pagePin) {} }
        let page = try indexPage(geometry.page(of: hash), pin: &pagePin)
        var probe = HashIndexProbe(page, hash: hash, geometry: geometry)
        while let address = probe.next() {
            guard address < dataBytes else { throw wrongAddress(address) }
            let block = fences.block(holding: address)
            if _slowPath(isTight && verifiedBlocks.isSet(block)) { fetchRecord(at: address) }
            let view = try self.block(block, pin: &pin)
            if isPinless { noteVerified(around: address) }
            let offset = address - fences.start(of: block)
            guard let found = view.record(at: offset)?.record else {
                throw wrongAddress(address)
            }
            guard keysEqual(found.key, key) else { continue }
            if found.sequence <= visible { return found }
            return try lookupOlder(key, visible: visible, pin: &pin)
        }
        return nil
    }

    /// Remembers for the window of an address, for ``SegmentProbe``, that all blocks in it have passed their checksums, if
    /// they have.
    func noteVerified(around address: Int) {
        let window = address >> windowShift
        if verifiedWindows.isSet(window) { return }
        let first = fences.block(holding: window << windowShift)
        let last = fences.block(holding: min(dataBytes, (window + 1) << windowShift) - 1)
        if (first...last).allSatisfy({ verifiedBlocks.isSet($0) }) { verifiedWindows.set(window) }
    }

    @inline(never)
    private func wrongAddress(_ address: Int) -> StoreError {
        .corrupt(
            "the hash index leads to no record at address \(address)", file: path, offset: layout.footer.indexOffset)
    }

    /// The version by way of the fences: where the newest one is not visible, or there is no hash index.
    @inline(never)
    private func lookupOlder(
        _ key: Bytes, visible: SequenceNumber, pin: inout BlockPin
    ) throws(StoreError) -> Record? {
        guard fences.blockCount > 0 else { return nil }
        var number = fences.search(key, visible)
        var block = try block(number, pin: &pin)
        guard var slot = block.lowerBound(key, visible) else { throw malformed(number) }
        if slot == block.count {
            number += 1
            guard number < fences.blockCount else { return nil }
            block = try self.block(number, pin: &pin)
            slot = 0
        }
        guard let found = block.record(slot)?.record else { throw malformed(number) }
        return keysEqual(found.key, key) && found.sequence <= visible ? found : nil
    }
}
