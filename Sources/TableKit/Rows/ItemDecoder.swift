/// An ``ItemDecoder`` of any type.
class AnyItemDecoder {
    let reader: RowReader

    fileprivate init(_ reader: RowReader) { self.reader = reader }

    deinit { reader.close() }
}

/// Makes items of one type from rows: by ``RowDecodable`` where the type has it, else by `Codable`.
final class ItemDecoder<T: Decodable>: AnyItemDecoder {
    private let maker: ItemMaker<T>

    /// A decoder of the pool. The caller gives it back.
    static func take(_ structure: TableStructure) -> ItemDecoder<T> {
        let decoder = CoderPools.decoders.take(key(structure)) { ItemDecoder<T>(structure) }
        return unsafe unsafeDowncast(decoder, to: ItemDecoder<T>.self)
    }

    /// Gives the decoder back to the pool.
    func giveBack() {
        reader.forgetArrays()
        CoderPools.decoders.give(self, ItemDecoder.key(reader.structure))
    }

    private static func key(_ structure: TableStructure) -> CoderPool<AnyItemDecoder>.Key {
        CoderPool.Key(type: ObjectIdentifier(T.self), structure: ObjectIdentifier(structure))
    }

    private init(_ structure: TableStructure) {
        if let type = T.self as? any RowDecodable.Type, let fast = type.maker(structure) as? ItemMaker<T> {
            maker = fast
        } else {
            maker = CodableMaker<T>(RowReader(structure))
        }
        super.init(maker.reader)
    }

    /// The item of one row.
    func decode(_ row: RawSpan, shape: RowShape) throws -> T {
        defer { reader.end() }
        return try unsafe row.withUnsafeBytes { bytes in
            try unsafe reader.begin(bytes, shape: shape)
            return try maker.make()
        }
    }

    /// Appends the items of many rows; where one throws, those before it.
    func decode(_ rows: RowBuffer, shape: RowShape, into items: inout [T]) throws {
        var failure: (any Error)?
        // In place: appending one by one costs a generic array's check of its memory for each.
        let made = unsafe [T](unsafeUninitializedCapacity: rows.count) { memory, count in
            do {
                try unsafe decode(rows, shape: shape, into: memory, &count)
            } catch {
                failure = error
            }
        }
        if items.isEmpty { items = made } else { items += made }
        if let failure { throw failure }
    }

    /// Puts the items of many rows into an empty queue; where one throws, those before it.
    func decode(_ rows: RowBuffer, shape: RowShape, into items: ItemQueue<T>) throws {
        try unsafe items.refill(rows.count) { memory, count in
            try unsafe decode(rows, shape: shape, into: memory, &count)
        }
    }

    private func decode(
        _ rows: RowBuffer, shape: RowShape, into memory: UnsafeMutableBufferPointer<T>, _ count: inout Int
    ) throws {
        defer { reader.end() }
        try unsafe rows.bytes.withUnsafeBytes { bytes in
            var start = 0
            for end in rows.ends {
                guard start <= end, end <= bytes.count else { throw reader.corrupt() }
                try unsafe reader.begin(
                    UnsafeRawBufferPointer(rebasing: bytes[start..<end]), shape: shape, number: count)
                try unsafe maker.make(memory, count)
                count += 1
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

    /// Makes an item in memory that is not initialized.
    func make(_ memory: UnsafeMutableBufferPointer<T>, _ place: Int) throws { throw reader.unsupported() }
}

private final class CodableMaker<T: Decodable>: ItemMaker<T> {
    override func make() throws -> T { try T(from: reader) }

    override func make(_ memory: UnsafeMutableBufferPointer<T>, _ place: Int) throws {
        unsafe memory.initializeElement(at: place, to: try T(from: reader))
    }
}

private final class RowMaker<T: RowDecodable>: ItemMaker<T> {
    override func make() throws -> T { try T(row: Row(reader: reader)) }

    override func make(_ memory: UnsafeMutableBufferPointer<T>, _ place: Int) throws {
        unsafe memory.initializeElement(at: place, to: try T(row: Row(reader: reader)))
    }
}

extension RowDecodable {
    fileprivate static func maker(_ structure: TableStructure) -> AnyObject {
        RowMaker<Self>(RowReader(structure, columns: rowColumns))
    }
}
