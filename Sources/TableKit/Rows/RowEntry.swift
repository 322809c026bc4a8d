/// The position of one property in the rows of one layout. The coders read its twelve bytes for each value.
struct RowEntry {
    /// The raw value of a ``ColumnType``, or one of the kinds below.
    var kind: UInt8
    /// The NULL bit.
    var nullMask: UInt8 = 0
    /// The offset of the byte with the NULL bit.
    var nullByte: UInt32 = 0
    /// The offset of the fixed slot, or the index of the variable column.
    var place: UInt32 = 0

    /// The table lacks the column.
    static let missing: UInt8 = 0
    /// The row is older than the column. A constant value replaces it.
    static let absent: UInt8 = 254
    /// An array that a join fills.
    static let subTable: UInt8 = 255

    init(kind: UInt8) { self.kind = kind }

    init(_ slot: RowSlot) {
        kind = slot.type.rawValue
        nullMask = slot.nullMask
        nullByte = UInt32(slot.nullByte)
        place = UInt32(slot.place)
    }

    init(_ column: ShapeColumn) {
        switch column {
        case .slot(let slot): self.init(slot)
        case .absent: self.init(kind: RowEntry.absent)
        case .missing: self.init(kind: RowEntry.missing)
        }
    }
}

/// The entries of all properties of a type for one layout.
@safe final class RowTable {
    /// The entries by property number: columns, sub-tables, then one `missing` entry for all other keys.
    let entries: UnsafeMutablePointer<RowEntry>
    /// The columns of the shape.
    let columns: [ShapeColumn]
    /// The offset of the end offsets in rows of the layout.
    let endsStart: Int
    /// The number of variable columns of the layout.
    let variableCount: Int
    private let count: Int

    /// - Parameters:
    ///   - columns: the position of each column.
    ///   - subTableCount: the number of array properties that joins fill.
    init(_ columns: [ShapeColumn], subTableCount: Int) {
        self.columns = columns
        count = columns.count + subTableCount + 1
        unsafe entries = .allocate(capacity: count)
        for (number, column) in columns.enumerated() {
            unsafe (entries + number).initialize(to: RowEntry(column))
        }
        for number in columns.count..<count - 1 {
            unsafe (entries + number).initialize(to: RowEntry(kind: RowEntry.subTable))
        }
        unsafe (entries + count - 1).initialize(to: RowEntry(kind: RowEntry.missing))
        let slot = columns.lazy.compactMap { if case .slot(let slot) = $0 { slot } else { nil } }.first
        endsStart = slot?.endsStart ?? RowLayout.headerBytes
        variableCount = slot?.variableCount ?? 0
    }

    /// The table of a type without readable columns.
    convenience init(missing columnCount: Int, subTableCount: Int) {
        self.init([ShapeColumn](repeating: .missing, count: columnCount), subTableCount: subTableCount)
    }

    deinit { unsafe entries.deallocate() }
}
