/// Decodes the rows of one join. ``of(_:)`` creates it, with the type of the rows.
public class ChildDecoder {
    fileprivate init() {}

    /// A decoder for a join whose property is `[Child]?`.
    public static func of<Child: Decodable>(_ child: Child.Type) -> ChildDecoder { TypedChildDecoder<Child>() }

    /// Sets the structure of the rows. Returns their reader, and the reader of the arrays in the parents.
    func open(_ structure: TableStructure) -> (reader: RowReader, arrays: PropertyReader)? { nil }

    /// Decodes the rows of a batch.
    func decode(_ joined: JoinedRows) throws {}
}

private final class TypedChildDecoder<Child: Decodable>: ChildDecoder {
    private let arrays = ChildArrays<Child>()
    private var items: ItemDecoder<Child>?

    deinit { items?.giveBack() }

    override func open(_ structure: TableStructure) -> (reader: RowReader, arrays: PropertyReader)? {
        items?.giveBack()
        let items = ItemDecoder<Child>.take(structure)
        self.items = items
        return (items.reader, arrays)
    }

    override func decode(_ joined: JoinedRows) throws {
        arrays.items.removeAll(keepingCapacity: true)
        arrays.items.reserveCapacity(joined.rows.count)
        arrays.ends = joined.ends
        arrays.members = joined.members
        try items?.decode(joined.rows, shape: joined.shape, into: &arrays.items)
    }
}

/// The items of a join, with the slice that belongs to each row of the parent.
private final class ChildArrays<Child>: TypedReader<[Child]> {
    var items: [Child] = []
    var ends: [Int] = []
    var members: [Int32] = []

    override func read(_ reader: RowReader, _ number: Int) throws -> [Child] {
        let row = reader.rowNumber
        guard row < ends.count else { throw reader.corrupt() }
        let start = row == 0 ? 0 : ends[row - 1]
        guard start >= 0, start <= ends[row], ends[row] <= members.count else { throw reader.corrupt() }
        // The children of a row are mostly contiguous and are copied as one slice.
        if let first = members[start..<ends[row]].first, isRun(start..<ends[row]) {
            let first = Int(first)
            guard first >= 0, first + ends[row] - start <= items.count else { throw reader.corrupt() }
            return Array(items[first..<first + ends[row] - start])
        }
        var array: [Child] = []
        array.reserveCapacity(ends[row] - start)
        for member in start..<ends[row] {
            let item = Int(members[member])
            guard item >= 0, item < items.count else { throw reader.corrupt() }
            array.append(items[item])
        }
        return array
    }

    /// True if the members are consecutive numbers.
    private func isRun(_ range: Range<Int>) -> Bool {
        for member in range.dropFirst() where members[member] != members[member - 1] &+ 1 { return false }
        return true
    }
}
