import Foundation

extension ColumnValue {
    /// Converts the value to a column's type: bools and whole numbers to integers, numbers to reals, 0 and 1 to bools,
    /// text that is one JSON value to JSON, text to UUIDs and dates, JSON to text, reals to dates, 16 bytes to UUIDs.
    /// NULL fits every type.
    /// - Throws: ``TableErrorCode/type`` if the value does not fit.
    public func converted(to type: ColumnType) throws(CRUDEncoderError) -> ColumnValue {
        if let value = fitting(type) { return value }
        throw CRUDEncoderError("The value \(self) is no value of type \(type), or out of its range.", code: .type)
    }

    /// As ``converted(to:)``. Returns nil if the value does not fit.
    public func fitting(_ type: ColumnType) -> ColumnValue? {
        switch (self, type) {
        case (.null, _): self
        case (.integer(let value), _) where type.isInteger: ColumnValue.integer(value, in: type)
        case (.unsigned, .uint64): self
        case (.bool(let value), _) where type.isInteger: .integer(value ? 1 : 0)
        case (.real(let value), _) where type.isInteger:
            Int64(exactly: value).flatMap { ColumnValue.integer($0, in: type) }
                ?? (type == .uint64 ? UInt64(exactly: value).map { ColumnValue($0) } : nil)
        case (.bool, .bool), (.date, .date), (.uuid, .uuid), (.text, .string), (.bytes, .bytes), (.json, .json): self
        case (.integer(let value), .bool): value == 0 ? .bool(false) : value == 1 ? .bool(true) : nil
        // Rounds. A finite value must not become infinite.
        case (.real(let value), .float):
            value.isFinite && Float(value).isInfinite ? nil : .real(Double(Float(value)))
        case (.real, .double): self
        case (.integer(let value), .float): .real(Double(Float(value)))
        case (.integer(let value), .double): .real(Double(value))
        case (.unsigned(let value), .float), (.unsigned(let value), .double): .real(Double(value))
        case (.text(let value), .json): JSONGrammar.isValue(value) ? .json(value) : nil
        case (.json(let value), .string): .text(value)
        case (.text(let value), .uuid): UUID(uuidString: value).map(ColumnValue.uuid)
        case (.text(let value), .date): ColumnDate.parse(value).map(ColumnValue.date)
        case (.real(let value), .date): .date(Date(timeIntervalSinceReferenceDate: value))
        case (.bytes(let value), .uuid) where value.count == 16:
            .uuid(
                UUID(
                    uuid: (
                        value[0], value[1], value[2], value[3], value[4], value[5], value[6], value[7], value[8],
                        value[9], value[10], value[11], value[12], value[13], value[14], value[15]
                    )))
        default: nil
        }
    }

    private static func integer(_ value: Int64, in type: ColumnType) -> ColumnValue? {
        let fits =
            switch type {
            case .int8: Int8(exactly: value) != nil
            case .int16: Int16(exactly: value) != nil
            case .int32: Int32(exactly: value) != nil
            case .uint8: UInt8(exactly: value) != nil
            case .uint16: UInt16(exactly: value) != nil
            case .uint32: UInt32(exactly: value) != nil
            case .uint64: value >= 0
            default: true
            }
        return fits ? .integer(value) : nil
    }
}
