/// Builds blocks one after another in the same memory. Docs/Format.md describes the layout of a block.
///
/// Behind the records, a block has a digest of each key (16 bits) and a slot with the offset of each record.
struct BlockBuilder: ~Copyable {
    /// Target size of a block, in bytes.
    private let target: Int
    private let layout: BlockLayout
    private var memory: MutableBytes
    /// Position of each record. ``finish(segment:address:)`` writes slots and digests from these positions, because
    /// slots and digests follow the last record.
    private let places: HeapArray<Place>
    /// Bytes of header and records.
    private var used: Int
    private(set) var count = 0

    /// A record in the block.
    private struct Place {
        var offset: UInt16
        /// Bytes of the record before its key.
        var headSize: UInt16
        var keyCount: UInt32
    }

    /// - Parameters:
    ///   - target: target size of a block, in bytes.
    ///   - layout: layout of the blocks.
    init(target: Int, layout: BlockLayout = .digested) {
        self.target = target
        self.layout = layout
        used = layout.headerSize
        memory = .allocate(byteCount: 2 * target, alignment: SegmentFormat.unit)
        // The smallest record takes 4 bytes, plus its slot and digest. The capacity is the number of such records that
        // fit into the target, plus two for rounding and for one record beyond the target. Callers finish a block when
        // `shouldFinish` says so; then the capacity suffices, and every record starts at an offset of 16 bits.
        places = HeapArray(count: target / (4 + layout.tailBytesPerRecord) + 2)
    }

    deinit { memory.deallocate() }

    var isEmpty: Bool { count == 0 }

    /// Offset of the next record, if it goes into this block.
    var nextOffset: Int { used }

    /// Bytes of the block if it were finished now.
    var length: Int { SegmentFormat.roundUp(used + layout.tailBytesPerRecord * count) }

    /// True if the block should be finished before a record of `size` bytes is added.
    ///
    /// A block smaller than half of the target takes one more record, however long. So at most one block starts in each
    /// window of half a target, and a table with one entry a window leads from a record's address in the segment to its
    /// block.
    @inline(__always)
    func shouldFinish(before size: Int) -> Bool {
        let current = used &+ layout.tailBytesPerRecord &* count
        return current &+ size &+ layout.tailBytesPerRecord > target && current >= target / 2
    }

    /// Appends a record.
    /// - Parameters:
    ///   - size: bytes of the record in the block (``BlockRecord/size(_:)``).
    ///   - isOlder: true if the record before it, perhaps in the previous block, has the same key.
    @inline(__always)
    mutating func append(_ record: Record, size: Int, isOlder: Bool) {
        let end = used &+ size
        if end > memory.count { memory.grow(to: 2 * end, keeping: used, alignment: SegmentFormat.unit) }
        places[count] = Place(
            offset: UInt16(truncatingIfNeeded: used),
            headSize: UInt16(truncatingIfNeeded: size &- record.key.count &- record.value.count),
            keyCount: UInt32(truncatingIfNeeded: record.key.count))
        BlockRecord.write(record, isOlder: isOlder, to: memory.uncheckedSlice(used, size))
        used = end
        count &+= 1
    }

    /// Completes the block with padding, digests, slots and header, and starts the next block.
    ///
    /// The checksum covers the block's place as well, so that readers notice a block at the wrong place.
    /// - Parameters:
    ///   - segment: number of the segment.
    ///   - address: logical address of the block in the segment, in bytes.
    /// - Returns: the block. It is valid until the next record is appended.
    mutating func finish(segment: UInt64, address: Int) -> Bytes {
        let length = self.length
        if length > memory.count { memory.grow(to: 2 * length, keeping: used, alignment: SegmentFormat.unit) }
        let limit = length - layout.tailBytesPerRecord * count
        memory[used..<limit].fill(with: 0)
        for index in 0..<count { memory.uncheckedStore(places[index].offset, at: length - 2 - 2 * index) }
        memory.store(UInt16(truncatingIfNeeded: count), at: 4)
        // 0 stands for a length that does not fit; the block index has it.
        memory.store(UInt16(exactly: length >> SegmentFormat.unitShift) ?? 0, at: 6)
        if layout == .digested { writeDigests(at: limit) }
        let block = memory[..<length].bytes
        memory.store(Block.checksum(block, segment: segment, address: address), at: 0)
        used = layout.headerSize
        count = 0
        return block
    }

    private func writeDigests(at offset: Int) {
        guard count > 0 else { return }
        let scale = DigestScale(first: key(0), last: key(count - 1))
        scale.write(to: memory)
        for index in 0..<count { memory.uncheckedStore(scale.digest(of: key(index)), at: offset + 2 * index) }
    }

    @inline(__always)
    private func key(_ index: Int) -> SearchKey {
        let place = places[index]
        return SearchKey(memory.uncheckedSlice(Int(place.offset) &+ Int(place.headSize), Int(place.keyCount)).bytes)
    }
}
