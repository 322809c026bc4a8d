import TableKit

/// Rows of items, and items of rows.
enum RowCoding {
    static func rows<T: Codable>(_ items: [T]) throws -> RowBuffer {
        let encoder = RowEncoder<T>(try TableStructure.of(T.self))
        var rows = RowBuffer()
        for item in items { try encoder.append(item, to: &rows) }
        return rows
    }

    static func items<T: Codable>(_ type: T.Type, _ rows: RowBuffer, shape: RowShape? = nil) throws -> [T] {
        let structure = try TableStructure.of(type)
        var batch = RowBatch(shape: shape ?? RowShape(structure))
        batch.rows = rows
        var items: [T] = []
        try BatchDecoder<T>(Query(structure)).decode(batch, into: &items)
        return items
    }

    static func roundTrip<T: Codable>(_ items: [T]) throws -> [T] { try Self.items(T.self, rows(items)) }

    /// The values of a row's columns.
    static func values<T: Codable>(_ item: T) throws -> [ColumnValue] {
        let layout = try TableStructure.of(T.self).layout
        return try rows([item]).withRow(0) { row in try layout.slots.map { try $0.value(in: row) } }
    }

    /// A row of values, in the layout of a type.
    static func row<T: Codable>(_ type: T.Type, _ values: [ColumnValue]) throws -> RowBuffer {
        var rows = RowBuffer()
        try rows.append(values, layout: try TableStructure.of(type).layout)
        return rows
    }
}
