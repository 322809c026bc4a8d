import Foundation

extension RowSlot {
    /// True if the column is NULL in a row.
    /// - Throws: ``TableErrorCode/corrupt`` if the row is too short, as do all functions here.
    public func isNull(in row: RawSpan) throws(CRUDDecoderError) -> Bool {
        guard nullByte < row.byteCount else { throw RowSlot.shortRow }
        return unsafe row.unsafeLoad(fromByteOffset: nullByte, as: UInt8.self) & nullMask != 0
    }

    /// The raw bits of a fixed slot.
    /// - Parameters:
    ///   - row: the row.
    ///   - type: a type of the slot's width.
    public func fixed<T: BitwiseCopyable>(in row: RawSpan, as type: T.Type) throws(CRUDDecoderError) -> T {
        guard isFixed, place + MemoryLayout<T>.size <= row.byteCount else { throw RowSlot.shortRow }
        return unsafe row.unsafeLoadUnaligned(fromByteOffset: place, as: T.self)
    }

    /// The byte range of a variable column in a row.
    public func range(in row: RawSpan) throws(CRUDDecoderError) -> Range<Int> {
        guard !isFixed, row.byteCount >= endsStart, row.byteCount >= RowLayout.headerBytes else {
            throw RowSlot.shortRow
        }
        let isWide = unsafe row.unsafeLoad(fromByteOffset: 1, as: UInt8.self) & RowLayout.wideEnds != 0
        let width = isWide ? 4 : 2
        let start = endsStart + variableCount * width
        guard start <= row.byteCount else { throw RowSlot.shortRow }
        func end(_ number: Int) -> Int {
            if number < 0 { return 0 }
            let offset = endsStart + number * width
            return isWide
                ? Int(UInt32(littleEndian: unsafe row.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)))
                : Int(UInt16(littleEndian: unsafe row.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self)))
        }
        let lower = end(place - 1), upper = end(place)
        guard lower <= upper, start + upper <= row.byteCount else { throw RowSlot.shortRow }
        return start + lower..<start + upper
    }

    /// The column's value if it fits `Int64`; nil for NULL and for other types.
    public func integer(in row: RawSpan) throws(CRUDDecoderError) -> Int64? {
        if type == .int64 {
            return try isNull(in: row) ? nil : Int64(littleEndian: try fixed(in: row, as: Int64.self))
        }
        if case .integer(let value) = try value(in: row) { return value }
        return nil
    }

    /// The column's value.
    public func value(in row: RawSpan) throws(CRUDDecoderError) -> ColumnValue {
        if try isNull(in: row) { return .null }
        switch type {
        case .bool: return .bool(try fixed(in: row, as: UInt8.self) != 0)
        case .int8: return .integer(Int64(try fixed(in: row, as: Int8.self)))
        case .int16: return .integer(Int64(Int16(littleEndian: try fixed(in: row, as: Int16.self))))
        case .int32: return .integer(Int64(Int32(littleEndian: try fixed(in: row, as: Int32.self))))
        case .int64: return .integer(Int64(littleEndian: try fixed(in: row, as: Int64.self)))
        case .uint8: return .integer(Int64(try fixed(in: row, as: UInt8.self)))
        case .uint16: return .integer(Int64(UInt16(littleEndian: try fixed(in: row, as: UInt16.self))))
        case .uint32: return .integer(Int64(UInt32(littleEndian: try fixed(in: row, as: UInt32.self))))
        case .uint64: return ColumnValue(UInt64(littleEndian: try fixed(in: row, as: UInt64.self)))
        case .float:
            return .real(Double(Float(bitPattern: UInt32(littleEndian: try fixed(in: row, as: UInt32.self)))))
        case .double: return .real(Double(bitPattern: UInt64(littleEndian: try fixed(in: row, as: UInt64.self))))
        case .date:
            let seconds = Double(bitPattern: UInt64(littleEndian: try fixed(in: row, as: UInt64.self)))
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case .uuid: return .uuid(UUID(uuid: try fixed(in: row, as: uuid_t.self)))
        case .string: return .text(try text(in: row))
        case .json: return .json(try text(in: row))
        case .bytes:
            let part = row.extracting(try range(in: row))
            return .bytes(unsafe part.withUnsafeBytes { unsafe Array($0) })
        }
    }

    private func text(in row: RawSpan) throws(CRUDDecoderError) -> String {
        let part = row.extracting(try range(in: row))
        return unsafe part.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }

    static var shortRow: CRUDDecoderError {
        CRUDDecoderError("The row is shorter than its layout says.", code: .corrupt)
    }
}
