/// The byte layout of rows.
///
/// A row is
///
/// | bytes | content |
/// |---|---|
/// | 1 | format, 1 |
/// | 1 | flags: bit 0 is set if end offsets have 4 bytes, else they have 2 |
/// | 2 | number of the layout, little-endian |
/// | ⌈n/8⌉ | one bit for each column, set if it is NULL |
/// | … | the fixed slots, in column order: integers and floats little-endian, UUIDs as they are, no padding |
/// | 2 or 4 for each | the end offsets of the variable columns, from the start of the first one, little-endian |
/// | … | the bytes of the variable columns |
///
/// Slots keep their offset if columns are NULL: one column can be read without the others. A NULL is zeros or nothing.
public final class RowLayout: Sendable {
    /// The number in the header of rows.
    public let number: UInt16
    /// The position of each column.
    public let slots: [RowSlot]
    /// The offset of the first fixed slot.
    public let fixedStart: Int
    /// The offset of the end offsets. The part before has the same length in all rows.
    public let endsStart: Int
    /// The number of variable columns.
    public let variableCount: Int

    /// The number of bytes before the NULL bitmap.
    public static let headerBytes = 4
    /// The first byte of a row.
    public static let format: UInt8 = 1
    /// The flag of a row with end offsets of 4 bytes.
    public static let wideEnds: UInt8 = 1

    /// The layout of columns of these types.
    public init(number: UInt16, types: [ColumnType]) {
        self.number = number
        fixedStart = RowLayout.headerBytes + (types.count + 7) / 8
        endsStart = fixedStart + types.reduce(0) { $0 + ($1.fixedWidth ?? 0) }
        variableCount = types.count { $0.fixedWidth == nil }
        var slots: [RowSlot] = []
        slots.reserveCapacity(types.count)
        var offset = fixedStart
        var variable = 0
        for (column, type) in types.enumerated() {
            let width = type.fixedWidth
            slots.append(
                RowSlot(
                    type: type, isFixed: width != nil, place: width == nil ? variable : offset,
                    nullByte: RowLayout.headerBytes + column / 8, nullMask: 1 << UInt8(column % 8),
                    endsStart: endsStart, variableCount: variableCount))
            if let width { offset += width } else { variable += 1 }
        }
        self.slots = slots
    }

    /// The part before the end offsets of a row in which all columns are NULL.
    var blank: [UInt8] {
        var blank = header
        for slot in slots { blank[slot.nullByte] |= slot.nullMask }
        return blank
    }

    /// The part before the end offsets of a row in which no column is NULL and all fixed slots are zero.
    var header: [UInt8] {
        var header = [UInt8](repeating: 0, count: endsStart)
        header[0] = RowLayout.format
        header[2] = UInt8(truncatingIfNeeded: number)
        header[3] = UInt8(truncatingIfNeeded: number >> 8)
        return header
    }

    /// True if rows of the two layouts differ only by the number.
    public func hasSameSlots(as other: RowLayout) -> Bool { slots == other.slots }
}

/// The position of one column in the rows of one layout.
public struct RowSlot: Sendable, Hashable {
    /// The type of the column.
    public let type: ColumnType
    /// True if the column has a fixed slot.
    public let isFixed: Bool
    /// The offset of the fixed slot in the row, or the index of the variable column.
    public let place: Int
    /// The offset of the byte with the column's NULL bit.
    public let nullByte: Int
    /// The NULL bit.
    public let nullMask: UInt8
    /// The offset of the end offsets in rows of the layout.
    public let endsStart: Int
    /// The number of variable columns of the layout.
    public let variableCount: Int
}
