/// An integer type. Its column has the same width and signedness.
public protocol IntegerColumn: OrderedColumn, DefaultableColumn, FixedWidthInteger {}

extension IntegerColumn {
    /// The column value.
    public var columnValue: ColumnValue {
        Int64(exactly: self).map(ColumnValue.integer) ?? ColumnValue(UInt64(truncatingIfNeeded: self))
    }

    /// Converts an integer, a bool or a whole real. Throws if it is out of the type's range.
    public init(columnValue: ColumnValue) throws {
        guard let value = Self(fitting: columnValue) else { throw Self.misfit(columnValue) }
        self = value
    }

    /// 0.
    public static var emptyColumn: Self { 0 }

    private init?(fitting value: ColumnValue) {
        switch value {
        case .integer(let value): self.init(exactly: value)
        case .unsigned(let value): self.init(exactly: value)
        case .bool(let value): self = value ? 1 : 0
        case .real(let value): self.init(exactly: value)
        default: return nil
        }
    }
}

// Each type names its column. A default in `IntegerColumn` would also hold for callers' types.

extension Int: IntegerColumn {
    /// The type of the column.
    public static var columnType: ColumnType { .int64 }
}

extension Int8: IntegerColumn {
    /// The type of the column.
    public static var columnType: ColumnType { .int8 }
}

extension Int16: IntegerColumn {
    /// The type of the column.
    public static var columnType: ColumnType { .int16 }
}

extension Int32: IntegerColumn {
    /// The type of the column.
    public static var columnType: ColumnType { .int32 }
}

extension Int64: IntegerColumn {
    /// The type of the column.
    public static var columnType: ColumnType { .int64 }
}

extension UInt: IntegerColumn {
    /// The type of the column.
    public static var columnType: ColumnType { .uint64 }
}

extension UInt8: IntegerColumn {
    /// The type of the column.
    public static var columnType: ColumnType { .uint8 }
}

extension UInt16: IntegerColumn {
    /// The type of the column.
    public static var columnType: ColumnType { .uint16 }
}

extension UInt32: IntegerColumn {
    /// The type of the column.
    public static var columnType: ColumnType { .uint32 }
}

extension UInt64: IntegerColumn {
    /// The type of the column.
    public static var columnType: ColumnType { .uint64 }
}

extension Double: OrderedColumn, DefaultableColumn {
    /// The type of the column.
    public static var columnType: ColumnType { .double }
    /// The empty value.
    public static var emptyColumn: Double { 0 }
    /// The column value.
    public var columnValue: ColumnValue { .real(self) }

    /// Converts a column value. Throws if it does not fit the type.
    public init(columnValue: ColumnValue) throws {
        guard case .real(let value)? = columnValue.fitting(.double) else { throw Double.misfit(columnValue) }
        self = value
    }
}

extension Float: OrderedColumn, DefaultableColumn {
    /// The type of the column.
    public static var columnType: ColumnType { .float }
    /// The empty value.
    public static var emptyColumn: Float { 0 }
    /// The column value.
    public var columnValue: ColumnValue { .real(Double(self)) }

    /// Converts a column value, rounding. Throws if it does not fit the type, as a finite value above the greatest `Float`.
    public init(columnValue: ColumnValue) throws {
        guard case .real(let value)? = columnValue.fitting(.float) else { throw Float.misfit(columnValue) }
        self = Float(value)
    }
}

extension Bool: OrderedColumn, DefaultableColumn {
    /// The type of the column.
    public static var columnType: ColumnType { .bool }
    /// The empty value.
    public static var emptyColumn: Bool { false }
    /// The column value.
    public var columnValue: ColumnValue { .bool(self) }

    /// Converts a column value. Throws if it does not fit the type.
    public init(columnValue: ColumnValue) throws {
        guard case .bool(let value)? = columnValue.fitting(.bool) else { throw Bool.misfit(columnValue) }
        self = value
    }
}
