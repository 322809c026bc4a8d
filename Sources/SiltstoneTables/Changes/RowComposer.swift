import TableKit

/// Composes rows of one layout from columns of other rows and from values.
struct RowComposer {
    /// The source of a column.
    enum Source: Sendable {
        /// Copies the bytes of a column of the old or the new row.
        case copy(RowSlot, isOld: Bool)
        /// Converts a column of the old or the new row from another type.
        case convert(RowSlot, isOld: Bool)
        /// The bytes of a constant value.
        case bytes([UInt8])
        case null

        /// A constant source for a column of this type.
        static func value(_ value: ColumnValue, for type: ColumnType) throws(CRUDEncoderError) -> Source {
            let value = try value.converted(to: type)
            return value.isNull ? .null : .bytes(value.slotBytes(type))
        }

        /// A source from a slot of another row, for a column of this type.
        static func slot(_ slot: RowSlot, isOld: Bool, for type: ColumnType) -> Source {
            slot.type == type ? .copy(slot, isOld: isOld) : .convert(slot, isOld: isOld)
        }
    }

    let layout: RowLayout
    /// The last composed row.
    private(set) var bytes: [UInt8] = []
    private var variable: [UInt8] = []
    private var ends: [Int] = []

    init(_ layout: RowLayout) { self.layout = layout }

    /// Composes a row into ``bytes``.
    /// - Parameters:
    ///   - sources: one for each column of the layout.
    ///   - old: the row for sources with `isOld`.
    ///   - new: the row for all other sources.
    /// - Throws: `TableErrorCode.type` if a value does not fit its column; `TableErrorCode.corrupt`.
    mutating func compose(_ sources: [Source], old: RawSpan, new: RawSpan) throws {
        bytes.removeAll(keepingCapacity: true)
        bytes.append(contentsOf: repeatElement(0, count: layout.endsStart))
        variable.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        bytes[0] = RowLayout.format
        bytes[2] = UInt8(truncatingIfNeeded: layout.number)
        bytes[3] = UInt8(truncatingIfNeeded: layout.number >> 8)
        for (slot, source) in zip(layout.slots, sources) {
            switch source {
            case .copy(let from, let isOld):
                // Two calls, because the compiler allows no variable that holds one of two spans.
                if isOld { try copy(from, of: old, to: slot) } else { try copy(from, of: new, to: slot) }
            case .convert(let from, let isOld):
                let value = isOld ? try from.value(in: old) : try from.value(in: new)
                try set(slot, .value(value, for: slot.type))
            case .bytes, .null: set(slot, source)
            }
            if !slot.isFixed { ends.append(variable.count) }
        }
        RowLayout.complete(&bytes, variable, ends: ends)
    }

    private mutating func set(_ slot: RowSlot, _ source: Source) {
        guard case .bytes(let value) = source else {
            bytes[slot.nullByte] |= slot.nullMask
            return
        }
        if !slot.isFixed {
            variable += value
        } else if slot.place + value.count <= bytes.count {
            for (offset, byte) in value.enumerated() { bytes[slot.place + offset] = byte }
        }
    }

    private mutating func copy(_ from: RowSlot, of row: RawSpan, to slot: RowSlot) throws(CRUDDecoderError) {
        if try from.isNull(in: row) {
            bytes[slot.nullByte] |= slot.nullMask
            return
        }
        guard let width = slot.type.fixedWidth else {
            let part = row.extracting(try from.range(in: row))
            unsafe part.withUnsafeBytes { unsafe variable.append(contentsOf: $0) }
            return
        }
        guard from.place + width <= row.byteCount else {
            throw CRUDDecoderError("The row is shorter than its layout says.", code: .corrupt)
        }
        let part = row.extracting(from.place..<from.place + width)
        unsafe bytes.withUnsafeMutableBytes { target in
            unsafe part.withUnsafeBytes {
                unsafe UnsafeMutableRawBufferPointer(rebasing: target[slot.place...]).copyMemory(from: $0)
            }
        }
    }
}
