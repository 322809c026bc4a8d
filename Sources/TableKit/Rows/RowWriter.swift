import Foundation

/// The encoder that writes the properties of an item into a row.
///
/// The row is built in the writer's own memory, so an item that fails leaves nothing behind. One object, and one
/// container for each key type, serve all items.
@safe final class RowWriter: Encoder {
    let structure: TableStructure
    let names: PropertyNames
    private let table: RowTable
    private let columnCount: Int
    /// The part before the end offsets of a row in which all columns are NULL.
    private let blank: [UInt8]
    /// The current row: the part before the end offsets, two bytes for each end offset, and the variable columns in the
    /// order of writing. Most rows are complete in this form.
    private var memory: UnsafeMutableRawPointer
    private var capacity: Int
    private let fixedCount: Int
    /// The offset of the variable columns' bytes.
    private let variableStart: Int
    private var variableCount = 0
    /// The range of each variable column, relative to ``variableStart``.
    private let parts: UnsafeMutablePointer<(start: Int, end: Int)>
    private let partCount: Int
    /// The next variable column if all are written in order.
    private var nextPart = 0
    private var isInOrder = true
    private var containers: [AnyContainerBox] = []
    // The last requested container. Its key type is compared, so the cast needs no check.
    private var lastKey: ObjectIdentifier?
    private var lastContainer: UnsafeRawPointer?
    let writers: PropertyWriters
    private(set) lazy var json = NestedJSON.encoder()

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ structure: TableStructure) {
        self.structure = structure
        names = PropertyNames(structure.columns.map(\.name) + structure.subTables.map(\.property))
        columnCount = structure.columns.count
        let layout = structure.layout
        table = RowTable(layout.slots.map(ShapeColumn.slot), subTableCount: structure.subTables.count)
        blank = layout.blank
        fixedCount = blank.count
        partCount = layout.variableCount
        variableStart = fixedCount + 2 * partCount
        capacity = variableStart + 256
        unsafe memory = .allocate(byteCount: capacity, alignment: 8)
        unsafe parts = .allocate(capacity: partCount)
        unsafe parts.initialize(repeating: (0, 0), count: partCount)
        writers = PropertyWriters(count: names.list.count + 1)
    }

    deinit {
        unsafe memory.deallocate()
        unsafe parts.deallocate()
    }

    /// Breaks the reference cycle of the writer and its containers. The owner calls it.
    func close() {
        containers = []
        lastKey = nil
        unsafe lastContainer = nil
    }

    // MARK: Rows

    /// Begins a row in which all columns are NULL.
    func begin() {
        unsafe blank.withUnsafeBytes { blank in
            if let source = blank.baseAddress { unsafe memory.copyMemory(from: source, byteCount: blank.count) }
        }
        for part in 0..<partCount { unsafe parts[part] = (0, 0) }
        variableCount = 0
        nextPart = 0
        isInOrder = true
    }

    /// Appends the row to a buffer.
    func finish(_ rows: inout RowBuffer) throws {
        if isInOrder, variableCount <= Int(UInt16.max) {
            var end = 0
            for part in 0..<partCount {
                end += unsafe parts[part].end - parts[part].start
                unsafe memory.storeBytes(
                    of: UInt16(truncatingIfNeeded: end).littleEndian, toByteOffset: fixedCount + 2 * part,
                    as: UInt16.self)
            }
            unsafe rows.bytes.append(
                contentsOf: UnsafeRawBufferPointer(start: memory, count: variableStart + variableCount))
        } else {
            try appendInPieces(&rows)
        }
        rows.ends.append(rows.bytes.count)
    }

    /// Appends a row whose variable columns are out of order, or that needs end offsets of 4 bytes.
    @inline(never)
    private func appendInPieces(_ rows: inout RowBuffer) throws {
        var length = 0
        for part in 0..<partCount { length += unsafe parts[part].end - parts[part].start }
        guard length <= Int(UInt32.max) else {
            throw CRUDEncoderError("A row is longer than 4 GiB.", code: .argument, table: structure.name)
        }
        let isWide = length > Int(UInt16.max)
        if isWide { unsafe memory.storeBytes(of: RowLayout.wideEnds, toByteOffset: 1, as: UInt8.self) }
        unsafe rows.bytes.append(contentsOf: UnsafeRawBufferPointer(start: memory, count: fixedCount))
        var end = 0
        for part in 0..<partCount {
            end += unsafe parts[part].end - parts[part].start
            for shift in stride(from: 0, to: isWide ? 32 : 16, by: 8) {
                rows.bytes.append(UInt8(truncatingIfNeeded: end >> shift))
            }
        }
        for part in 0..<partCount {
            let (start, end) = unsafe parts[part]
            unsafe rows.bytes.append(
                contentsOf: UnsafeRawBufferPointer(start: memory + variableStart + start, count: end - start))
        }
    }

    // MARK: Values

    /// True if a column has this storage type.
    @inline(__always)
    func takes(_ type: ColumnType, _ number: Int) -> Bool { unsafe table.entries[number].kind == type.rawValue }

    /// True if a property is an array that joins fill.
    @inline(__always)
    func isSubTable(_ number: Int) -> Bool { unsafe table.entries[number].kind == RowEntry.subTable }

    /// Sets a fixed column. Valid only if ``takes(_:_:)`` is true for a type of this width.
    @inline(__always)
    func setFixed<T: BitwiseCopyable>(_ number: Int, _ value: T) {
        let entry = unsafe table.entries[number]
        unsafe memory.storeBytes(of: value, toByteOffset: Int(entry.place), as: T.self)
        clearNull(entry)
    }

    @inline(__always)
    private func clearNull(_ entry: RowEntry) {
        let byte = unsafe memory.load(fromByteOffset: Int(entry.nullByte), as: UInt8.self)
        unsafe memory.storeBytes(of: byte & ~entry.nullMask, toByteOffset: Int(entry.nullByte), as: UInt8.self)
    }

    /// Sets a variable column. Valid only if ``takes(_:_:)`` is true for a variable type.
    @inline(__always)
    func setBytes(_ number: Int, _ value: UnsafeRawBufferPointer) {
        let entry = unsafe table.entries[number]
        let part = Int(entry.place)
        if part < nextPart { isInOrder = false }
        nextPart = part + 1
        if variableStart + variableCount + value.count > capacity { grow(value.count) }
        if let source = value.baseAddress {
            unsafe (memory + variableStart + variableCount).copyMemory(from: source, byteCount: value.count)
        }
        unsafe parts[part] = (variableCount, variableCount + value.count)
        variableCount += value.count
        clearNull(entry)
    }

    @inline(never)
    private func grow(_ count: Int) {
        let used = variableStart + variableCount
        capacity = max(2 * capacity, used + count)
        let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
        unsafe larger.copyMemory(from: memory, byteCount: used)
        unsafe memory.deallocate()
        unsafe memory = larger
    }

    /// Sets a column to a value of any type. The slow form.
    /// - Throws: ``CRUDEncoderError`` if the value does not fit.
    @inline(never)
    func set(_ number: Int, _ value: ColumnValue) throws {
        if isSubTable(number) { return }
        guard number < columnCount else { throw noColumn(number) }
        let type = structure.columns[number].type
        guard let fitting = value.fitting(type) else {
            throw CRUDEncoderError(
                "The value \(value) is no value of type \(type), or out of its range.", code: .type,
                table: structure.name, column: names[number])
        }
        try type.store(fitting, self, number)
    }

    /// Sets a column to NULL.
    func setNull(_ number: Int) throws {
        if isSubTable(number) { return }
        guard number < columnCount else { throw noColumn(number) }
        let slot = structure.layout.slots[number]
        let null = unsafe memory.load(fromByteOffset: slot.nullByte, as: UInt8.self)
        unsafe memory.storeBytes(of: null | slot.nullMask, toByteOffset: slot.nullByte, as: UInt8.self)
        guard let width = slot.type.fixedWidth else {
            if unsafe parts[slot.place].end > 0 { isInOrder = false }
            unsafe parts[slot.place] = (0, 0)
            return
        }
        for byte in slot.place..<slot.place + width {
            unsafe memory.storeBytes(of: 0, toByteOffset: byte, as: UInt8.self)
        }
    }

    func noColumn(_ number: Int) -> CRUDEncoderError {
        CRUDEncoderError(
            "The item encodes a property that it does not decode, which is no column.", code: .noColumn,
            table: structure.name, column: names[number])
    }

    func unsupported(_ number: Int? = nil) -> CRUDEncoderError {
        CRUDEncoderError(
            "A row has named columns of one value each, no containers in them.", code: .unsupported,
            table: structure.name, column: number.map { names[$0] })
    }

    // MARK: Containers

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if lastKey == ObjectIdentifier(type), let lastContainer = unsafe lastContainer {
            return unsafe Unmanaged<ContainerBox<KeyedEncodingContainer<Key>>>.fromOpaque(lastContainer)
                ._withUnsafeGuaranteedRef { $0.copy() }
        }
        return findContainer(type)
    }

    @inline(never)
    private func findContainer<Key: CodingKey>(_ type: Key.Type) -> KeyedEncodingContainer<Key> {
        let key = ObjectIdentifier(type)
        let box = containers.first { $0.key == key } ?? makeContainer(type)
        lastKey = key
        unsafe lastContainer = UnsafeRawPointer(Unmanaged.passUnretained(box).toOpaque())
        return unsafe unsafeDowncast(box, to: ContainerBox<KeyedEncodingContainer<Key>>.self).copy()
    }

    private func makeContainer<Key: CodingKey>(_ type: Key.Type) -> AnyContainerBox {
        let container = KeyedEncodingContainer(RowEncodingContainer<Key>(writer: self))
        let box = ContainerBox(container, key: ObjectIdentifier(type))
        containers.append(box)
        return box
    }

    // The protocol does not let these throw. Their containers throw when they are written to.
    func unkeyedContainer() -> any UnkeyedEncodingContainer { RefusedValues(error: unsupported()) }
    func singleValueContainer() -> any SingleValueEncodingContainer { RefusedValues(error: unsupported()) }
}
