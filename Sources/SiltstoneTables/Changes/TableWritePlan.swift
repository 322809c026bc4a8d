import TableKit

/// What changes of a table's rows have to look after, worked out once for each version of the catalogue.
final class TableWritePlan: Sendable {
    /// A column of the table that refers to another one's key.
    struct OutgoingReference: Sendable {
        let column: Int
        let slot: RowSlot
        let table: String
        /// The table that is referred to. Nil: there is none.
        let parent: TableDescription?
        /// The type of its key. Nil: it has none of one column.
        let keyType: ColumnType?
        /// Whether values of the column are written in keys as those of the parent's key.
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
    /// The layout of all rows that are written.
    let layout: RowLayout
    /// The slots of the key's columns in ``layout``.
    let keySlots: [RowSlot]
    /// For each byte of the bitmap the columns that cannot be NULL.
    let notNull: [(byte: Int, mask: UInt8)]
    /// For each layout, where the table's columns are.
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
            let type = parent.flatMap { $0.primaryKey.count == 1 ? $0.columns[$0.primaryKey[0]].column.type : nil }
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

    /// Where the table's columns are in a row.
    /// - Throws: `TableErrorCode.corrupt` where the row names no layout of the table.
    @inline(__always)
    func columns(of row: RawSpan) throws(CRUDDecoderError) -> [ShapeColumn] {
        let number = try RowHeader.layout(of: row)
        guard Int(number) < shape.count else {
            throw CRUDDecoderError(
                "The row has layout \(number), which the catalogue does not know.", code: .corrupt, table: table.name)
        }
        return shape[Int(number)]
    }

    /// Checks that no column is NULL which cannot be.
    /// - Parameter row: of the newest layout.
    @inline(__always)
    func checkNotNull(_ row: RawSpan) throws {
        for (byte, mask) in notNull {
            guard byte < row.byteCount else { throw KeyDecoder.shortKey }
            if row.unsafeLoad(fromByteOffset: byte, as: UInt8.self) & mask != 0 { throw nullError(row) }
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

/// The first bytes of a row.
enum RowHeader {
    /// The number of the row's layout.
    @inline(__always)
    static func layout(of row: RawSpan) throws(CRUDDecoderError) -> UInt16 {
        guard row.byteCount >= RowLayout.headerBytes else {
            throw CRUDDecoderError("A row is shorter than its header.", code: .corrupt)
        }
        let format = row.unsafeLoad(fromByteOffset: 0, as: UInt8.self)
        guard format == RowLayout.format else {
            throw CRUDDecoderError("A row has format \(format), which this release does not know.", code: .corrupt)
        }
        return UInt16(littleEndian: row.unsafeLoadUnaligned(fromByteOffset: 2, as: UInt16.self))
    }
}

extension ColumnType {
    /// Whether equal values of both types are the same bytes in a key.
    func hasSameKeyEncoding(as other: ColumnType) -> Bool {
        self == other || (isInteger && other.isInteger) || (isFloatingPoint && other.isFloatingPoint)
    }
}
