import Foundation

extension RowBuffer {
    /// Appends a row of these values. A general, slow form for SQL, migrations and changes of single columns.
    /// - Parameters:
    ///   - values: one for each column of the layout, convertible to its type (``ColumnValue/converted(to:)``).
    ///   - layout: the layout of the row.
    /// - Throws: ``TableErrorCode/type`` if a value does not fit. The buffer is then unchanged.
    public mutating func append(_ values: [ColumnValue], layout: RowLayout) throws(CRUDEncoderError) {
        var row = layout.header
        var variable: [UInt8] = []
        var variableEnds: [Int] = []
        for (slot, value) in zip(layout.slots, values) {
            let value = try value.converted(to: slot.type)
            if value.isNull { row[slot.nullByte] |= slot.nullMask }
            if slot.isFixed {
                row.replaceSubrange(
                    slot.place..<slot.place + (slot.type.fixedWidth ?? 0), with: value.slotBytes(slot.type))
            } else {
                variable += value.slotBytes(slot.type)
                variableEnds.append(variable.count)
            }
        }
        RowLayout.complete(&row, variable, ends: variableEnds)
        bytes += row
        ends.append(bytes.count)
    }
}

extension RowLayout {
    /// Appends the end offsets and the bytes of the variable columns to the fixed part of a row.
    package static func complete(_ row: inout [UInt8], _ variable: [UInt8], ends: [Int]) {
        let isWide = variable.count > Int(UInt16.max)
        if isWide { row[1] = wideEnds }
        for end in ends {
            for shift in stride(from: 0, to: isWide ? 32 : 16, by: 8) {
                row.append(UInt8(truncatingIfNeeded: end >> shift))
            }
        }
        row += variable
    }
}

extension ColumnValue {
    /// The bytes of the value in a row of a column's type. The value must be of the type's own case.
    package func slotBytes(_ type: ColumnType) -> [UInt8] {
        func littleEndian(_ bits: UInt64) -> [UInt8] {
            (0..<(type.fixedWidth ?? 0)).map { UInt8(truncatingIfNeeded: bits >> (8 * UInt64($0))) }
        }
        switch self {
        case .null: return [UInt8](repeating: 0, count: type.fixedWidth ?? 0)
        case .bool(let value): return [value ? 1 : 0]
        case .integer(let value): return littleEndian(UInt64(bitPattern: value))
        case .unsigned(let value): return littleEndian(value)
        case .real(let value):
            return littleEndian(type == .float ? UInt64(Float(value).bitPattern) : value.bitPattern)
        case .date(let value): return littleEndian(value.timeIntervalSinceReferenceDate.bitPattern)
        case .uuid(let value): return unsafe withUnsafeBytes(of: value.uuid) { unsafe Array($0) }
        case .text(let value), .json(let value): return Array(value.utf8)
        case .bytes(let value): return value
        }
    }
}
