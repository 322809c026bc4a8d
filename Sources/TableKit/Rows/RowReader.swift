import Foundation

/// The decoder that reads the properties of a type from rows, one for each level of a query.
///
/// One object, and one container for each key type, serve all rows; `begin` sets the row before each item. Nothing is
/// copied before it is requested.
@safe final class RowReader: Decoder {
    let structure: TableStructure
    let names: PropertyNames
    /// The number of columns; the numbers of sub-tables follow.
    let columnCount: Int
    private let columnNames: [String]

    /// The entries of the row's layout, or those of ``noRow`` without a row.
    private(set) var entries: UnsafeMutablePointer<RowEntry>
    /// The entries of the last row's layout.
    private var layoutEntries: UnsafeMutablePointer<RowEntry>
    private var row: UnsafeRawPointer
    private var byteCount = 0
    private var endsStart = 0
    private var variableStart = 0
    private var isWide = false
    private var layout = -1
    private var variableCount = 0
    /// The index of the row in its batch. Joins find the row's arrays by it.
    private(set) var rowNumber = 0

    private let noRow: RowTable
    private var table: RowTable
    private var shape: RowShape?
    private var tables: [RowTable?] = []
    private var containers: [AnyContainerBox] = []
    // The last requested container. Its key type is compared, so the cast needs no check.
    private var lastKey: ObjectIdentifier?
    private var lastContainer: UnsafeRawPointer?
    /// True after `close()`. A new container would not keep the reader alive, so none is created.
    private var isClosed = false

    /// The readers of properties by number. Filled at the first row.
    let readers: PropertyReaders
    /// The readers of joined arrays, by number of the sub-table.
    var arrays: [PropertyReader?]
    private(set) lazy var json = NestedJSON.decoder()

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// - Parameters:
    ///   - structure: the structure of the type.
    ///   - columns: the names of the columns to read. Nil: the structure's.
    init(_ structure: TableStructure, columns: [String]? = nil) {
        self.structure = structure
        columnNames = columns ?? structure.columns.map(\.name)
        columnCount = columnNames.count
        names = PropertyNames(columnNames + structure.subTables.map(\.property))
        noRow = RowTable(missing: columnNames.count, subTableCount: structure.subTables.count)
        table = noRow
        unsafe entries = noRow.entries
        unsafe layoutEntries = noRow.entries
        unsafe row = UnsafeRawPointer(noRow.entries)
        readers = PropertyReaders(count: columnNames.count + structure.subTables.count + 1)
        arrays = Array(repeating: nil, count: structure.subTables.count)
    }

    /// Releases the containers. The owner calls it in its deinitializer.
    ///
    /// Containers do not keep the reader alive. If a type has kept one, the reader is leaked, because the type may use
    /// the container at any time. The container then finds every column missing.
    func close() {
        end()
        isClosed = true
        lastKey = nil
        unsafe lastContainer = nil
        if containers.contains(where: { $0.isShared }) {
            _ = unsafe Unmanaged.passRetained(self)
        } else {
            containers = []
        }
    }

    /// Removes the readers of joined arrays.
    func forgetArrays() {
        for number in arrays.indices { arrays[number] = nil }
    }

    // MARK: Rows

    /// Sets the current row.
    /// - Parameters:
    ///   - bytes: the row. It must stay valid until ``end()`` or the next row.
    ///   - number: its index in its batch.
    /// - Throws: ``CRUDDecoderError`` with ``TableErrorCode/corrupt``.
    @inline(__always)
    func begin(_ bytes: UnsafeRawBufferPointer, shape: RowShape, number: Int = 0) throws {
        guard bytes.count >= RowLayout.headerBytes, let start = bytes.baseAddress else { throw corrupt() }
        let header = UInt32(littleEndian: unsafe start.loadUnaligned(as: UInt32.self))
        guard header & 0xff == UInt32(RowLayout.format) else { throw corrupt() }
        if layout != Int(header >> 16) || self.shape !== shape { try use(shape, layout: Int(header >> 16)) }
        isWide = header >> 8 & UInt32(RowLayout.wideEnds) != 0
        variableStart = endsStart + variableCount * (isWide ? 4 : 2)
        guard variableStart <= bytes.count else { throw corrupt() }
        unsafe entries = layoutEntries
        unsafe row = start
        byteCount = bytes.count
        rowNumber = number
    }

    /// Forgets the row. Reading then finds every column missing, also through containers that a type has kept.
    @inline(__always)
    func end() { unsafe entries = noRow.entries }

    @inline(never)
    private func use(_ shape: RowShape, layout number: Int) throws {
        end()
        layout = -1
        if self.shape !== shape {
            self.shape = shape
            tables = []
        }
        if number >= tables.count { tables += Array(repeating: nil, count: number + 1 - tables.count) }
        let table = try tables[number] ?? makeTable(shape, number)
        tables[number] = table
        self.table = table
        unsafe layoutEntries = table.entries
        endsStart = table.endsStart
        variableCount = table.variableCount
        layout = number
    }

    private func makeTable(_ shape: RowShape, _ number: Int) throws -> RowTable {
        let found = try shape.columns(inLayout: UInt16(truncatingIfNeeded: number))
        let columns = columnNames.map { name in shape.structure.number(of: name).map { found[$0] } ?? .missing }
        return RowTable(columns, subTableCount: structure.subTables.count)
    }

    // MARK: Values

    /// True if the row has a value of this storage type in a column.
    @inline(__always)
    func holds(_ type: ColumnType, _ number: Int) -> Bool {
        let entry = unsafe entries[number]
        return entry.kind == type.rawValue && !isNull(entry)
    }

    @inline(__always)
    private func isNull(_ entry: RowEntry) -> Bool {
        unsafe row.load(fromByteOffset: Int(entry.nullByte), as: UInt8.self) & entry.nullMask != 0
    }

    /// The bits of a fixed column. Valid only if ``holds(_:_:)`` is true for a type of this width.
    @inline(__always)
    func fixed<T: BitwiseCopyable>(_ number: Int, as type: T.Type) -> T {
        unsafe row.loadUnaligned(fromByteOffset: Int(entries[number].place), as: type)
    }

    /// The bytes of a variable column. Valid only if ``holds(_:_:)`` is true for a variable type.
    @inline(__always)
    func bytes(_ number: Int) throws -> UnsafeRawBufferPointer {
        let place = Int(unsafe entries[number].place)
        let lower = place == 0 ? 0 : end(place - 1)
        let upper = end(place)
        guard lower <= upper, variableStart + upper <= byteCount else { throw corrupt() }
        return unsafe UnsafeRawBufferPointer(start: row + variableStart + lower, count: upper - lower)
    }

    @inline(__always)
    private func end(_ variable: Int) -> Int {
        isWide
            ? Int(
                UInt32(
                    littleEndian: unsafe row.loadUnaligned(fromByteOffset: endsStart + 4 * variable, as: UInt32.self)))
            : Int(
                UInt16(
                    littleEndian: unsafe row.loadUnaligned(fromByteOffset: endsStart + 2 * variable, as: UInt16.self)))
    }

    /// The state of a property in the row.
    enum Presence { case value, null, missing, subTable }

    func presence(_ number: Int) -> Presence {
        let entry = unsafe entries[number]
        switch entry.kind {
        case RowEntry.missing: return .missing
        case RowEntry.subTable: return .subTable
        case RowEntry.absent: return absent(number).isNull ? .null : .value
        default: return isNull(entry) ? .null : .value
        }
    }

    private func absent(_ number: Int) -> ColumnValue {
        if case .absent(let value) = table.columns[number] { value } else { .null }
    }

    /// A column's value of any type. The slow form.
    func columnValue(_ number: Int) throws -> ColumnValue {
        guard number < columnCount, presence(number) != .missing else { throw missing(number) }
        switch table.columns[number] {
        case .missing: throw missing(number)
        case .absent(let value): return value
        case .slot(let slot):
            return try slot.value(in: unsafe RawSpan(_unsafeStart: row, byteCount: byteCount))
        }
    }

    // MARK: Containers

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        if lastKey == ObjectIdentifier(type), let lastContainer = unsafe lastContainer {
            return unsafe Unmanaged<ContainerBox<KeyedDecodingContainer<Key>>>.fromOpaque(lastContainer)
                ._withUnsafeGuaranteedRef { $0.copy() }
        }
        return try findContainer(type)
    }

    @inline(never)
    private func findContainer<Key: CodingKey>(_ type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        if isClosed { throw unsupported() }
        let key = ObjectIdentifier(type)
        let box = containers.first { $0.key == key } ?? makeContainer(type)
        lastKey = key
        unsafe lastContainer = UnsafeRawPointer(Unmanaged.passUnretained(box).toOpaque())
        return unsafe unsafeDowncast(box, to: ContainerBox<KeyedDecodingContainer<Key>>.self).copy()
    }

    private func makeContainer<Key: CodingKey>(_ type: Key.Type) -> AnyContainerBox {
        let numbers = PropertyNumbers(names, isByte: PropertyNumbers.isByte(type))
        let container = KeyedDecodingContainer(RowContainer<Key>(reader: self, numbers: numbers))
        let box = ContainerBox(container, key: ObjectIdentifier(type), numbers)
        containers.append(box)
        return box
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw unsupported() }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw unsupported() }
}
