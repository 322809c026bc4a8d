/// Assembles one block after the other in one piece of memory.
struct BlockBuilder: ~Copyable {
    /// Bytes that a block is meant to have.
    private let target: Int
    private var memory: UnsafeMutableRawPointer
    private var capacity: Int
    /// Offsets of the records; they move to the end of the block when that is known.
    private let slots: UnsafeMutablePointer<UInt16>
    /// Bytes of header and records.
    private var used = Block.headerSize
    private(set) var count = 0

    /// The smallest record takes 4 bytes and its slot 2.
    private static func slotCapacity(_ target: Int) -> Int { target / 6 + 2 }

    init(target: Int) {
        self.target = target
        capacity = 2 * target
        memory = .allocate(byteCount: capacity, alignment: SegmentFormat.unit)
        slots = .allocate(capacity: Self.slotCapacity(target))
    }

    deinit {
        memory.deallocate()
        slots.deallocate()
    }

    var isEmpty: Bool { count == 0 }

    /// Offset of the next record, if the block takes it.
    var nextOffset: Int { used }

    /// Bytes that the block would have if it were finished now.
    var length: Int { SegmentFormat.roundUp(used + 2 * count) }

    /// Whether the block should be finished before a record of `size` bytes is added.
    ///
    /// A block under half of the target takes one more record, however long: so no two blocks begin in the same
    /// window of half a target, which lets readers find a record's block by its address alone.
    @inline(__always)
    func shouldFinish(before size: Int) -> Bool {
        let current = used &+ 2 &* count
        return current &+ size &+ 2 > target && current >= target / 2
    }

    /// Adds a record of `size` bytes (``BlockRecord/size(_:)``).
    @inline(__always)
    mutating func append(_ record: Record, size: Int, isOlder: Bool) {
        if used &+ size > capacity { grow(to: used + size) }
        slots[count] = UInt16(truncatingIfNeeded: used)
        BlockRecord.write(record, isOlder: isOlder, to: memory + used)
        used &+= size
        count &+= 1
    }

    @inline(never)
    private mutating func grow(to size: Int) {
        let larger = UnsafeMutableRawPointer.allocate(byteCount: 2 * size, alignment: SegmentFormat.unit)
        larger.copyMemory(from: memory, byteCount: used)
        memory.deallocate()
        memory = larger
        capacity = 2 * size
    }

    /// Completes the block with slots, padding and header, and begins the next one.
    /// - Returns: the block, valid until the next record is added.
    mutating func finish(segment: UInt64, address: Int) -> Bytes {
        let length = self.length
        if length > capacity { grow(to: length) }
        let slotStart = length - 2 * count
        (memory + used).initializeMemory(as: UInt8.self, repeating: 0, count: slotStart - used)
        for index in 0..<count { memory.store(slots[index], at: length - 2 - 2 * index) }
        memory.store(UInt16(truncatingIfNeeded: count), at: 4)
        memory.store(UInt16(exactly: length >> SegmentFormat.unitShift) ?? 0, at: 6)
        let block = UnsafeRawBufferPointer(start: memory, count: length)
        memory.store(Block.checksum(block, segment: segment, address: address), at: 0)
        used = Block.headerSize
        count = 0
        return block
    }
}
