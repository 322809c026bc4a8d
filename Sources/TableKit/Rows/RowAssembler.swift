/// Builds rows of one layout from cells, in the order of the columns, without a value for each cell. Used by one thread
/// at a time; the memory serves row after row.
@safe package final class RowAssembler {
    /// The part before the end offsets of a row in which all columns are NULL.
    private let blank: [UInt8]
    private let partCount: Int
    private var memory: UnsafeMutableRawPointer
    private var capacity: Int
    /// The offset of the variable columns' bytes: behind end offsets of two bytes.
    private let variableStart: Int
    private var variableCount = 0
    /// The end of each variable column up to the last one set, relative to ``variableStart``.
    private let ends: UnsafeMutablePointer<Int>
    private var nextPart = 0

    package init(_ layout: RowLayout) {
        blank = layout.blank
        partCount = layout.variableCount
        variableStart = blank.count + 2 * partCount
        // Two more bytes for each end offset: a wide row moves its columns.
        capacity = variableStart + 2 * partCount + 256
        unsafe memory = .allocate(byteCount: capacity, alignment: 8)
        unsafe ends = .allocate(capacity: partCount)
        unsafe ends.initialize(repeating: 0, count: partCount)
    }

    deinit {
        unsafe memory.deallocate()
        unsafe ends.deallocate()
    }

    /// Begins a row in which all columns are NULL.
    package func begin() {
        unsafe blank.withUnsafeBytes { blank in
            if let source = blank.baseAddress { unsafe memory.copyMemory(from: source, byteCount: blank.count) }
        }
        variableCount = 0
        nextPart = 0
    }

    /// Sets a fixed column of eight bytes, little-endian. Not generic: calls from other modules would not be specialized.
    package func setFixed(_ slot: RowSlot, _ value: UInt64) {
        precondition(slot.isFixed && slot.place + 8 <= blank.count)
        unsafe memory.storeBytes(of: value.littleEndian, toByteOffset: slot.place, as: UInt64.self)
        clearNull(slot)
    }

    /// Sets a fixed column of four bytes, little-endian.
    package func setFixed(_ slot: RowSlot, _ value: UInt32) {
        precondition(slot.isFixed && slot.place + 4 <= blank.count)
        unsafe memory.storeBytes(of: value.littleEndian, toByteOffset: slot.place, as: UInt32.self)
        clearNull(slot)
    }

    /// Sets a variable column, which must follow the one set last.
    package func setBytes(_ slot: RowSlot, _ value: UnsafeRawBufferPointer) {
        precondition(!slot.isFixed && slot.place >= nextPart && slot.place < partCount)
        for part in nextPart..<slot.place { unsafe ends[part] = variableCount }
        let room = variableStart + 2 * partCount + variableCount + value.count
        if room > capacity { grow(room) }
        if let source = value.baseAddress {
            unsafe (memory + variableStart + variableCount).copyMemory(from: source, byteCount: value.count)
        }
        variableCount += value.count
        unsafe ends[slot.place] = variableCount
        nextPart = slot.place + 1
        clearNull(slot)
    }

    /// Sets a column to a value of any type. The slow form.
    /// - Throws: ``TableErrorCode/type`` if the value does not fit.
    package func set(_ slot: RowSlot, _ value: ColumnValue) throws(CRUDEncoderError) {
        let value = try value.converted(to: slot.type)
        if value.isNull { return }
        let bytes = value.slotBytes(slot.type)
        unsafe bytes.withUnsafeBytes { source in
            guard slot.isFixed else { return unsafe setBytes(slot, source) }
            precondition(slot.place + source.count <= blank.count)
            if let start = source.baseAddress {
                unsafe (memory + slot.place).copyMemory(from: start, byteCount: source.count)
            }
            clearNull(slot)
        }
    }

    /// Completes the row and passes it to a closure.
    package func withRow(_ body: (RawSpan) throws -> Void) throws {
        for part in nextPart..<partCount { unsafe ends[part] = variableCount }
        nextPart = partCount
        var count = variableStart + variableCount
        if variableCount > Int(UInt16.max) {
            count += 2 * partCount
            unsafe (memory + variableStart + 2 * partCount).copyMemory(
                from: memory + variableStart, byteCount: variableCount)
            unsafe memory.storeBytes(of: RowLayout.wideEnds, toByteOffset: 1, as: UInt8.self)
            for part in 0..<partCount {
                unsafe memory.storeBytes(
                    of: UInt32(truncatingIfNeeded: ends[part]).littleEndian, toByteOffset: blank.count + 4 * part,
                    as: UInt32.self)
            }
        } else {
            for part in 0..<partCount {
                unsafe memory.storeBytes(
                    of: UInt16(truncatingIfNeeded: ends[part]).littleEndian, toByteOffset: blank.count + 2 * part,
                    as: UInt16.self)
            }
        }
        let bytes = unsafe UnsafeRawBufferPointer(start: memory, count: count)
        try unsafe body(bytes.bytes)
    }

    private func clearNull(_ slot: RowSlot) {
        let byte = unsafe memory.load(fromByteOffset: slot.nullByte, as: UInt8.self)
        unsafe memory.storeBytes(of: byte & ~slot.nullMask, toByteOffset: slot.nullByte, as: UInt8.self)
    }

    @inline(never)
    private func grow(_ room: Int) {
        let larger = UnsafeMutableRawPointer.allocate(byteCount: max(2 * capacity, room), alignment: 8)
        unsafe larger.copyMemory(from: memory, byteCount: variableStart + variableCount)
        unsafe memory.deallocate()
        unsafe memory = larger
        capacity = max(2 * capacity, room)
    }
}
