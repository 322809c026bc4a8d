/// Where the columns of a row stand in its bytes.
///
/// A row is
///
/// | bytes | content |
/// |---|---|
/// | 1 | format, 1 |
/// | 1 | flags: bit 0 is set where ends have 4 bytes, else they have 2 |
/// | 2 | number of the layout, little-endian |
/// | ⌈n/8⌉ | one bit for each column, set where it is NULL |
/// | … | the fixed slots, in the order of columns: integers and floats little-endian, UUIDs as they are, no padding |
/// | 2 or 4 for each | the ends of the variable columns, counted from the first byte of the first of them, little-endian |
/// | … | the bytes of the variable columns |
///
/// Slots have a constant place whether or not columns are NULL, so one column is read without looking at the others. A NULL
/// has zeros in its slot, or no bytes.
public final class RowLayout: Sendable {
    /// The number that rows carry.
    public let number: UInt16
    /// Where each column is.
    public let slots: [RowSlot]
    /// The offset of the first fixed slot.
    public let fixedStart: Int
    /// The offset of the ends: what stands before has the same length in all rows.
    public let endsStart: Int
    /// How many variable columns there are.
    public let variableCount: Int

    /// The bytes before the bitmap of NULLs.
    public static let headerBytes = 4
    /// The first byte of a row.
    public static let format: UInt8 = 1
    /// The flag of a row whose ends have 4 bytes.
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

    /// Whether rows of the other layout have the same bytes but for the number.
    public func hasSameSlots(as other: RowLayout) -> Bool { slots == other.slots }
}

/// Where one column stands in the rows of one layout.
public struct RowSlot: Sendable, Hashable {
    /// The type of the column.
    public let type: ColumnType
    /// Whether the column has a fixed slot.
    public let isFixed: Bool
    /// The offset of the fixed slot from the row's first byte, or the number of the variable column.
    public let place: Int
    /// The offset of the byte with the column's NULL bit.
    public let nullByte: Int
    /// The NULL bit.
    public let nullMask: UInt8
    /// The offset of the ends in the rows of the layout.
    public let endsStart: Int
    /// The number of variable columns of the layout.
    public let variableCount: Int
}
