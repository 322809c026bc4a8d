package import TableKit

/// The rows of an insert in the form in which they were encoded. Each column has the type of the server's column, so
/// connections copy the bytes of a cell without a value between.
package struct PackedRows: Sendable {
    package let rows: RowBuffer
    /// The place of each given column.
    package let slots: [RowSlot]

    package init(_ rows: RowBuffer, slots: [RowSlot]) {
        self.rows = rows
        self.slots = slots
    }

    package var count: Int { rows.count }

    /// The place of some rows in the bytes of ``rows``.
    package func bytes(of range: Range<Int>) -> Range<Int> {
        func end(_ row: Int) -> Int { row == 0 ? 0 : rows.ends[row - 1] }
        return end(range.lowerBound)..<end(range.upperBound)
    }

    /// A cell, as it is in the row: fixed columns are little-endian. Nil for NULL.
    /// - Parameter bytes: those of ``rows``.
    package func cell(_ row: Int, _ column: Int, in bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        let slot = slots[column]
        let start = row == 0 ? 0 : rows.ends[row - 1]
        let count = rows.ends[row] - start
        guard slot.endsStart <= count, count <= bytes.count - start else { return nil }
        let row = unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<start + count])
        if unsafe row[slot.nullByte] & slot.nullMask != 0 { return nil }
        if slot.isFixed {
            return unsafe UnsafeRawBufferPointer(
                rebasing: row[slot.place..<slot.place + (slot.type.fixedWidth ?? 0)])
        }
        do { return unsafe UnsafeRawBufferPointer(rebasing: row[try slot.range(in: row.bytes)]) } catch { return nil }
    }

    /// Whether a condition holds for every cell of a column that is not NULL.
    func areAll(_ column: Int, _ condition: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        unsafe rows.bytes.withUnsafeBytes { bytes in
            for row in 0..<count {
                if let cell = unsafe self.cell(row, column, in: bytes), unsafe !condition(cell) { return false }
            }
            return true
        }
    }

    /// Whether no text holds a null character.
    var areTextsWithoutNull: Bool {
        slots.indices.allSatisfy { column in
            switch slots[column].type {
            case .string, .json: unsafe areAll(column) { unsafe !$0.contains(0) }
            default: true
            }
        }
    }

    /// Whether all numbers are finite.
    var areFinite: Bool {
        slots.indices.allSatisfy { column in
            switch slots[column].type {
            case .float:
                unsafe areAll(column) {
                    unsafe Float(bitPattern: $0.loadUnaligned(as: UInt32.self).littleEndian).isFinite
                }
            case .double, .date:
                unsafe areAll(column) {
                    unsafe Double(bitPattern: $0.loadUnaligned(as: UInt64.self).littleEndian).isFinite
                }
            default: true
            }
        }
    }

    /// The integers of a column: the greatest and the last. Nil if one is NULL or not below 2^63.
    func numbers(_ column: Int) -> (greatest: Int64, last: Int64)? {
        unsafe rows.bytes.withUnsafeBytes { bytes in
            var greatest = Int64.min
            var last: Int64 = 0
            for row in 0..<count {
                guard let cell = unsafe self.cell(row, column, in: bytes),
                    let number = unsafe Self.integer(cell, slots[column].type)
                else { return nil }
                last = number
                greatest = max(greatest, number)
            }
            return count == 0 ? nil : (greatest, last)
        }
    }

    /// The integer of a cell; nil if it is not below 2^63.
    package static func integer(_ cell: UnsafeRawBufferPointer, _ type: ColumnType) -> Int64? {
        switch type {
        case .int64: unsafe Int64(littleEndian: cell.loadUnaligned(as: Int64.self))
        case .int32: Int64(unsafe Int32(littleEndian: cell.loadUnaligned(as: Int32.self)))
        case .int16: Int64(unsafe Int16(littleEndian: cell.loadUnaligned(as: Int16.self)))
        case .int8: Int64(unsafe cell.loadUnaligned(as: Int8.self))
        case .uint64: Int64(exactly: unsafe UInt64(littleEndian: cell.loadUnaligned(as: UInt64.self)))
        case .uint32: Int64(unsafe UInt32(littleEndian: cell.loadUnaligned(as: UInt32.self)))
        case .uint16: Int64(unsafe UInt16(littleEndian: cell.loadUnaligned(as: UInt16.self)))
        case .uint8: Int64(unsafe cell.loadUnaligned(as: UInt8.self))
        default: nil
        }
    }
}
