import Foundation

/// A growing buffer for a message.
///
/// An array in a class lost to raw memory: checks of exclusivity, uniqueness and bounds for every byte took a third of
/// the encoder's time.
@safe final class CompactOutput {
    /// A container that accepts writes until the message ends; its bytes belong at `position`.
    struct Insertion {
        let position: Int
        let node: CompactEncodingNode
    }

    /// A state to rewind to.
    struct Mark {
        let count: Int
        let insertions: Int
    }

    private var base: UnsafeMutableRawPointer
    private var capacity: Int
    private(set) var count = 0
    private(set) var insertions: [Insertion] = []

    init(capacity: Int) {
        self.capacity = capacity
        unsafe base = .allocate(byteCount: capacity, alignment: 8)
    }

    deinit { unsafe base.deallocate() }

    var mark: Mark { Mark(count: count, insertions: insertions.count) }

    /// Discards everything written since a mark.
    func rewind(to mark: Mark) {
        count = mark.count
        insertions.removeLast(insertions.count - mark.insertions)
    }

    /// Records that a container's bytes belong here.
    func insert(_ node: CompactEncodingNode) {
        insertions.append(Insertion(position: count, node: node))
    }

    @inline(__always)
    func write(byte: UInt8) {
        if count == capacity { grow(by: 1) }
        unsafe base.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count &+= 1
    }

    /// Writes an integer in little-endian order.
    @inline(__always)
    func write<T: FixedWidthInteger & BitwiseCopyable>(integer: T) {
        let size = MemoryLayout<T>.size
        if capacity &- count < size { grow(by: size) }
        unsafe base.storeBytes(of: integer.littleEndian, toByteOffset: count, as: T.self)
        count &+= size
    }

    @inline(__always)
    func write(varint: UInt64) {
        var rest = varint
        while rest >= 0x80 {
            write(byte: UInt8(truncatingIfNeeded: rest) | 0x80)
            rest &>>= 7
        }
        write(byte: UInt8(truncatingIfNeeded: rest))
    }

    @inline(__always)
    func write(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        if capacity &- count < bytes.count { grow(by: bytes.count) }
        unsafe (base + count).copyMemory(from: source, byteCount: bytes.count)
        count &+= bytes.count
    }

    /// Whether the bytes at `offset` equal the given ones. The caller has checked the length.
    @inline(__always)
    func holds(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        guard let other = bytes.baseAddress else { return true }
        return unsafe memcmp(base + offset, other, bytes.count) == 0
    }

    /// Overwrites one byte.
    func replace(at offset: Int, with byte: UInt8) {
        precondition(offset < count)
        unsafe base.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
    }

    /// Copies the bytes, with those of inserted containers in their places.
    func write(to target: CompactOutput) {
        var start = 0
        for insertion in insertions {
            unsafe target.write(UnsafeRawBufferPointer(start: base + start, count: insertion.position - start))
            insertion.node.finish()
            insertion.node.output.write(to: target)
            start = insertion.position
        }
        unsafe target.write(UnsafeRawBufferPointer(start: base + start, count: count - start))
    }

    /// This output, or a copy with the bytes of inserted containers.
    var assembled: CompactOutput {
        guard !insertions.isEmpty else { return self }
        let whole = CompactOutput(capacity: 2 * count)
        write(to: whole)
        return whole
    }

    /// Written bytes, valid until the next write.
    func bytes(at offset: Int, count: Int) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: base + offset, count: count)
    }

    /// Copies the bytes into memory at `offset`, which must have enough room.
    func copy(to target: UnsafeMutableRawBufferPointer, at offset: Int) {
        unsafe UnsafeMutableRawBufferPointer(rebasing: target[offset...]).copyMemory(from: bytes(at: 0, count: count))
    }

    @inline(never)
    private func grow(by size: Int) {
        capacity = max(capacity * 2, count + size)
        let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
        unsafe larger.copyMemory(from: base, byteCount: count)
        unsafe base.deallocate()
        unsafe base = larger
    }
}
