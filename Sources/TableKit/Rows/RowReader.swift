import Foundation

/// Reads the properties of a type from rows: the decoder that types see, one for each level of a query.
///
/// One object and one container for each type of keys serve all rows; the row is set before each item. Nothing is copied
/// from it before it is asked for.
@safe final class RowReader: Decoder {
    let structure: TableStructure
    let names: PropertyNames
    /// The number of columns; the numbers of sub-tables follow.
    let columnCount: Int
    private let columnNames: [String]

    /// The entries of the row's layout; those of ``noRow`` where there is no row.
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
    /// The number of the row in its batch: by it joins find the arrays that belong to it.
    private(set) var rowNumber = 0

    private let noRow: RowTable
    private var table: RowTable
    private var shape: RowShape?
    private var tables: [RowTable?] = []
    private var containers: [AnyContainerBox] = []
    // The one that was last asked for. Compared by type, and therefore safe to cast without a check.
    private var lastKey: ObjectIdentifier?
    private var lastContainer: UnsafeRawPointer?
    /// Whether the owner is gone. Later containers would not keep the reader alive, so there are none.
    private var isClosed = false

    /// How properties are read, by number: found at the first row.
    let readers: PropertyReaders
    /// What fills the arrays of joins, by the number of the sub-table.
    var arrays: [PropertyReader?]
    private(set) lazy var json = NestedJSON.decoder()

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// - Parameters:
    ///   - structure: that of the type.
    ///   - columns: the names of the columns to read, where they are not the structure's.
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

    /// Gives the containers up. The owner calls it at its end.
    ///
    /// Containers do not keep the reader alive. If a type has kept one, the reader stays in memory for good: the type may use
    /// the container at any time. It finds every column missing.
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

    /// Forgets the joins that fill arrays.
    func forgetArrays() {
        for number in arrays.indices { arrays[number] = nil }
    }

    // MARK: Rows

    /// Sets the row to be read.
    /// - Parameters:
    ///   - bytes: the row. It must outlive the reading: until ``end()`` or the next row.
    ///   - number: its number in its batch.
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

    /// Forgets the row: reading finds every column missing, also through containers that a type kept.
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

    /// Whether a column has a value of a type, in the row and as that type.
    @inline(__always)
    func holds(_ type: ColumnType, _ number: Int) -> Bool {
        let entry = unsafe entries[number]
        return entry.kind == type.rawValue && !isNull(entry)
    }

    @inline(__always)
    private func isNull(_ entry: RowEntry) -> Bool {
        unsafe row.load(fromByteOffset: Int(entry.nullByte), as: UInt8.self) & entry.nullMask != 0
    }

    /// The bits of a fixed column. Only where ``holds(_:_:)`` a type of this width.
    @inline(__always)
    func fixed<T: BitwiseCopyable>(_ number: Int, as type: T.Type) -> T {
        unsafe row.loadUnaligned(fromByteOffset: Int(entries[number].place), as: type)
    }

    /// The bytes of a variable column. Only where ``holds(_:_:)`` such a type.
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

    /// What a property is in the row.
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

    /// A column's value, whatever its type: the slow way.
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
