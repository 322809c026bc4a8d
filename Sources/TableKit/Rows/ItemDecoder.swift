/// An ``ItemDecoder`` with its item type erased.
class AnyItemDecoder {
    let reader: RowReader

    fileprivate init(_ reader: RowReader) { self.reader = reader }

    deinit { reader.close() }

    /// Takes a decoder for a type from the pool. Not of the generic class, whose metadata would be looked up.
    static func take<T: Decodable>(_ type: T.Type, _ structure: TableStructure) -> AnyItemDecoder {
        CoderPools.decoders.take(key(type, structure)) { ItemDecoder<T>(structure) }
    }

    /// Returns the decoder to the pool.
    func giveBack<T: Decodable>(_ type: T.Type) {
        reader.forgetArrays()
        CoderPools.decoders.give(self, AnyItemDecoder.key(type, reader.structure))
    }

    private static func key<T>(_ type: T.Type, _ structure: TableStructure) -> CoderPool<AnyItemDecoder>.Key {
        CoderPool.Key(type: ObjectIdentifier(type), structure: ObjectIdentifier(structure))
    }
}

/// Creates items of one type from rows: by ``RowDecodable`` if the type conforms, else by `Codable`.
final class ItemDecoder<T: Decodable>: AnyItemDecoder {
    private let maker: ItemMaker<T>

    /// Takes a decoder from the pool. The caller must call ``giveBack()``.
    static func take(_ structure: TableStructure) -> ItemDecoder<T> {
        unsafe unsafeDowncast(take(T.self, structure), to: ItemDecoder<T>.self)
    }

    /// Returns the decoder to the pool.
    func giveBack() { giveBack(T.self) }

    fileprivate init(_ structure: TableStructure) {
        if let type = T.self as? any RowDecodable.Type, let fast = type.maker(structure) as? ItemMaker<T> {
            maker = fast
        } else {
            maker = CodableMaker<T>(RowReader(structure))
        }
        super.init(maker.reader)
    }

    /// Decodes one row.
    func decode(_ row: RawSpan, shape: RowShape) throws -> T {
        defer { reader.end() }
        return try unsafe row.withUnsafeBytes { bytes in
            try unsafe reader.begin(bytes, shape: shape)
            return try maker.make()
        }
    }

    /// Appends the items of many rows. If one throws, appends those before it.
    func decode(_ rows: RowBuffer, shape: RowShape, into items: inout [T]) throws {
        // An array of no items would write into the storage that all empty arrays share, which the thread sanitizer
        // reports.
        if rows.count == 0 { return }
        var failure: (any Error)?
        // Decodes in place: appending one by one would check the array's capacity for each item.
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

    /// Refills a queue with the items of many rows. If one throws, keeps those before it.
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

/// Creates items from a reader's current row.
class ItemMaker<T> {
    let reader: RowReader

    init(_ reader: RowReader) { self.reader = reader }

    func make() throws -> T { throw reader.unsupported() }

    /// Creates an item in uninitialized memory.
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
