import Foundation

/// Writes the properties of an item into a row: the encoder that types see.
///
/// The row is put together in memory of the writer's own, so that an item that fails leaves nothing behind. One object and
/// one container for each type of keys serve all items.
@safe final class RowWriter: Encoder {
    let structure: TableStructure
    let names: PropertyNames
    private let table: RowTable
    private let columnCount: Int
    /// What stands before the ends in a row all of whose columns are NULL.
    private let blank: [UInt8]
    /// The row under way, without its variable columns.
    private let fixed: UnsafeMutableRawPointer
    private let fixedCount: Int
    /// The bytes of the variable columns, in the order in which they were written.
    private var variable: UnsafeMutableRawPointer
    private var variableCapacity = 256
    private var variableCount = 0
    /// Where each variable column is in ``variable``.
    private let parts: UnsafeMutablePointer<(start: Int, end: Int)>
    private let partCount: Int
    /// The variable column that comes next, if all come in order.
    private var nextPart = 0
    private var isInOrder = true
    private var containers: [(key: ObjectIdentifier, container: AnyObject)] = []
    // The one that was last asked for. Compared by type, and therefore safe to cast without a check.
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
        var blank = [UInt8](repeating: 0, count: layout.endsStart)
        blank[0] = RowLayout.format
        blank[2] = UInt8(truncatingIfNeeded: layout.number)
        blank[3] = UInt8(truncatingIfNeeded: layout.number >> 8)
        for slot in layout.slots { blank[slot.nullByte] |= slot.nullMask }
        self.blank = blank
        fixedCount = blank.count
        partCount = layout.variableCount
        unsafe fixed = .allocate(byteCount: fixedCount + 4 * partCount, alignment: 8)
        unsafe variable = .allocate(byteCount: variableCapacity, alignment: 1)
        unsafe parts = .allocate(capacity: partCount)
        unsafe parts.initialize(repeating: (0, 0), count: partCount)
        writers = PropertyWriters(count: names.list.count + 1)
    }

    deinit {
        unsafe fixed.deallocate()
        unsafe variable.deallocate()
        unsafe parts.deallocate()
    }

    /// Ends the cycle of the writer and its containers. The owner calls it.
    func close() {
        containers = []
        lastKey = nil
        unsafe lastContainer = nil
    }

    // MARK: Rows

    /// Begins a row all of whose columns are NULL.
    func begin() {
        unsafe UnsafeMutableRawBufferPointer(start: fixed, count: fixedCount).copyBytes(from: blank)
        for part in 0..<partCount { unsafe parts[part] = (0, 0) }
        variableCount = 0
        nextPart = 0
        isInOrder = true
    }

    /// Appends the row to others.
    func finish(_ rows: inout RowBuffer) throws {
        let length = isInOrder ? variableCount : lengthInOrder()
        guard length <= Int(UInt32.max) else {
            throw CRUDEncoderError("A row is longer than 4 GiB.", code: .argument, table: structure.name)
        }
        if length > Int(UInt16.max) {
            unsafe fixed.storeBytes(of: RowLayout.wideEnds, toByteOffset: 1, as: UInt8.self)
            appendFixed(&rows, UInt32.self)
        } else {
            appendFixed(&rows, UInt16.self)
        }
        if isInOrder {
            unsafe rows.bytes.append(contentsOf: UnsafeRawBufferPointer(start: variable, count: length))
        } else {
            for part in 0..<partCount {
                let (start, end) = unsafe parts[part]
                unsafe rows.bytes.append(
                    contentsOf: UnsafeRawBufferPointer(start: variable + start, count: end - start))
            }
        }
        rows.ends.append(rows.bytes.count)
    }

    private func lengthInOrder() -> Int {
        var length = 0
        for part in 0..<partCount { length += unsafe parts[part].end - parts[part].start }
        return length
    }

    /// Appends what stands before the variable columns, with ends of a width.
    @inline(__always)
    private func appendFixed<End: FixedWidthInteger>(_ rows: inout RowBuffer, _ type: End.Type) {
        let width = MemoryLayout<End>.size
        var end = 0
        for part in 0..<partCount {
            end += unsafe parts[part].end - parts[part].start
            unsafe fixed.storeBytes(
                of: End(truncatingIfNeeded: end).littleEndian, toByteOffset: fixedCount + width * part, as: End.self)
        }
        unsafe rows.bytes.append(
            contentsOf: UnsafeRawBufferPointer(start: fixed, count: fixedCount + width * partCount))
    }

    // MARK: Values

    /// Whether a column has a type.
    @inline(__always)
    func takes(_ type: ColumnType, _ number: Int) -> Bool { unsafe table.entries[number].kind == type.rawValue }

    /// Whether a property is an array that joins fill.
    @inline(__always)
    func isSubTable(_ number: Int) -> Bool { unsafe table.entries[number].kind == RowEntry.subTable }

    /// Sets a fixed column. Only where it ``takes(_:_:)`` a type of this width.
    @inline(__always)
    func setFixed<T: BitwiseCopyable>(_ number: Int, _ value: T) {
        let entry = unsafe table.entries[number]
        unsafe fixed.storeBytes(of: value, toByteOffset: Int(entry.place), as: T.self)
        clearNull(entry)
    }

    @inline(__always)
    private func clearNull(_ entry: RowEntry) {
        let byte = unsafe fixed.load(fromByteOffset: Int(entry.nullByte), as: UInt8.self)
        unsafe fixed.storeBytes(of: byte & ~entry.nullMask, toByteOffset: Int(entry.nullByte), as: UInt8.self)
    }

    /// Sets a variable column. Only where it ``takes(_:_:)`` such a type.
    @inline(__always)
    func setBytes(_ number: Int, _ value: UnsafeRawBufferPointer) {
        let entry = unsafe table.entries[number]
        let part = Int(entry.place)
        if part < nextPart { isInOrder = false }
        nextPart = part + 1
        if variableCount + value.count > variableCapacity { grow(value.count) }
        if let source = value.baseAddress {
            unsafe (variable + variableCount).copyMemory(from: source, byteCount: value.count)
        }
        unsafe parts[part] = (variableCount, variableCount + value.count)
        variableCount += value.count
        clearNull(entry)
    }

    @inline(never)
    private func grow(_ count: Int) {
        let capacity = max(2 * variableCapacity, variableCount + count)
        let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 1)
        unsafe larger.copyMemory(from: variable, byteCount: variableCount)
        unsafe variable.deallocate()
        unsafe variable = larger
        variableCapacity = capacity
    }

    /// Sets a column to a value of any type: the slow way.
    /// - Throws: ``CRUDEncoderError`` where it does not fit.
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

    /// Makes a column NULL.
    func setNull(_ number: Int) throws {
        if isSubTable(number) { return }
        guard number < columnCount else { throw noColumn(number) }
        let slot = structure.layout.slots[number]
        let null = unsafe fixed.load(fromByteOffset: slot.nullByte, as: UInt8.self)
        unsafe fixed.storeBytes(of: null | slot.nullMask, toByteOffset: slot.nullByte, as: UInt8.self)
        guard let width = slot.type.fixedWidth else {
            if unsafe parts[slot.place].end > 0 { isInOrder = false }
            unsafe parts[slot.place] = (0, 0)
            return
        }
        for byte in slot.place..<slot.place + width {
            unsafe fixed.storeBytes(of: 0, toByteOffset: byte, as: UInt8.self)
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
            return unsafe Unmanaged<ContainerBox<Key>>.fromOpaque(lastContainer)._withUnsafeGuaranteedRef {
                $0.container
            }
        }
        return findContainer(type)
    }

    @inline(never)
    private func findContainer<Key: CodingKey>(_ type: Key.Type) -> KeyedEncodingContainer<Key> {
        let key = ObjectIdentifier(type)
        let known = containers.first { $0.key == key }?.container as? ContainerBox<Key>
        let box = known ?? ContainerBox(KeyedEncodingContainer(RowEncodingContainer(writer: self)))
        if known == nil { containers.append((key, box)) }
        lastKey = key
        unsafe lastContainer = UnsafeRawPointer(Unmanaged.passUnretained(box).toOpaque())
        return box.container
    }

    private final class ContainerBox<Key: CodingKey> {
        let container: KeyedEncodingContainer<Key>
        init(_ container: KeyedEncodingContainer<Key>) { self.container = container }
    }

    // The protocol lets these throw only when they are written to.
    func unkeyedContainer() -> any UnkeyedEncodingContainer { RefusedValues(error: unsupported()) }
    func singleValueContainer() -> any SingleValueEncodingContainer { RefusedValues(error: unsupported()) }
}
