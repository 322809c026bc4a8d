import TableKit

/// Encodes the order terms of rows, so that bytes sort in the requested order. Callers append the row's key.
final class SortKey {
    private let terms: [OrderTerm]
    private let shape: RowShape
    /// The types of the structure's columns in the table.
    private let types: [ColumnType]
    /// The positions of the terms' columns in the last layout.
    private var columns: [ShapeColumn] = []
    private var layout: UInt16?

    init(_ terms: [OrderTerm], of table: TableAccess) {
        self.terms = terms
        shape = table.shape
        types = table.types
    }

    /// Replaces `key` by the encoded terms.
    /// - Parameter count: the number of leading terms; nil: all.
    func make(_ key: inout [UInt8], of row: RawSpan, terms count: Int? = nil) throws {
        key.removeAll(keepingCapacity: true)
        try append(to: &key, row, 0..<(count ?? terms.count))
    }

    /// Appends all encoded terms.
    @inline(__always)
    func append(to key: inout [UInt8], of row: RawSpan) throws {
        if !terms.isEmpty { try append(to: &key, row, 0..<terms.count) }
    }

    /// Appends a range of the encoded terms.
    func append(to key: inout [UInt8], _ row: RawSpan, _ range: Range<Int>) throws {
        try unsafe row.withUnsafeBytes { bytes in
            guard bytes.count >= RowLayout.headerBytes else { throw RowSlot.damaged(shape) }
            let number = unsafe UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
            if number != layout { try choose(number) }
            for place in range {
                let start = key.count
                try unsafe append(columns[place], terms[place].column, of: bytes, to: &key)
                if terms[place].isDescending { for index in start..<key.count { key[index] = ~key[index] } }
            }
        }
    }

    private func choose(_ number: UInt16) throws {
        let all = try shape.columns(inLayout: number)
        columns = terms.map { all[$0.column] }
        layout = number
    }

    private func append(
        _ column: ShapeColumn, _ number: Int, of row: UnsafeRawBufferPointer, to key: inout [UInt8]
    ) throws {
        switch column {
        case .slot(let slot):
            guard row.count >= slot.endsStart, let base = row.baseAddress else { throw RowSlot.damaged(shape) }
            if unsafe base.load(fromByteOffset: slot.nullByte, as: UInt8.self) & slot.nullMask != 0 {
                return key.append(0)
            }
            key.append(1)
            if ScalarOrder.covers(slot.type) {
                unsafe key.append(scalar: ScalarOrder.load(slot.type, base + slot.place))
            } else if slot.isFixed {
                unsafe key += UnsafeRawBufferPointer(start: base + slot.place, count: 16)
            } else {
                guard let bytes = unsafe RowBytes.variable(slot, in: row) else { throw RowSlot.damaged(shape) }
                unsafe key.append(escaped: bytes)
            }
        case .absent(let value):
            if value.isNull { return key.append(0) }
            key.append(1)
            append(value, types[number], to: &key)
        case .missing: throw CRUDSQLGenError.missingColumn(shape.structure.name)
        }
    }

    /// Appends the constant value of a column that is newer than the row.
    /// - Parameter type: the type in the table, as of the slots of newer rows.
    private func append(_ value: ColumnValue, _ type: ColumnType, to key: inout [UInt8]) {
        if let number = ScalarOrder.number(value, type) {
            key.append(scalar: number)
        } else if case .uuid = value {
            key += value.comparableBytes
        } else {
            unsafe value.comparableBytes.withUnsafeBytes { unsafe key.append(escaped: $0) }
        }
    }
}

extension [UInt8] {
    /// Appends a number in an order-preserving encoding.
    @inline(__always)
    fileprivate mutating func append(scalar number: Int64) {
        let bits = (UInt64(bitPattern: number) ^ 1 << 63).bigEndian
        unsafe Swift.withUnsafeBytes(of: bits) { unsafe append(contentsOf: $0) }
    }

    /// Appends escaped bytes with a terminator, so that a prefix sorts first.
    fileprivate mutating func append(escaped bytes: UnsafeRawBufferPointer) {
        if unsafe !bytes.contains(0) {
            unsafe append(contentsOf: bytes)
        } else {
            for place in 0..<bytes.count {
                let byte = unsafe bytes[place]
                append(byte)
                if byte == 0 { append(0xFF) }
            }
        }
        append(0)
        append(0)
    }
}

extension RowSlot {
    /// The error for a row that is too short.
    static func damaged(_ shape: RowShape) -> CRUDDecoderError {
        CRUDDecoderError("A row is shorter than its layout says.", code: .corrupt, table: shape.structure.name)
    }
}
