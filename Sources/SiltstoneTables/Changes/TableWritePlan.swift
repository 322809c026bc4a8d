import TableKit

/// The layout, keys and foreign keys that writes to a table need. Created once for each version of the catalogue.
final class TableWritePlan: Sendable {
    /// A column of the table that refers to another table's key.
    struct OutgoingReference: Sendable {
        let column: Int
        let slot: RowSlot
        let table: String
        /// The referenced table. Nil: it does not exist.
        let parent: TableDescription?
        /// The type of the referenced key. Nil if that key has not exactly one column.
        let keyType: ColumnType?
        /// True if the column's values have the same key encoding as the parent's key.
        let hasSameEncoding: Bool
    }

    /// A column of any table that refers to this one's key.
    struct IncomingReference: Sendable {
        let table: TableDescription
        let column: Int
        let onDelete: ForeignKeyAction
        let onUpdate: ForeignKeyAction
    }

    let table: TableDescription
    /// The layout of all new rows.
    let layout: RowLayout
    /// The slots of the key's columns in ``layout``.
    let keySlots: [RowSlot]
    /// The NOT NULL columns as masks, by byte of the NULL bitmap.
    let notNull: [(byte: Int, mask: UInt8)]
    /// For each layout, the positions of the table's columns.
    let shape: [[ShapeColumn]]
    let outgoing: [OutgoingReference]
    let incoming: [IncomingReference]

    init(_ table: TableDescription, in catalogue: Catalogue) {
        self.table = table
        let layout = table.newestLayout
        self.layout = layout
        keySlots = table.primaryKey.map { layout.slots[$0] }
        var masks: [Int: UInt8] = [:]
        for (column, slot) in zip(table.columns, layout.slots) where !column.column.isOptional {
            masks[slot.nullByte, default: 0] |= slot.nullMask
        }
        notNull = masks.sorted { $0.key < $1.key }.map { (byte: $0.key, mask: $0.value) }
        shape = table.shapeColumns(table.columns.indices.map(Optional.some))
        outgoing = table.columns.indices.compactMap { column in
            guard let reference = table.columns[column].column.foreignKey else { return nil }
            let parent = catalogue.tables[reference.table]
            let type = parent?.keyType
            return OutgoingReference(
                column: column, slot: layout.slots[column], table: reference.table, parent: parent, keyType: type,
                hasSameEncoding: type.map { layout.slots[column].type.hasSameKeyEncoding(as: $0) } ?? false)
        }
        incoming = catalogue.references(to: table.name).map { child, column in
            let reference = child.columns[column].column.foreignKey
            return IncomingReference(
                table: child, column: column, onDelete: reference?.onDelete ?? .ignore,
                onUpdate: reference?.onUpdate ?? .ignore)
        }
    }

    /// The positions of the table's columns in a row.
    /// - Throws: `TableErrorCode.corrupt` if the row's layout is unknown.
    @inline(__always)
    func columns(of row: RawSpan) throws(CRUDDecoderError) -> [ShapeColumn] {
        let number = try RowHeader.layout(of: row)
        guard Int(number) < shape.count else {
            throw CRUDDecoderError(
                "The row has layout \(number), which the catalogue does not know.", code: .corrupt, table: table.name)
        }
        return shape[Int(number)]
    }

    /// Checks the NOT NULL columns.
    /// - Parameter row: the row, in the newest layout.
    @inline(__always)
    func checkNotNull(_ row: RawSpan) throws {
        for (byte, mask) in notNull {
            guard byte < row.byteCount else { throw KeyDecoder.shortKey }
            if unsafe row.unsafeLoad(fromByteOffset: byte, as: UInt8.self) & mask != 0 { throw nullError(row) }
        }
    }

    private func nullError(_ row: RawSpan) -> any Error {
        do {
            for (column, slot) in zip(table.columns, layout.slots) where !column.column.isOptional {
                guard try slot.isNull(in: row) else { continue }
                return CRUDSQLExeError(
                    "The column cannot be NULL, and the row gives it no value.", code: .notNull, table: table.name,
                    column: column.column.name)
            }
        } catch { return error }
        return CRUDSQLExeError("A column cannot be NULL.", code: .notNull, table: table.name)
    }
}

/// The header of a row.
enum RowHeader {
    /// The number of the row's layout.
    @inline(__always)
    static func layout(of row: RawSpan) throws(CRUDDecoderError) -> UInt16 {
        guard row.byteCount >= RowLayout.headerBytes else {
            throw CRUDDecoderError("A row is shorter than its header.", code: .corrupt)
        }
        let format = unsafe row.unsafeLoad(fromByteOffset: 0, as: UInt8.self)
        guard format == RowLayout.format else {
            throw CRUDDecoderError("A row has format \(format), which this release does not know.", code: .corrupt)
        }
        return unsafe UInt16(littleEndian: row.unsafeLoadUnaligned(fromByteOffset: 2, as: UInt16.self))
    }
}

extension ColumnType {
    /// True if equal values of both types have the same key encoding.
    func hasSameKeyEncoding(as other: ColumnType) -> Bool {
        self == other || (isInteger && other.isInteger) || (isFloatingPoint && other.isFloatingPoint)
    }

    /// True if a foreign key column of this type can refer to a key of another: each value names one key, and each key
    /// is named by one value.
    package func canRefer(to key: ColumnType) -> Bool { self == key || (isInteger && key.isInteger) }
}
