/// Makes items of one type from rows: by ``RowDecodable`` where the type has it, else by `Codable`.
final class ItemDecoder<T: Decodable> {
    let reader: RowReader
    private let maker: ItemMaker<T>

    init(_ structure: TableStructure) {
        if let type = T.self as? any RowDecodable.Type, let fast = type.maker(structure) as? ItemMaker<T> {
            maker = fast
        } else {
            maker = CodableMaker<T>(RowReader(structure))
        }
        reader = maker.reader
    }

    deinit { reader.close() }

    /// The item of one row.
    func decode(_ row: RawSpan, shape: RowShape) throws -> T {
        defer { reader.end() }
        return try unsafe row.withUnsafeBytes { bytes in
            try unsafe reader.begin(bytes, shape: shape)
            return try maker.make()
        }
    }

    /// Appends the items of many rows.
    func decode(_ rows: RowBuffer, shape: RowShape, into items: inout [T]) throws {
        defer { reader.end() }
        try unsafe rows.bytes.withUnsafeBytes { bytes in
            var start = 0
            for (number, end) in rows.ends.enumerated() {
                guard start <= end, end <= bytes.count else { throw reader.corrupt() }
                try unsafe reader.begin(
                    UnsafeRawBufferPointer(rebasing: bytes[start..<end]), shape: shape, number: number)
                items.append(try maker.make())
                start = end
            }
        }
    }
}

/// Makes items from the row of a reader.
class ItemMaker<T> {
    let reader: RowReader

    init(_ reader: RowReader) { self.reader = reader }

    func make() throws -> T { throw reader.unsupported() }
}

private final class CodableMaker<T: Decodable>: ItemMaker<T> {
    override func make() throws -> T { try T(from: reader) }
}

private final class RowMaker<T: RowDecodable>: ItemMaker<T> {
    override func make() throws -> T { try T(row: Row(reader: reader)) }
}

extension RowDecodable {
    fileprivate static func maker(_ structure: TableStructure) -> AnyObject {
        RowMaker<Self>(RowReader(structure, columns: rowColumns))
    }
}
