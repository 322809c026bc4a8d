import TableKit

// The bytes are described in Docs/Format.md, "Tables".

extension TableDefinition {
    private static let version: UInt8 = 1

    /// The encoded definition, as stored.
    func encoded() -> [UInt8] {
        var out = CatalogueWriter()
        out.byte(Self.version)
        out.text(name)
        out.number(nextColumn)
        out.number(nextIndex)
        out.list(columns) { out, column in column.write(to: &out) }
        out.list(primaryKey) { $0.number($1) }
        out.list(layouts) { out, layout in
            out.list(layout) { out, column in
                out.number(column.id)
                out.byte(column.type.rawValue)
            }
        }
        out.list(indexes) { out, index in index.write(to: &out) }
        return out.bytes
    }

    /// - Throws: `TableErrorCode.corrupt` if the bytes are no definition.
    init(id: UInt64, _ bytes: [UInt8]) throws(CRUDDecoderError) {
        var input = CatalogueReader(bytes)
        guard try input.byte() == Self.version else {
            throw CRUDDecoderError("Table \(id) was described by a newer release.", code: .corrupt)
        }
        self.id = id
        name = try input.text()
        nextColumn = try input.number()
        nextIndex = try input.number()
        columns = try input.list { input throws(CRUDDecoderError) in try ColumnDescription(&input) }
        primaryKey = try input.list { input throws(CRUDDecoderError) in try input.number() }
        layouts = try input.list { input throws(CRUDDecoderError) in
            try input.list { input throws(CRUDDecoderError) in
                LayoutColumn(id: try input.number(), type: try input.columnType())
            }
        }
        indexes = try input.list { input throws(CRUDDecoderError) in try IndexDescription(&input) }
        try input.end()
        try check()
    }

    /// Checks the invariants that other code relies on.
    private func check() throws(CRUDDecoderError) {
        let ids = Set(columns.map(\.id))
        let isSound =
            ids.count == columns.count && primaryKey.allSatisfy(ids.contains)
            && layouts.last?.map(\.id) == columns.map(\.id)
            && layouts.last?.map(\.type) == columns.map(\.column.type)
            && layouts.count <= Int(UInt16.max) + 1
            && indexes.allSatisfy { $0.columns.allSatisfy(ids.contains) && $0.id >= KeySpace.firstIndexNumber }
        if !isSound || !areOldRowsSound {
            throw CRUDDecoderError("The description of the table contradicts itself.", code: .corrupt, table: name)
        }
    }

    /// True if columns have one type in all layouts, and initial values of this type. Conditions are compiled for the
    /// newest type, and run on the bytes of old rows.
    private var areOldRowsSound: Bool {
        let types = Dictionary(columns.map { ($0.id, $0.column.type) }) { first, _ in first }
        let initialValues = columns.allSatisfy { column in
            let value = column.initialValue
            return value.fitting(column.column.type).map { ColumnValue.areSame($0, value) } ?? false
        }
        return initialValues
            && layouts.allSatisfy { layout in
                // A column that was dropped has no type any more. No new one may take its number.
                layout.allSatisfy { (types[$0.id] ?? $0.type) == $0.type && $0.id < nextColumn }
            }
    }
}

extension ColumnDescription {
    private static let (optional, hasDefault, isForeignKey): (UInt8, UInt8, UInt8) = (1, 2, 4)

    fileprivate func write(to out: inout CatalogueWriter) {
        out.number(id)
        out.text(column.name)
        out.byte(column.type.rawValue)
        out.byte(
            (column.isOptional ? Self.optional : 0) | (column.defaultValue != nil ? Self.hasDefault : 0)
                | (column.foreignKey != nil ? Self.isForeignKey : 0))
        if let value = column.defaultValue { out.value(value) }
        out.value(initialValue)
        guard let key = column.foreignKey else { return }
        out.text(key.table)
        out.byte(key.onDelete.rawValue)
        out.byte(key.onUpdate.rawValue)
    }

    fileprivate init(_ input: inout CatalogueReader) throws(CRUDDecoderError) {
        id = try input.number()
        var column = Column(try input.text(), try input.columnType())
        let flags = try input.byte()
        column.isOptional = flags & Self.optional != 0
        if flags & Self.hasDefault != 0 { column.defaultValue = try input.value() }
        initialValue = try input.value()
        if flags & Self.isForeignKey != 0 {
            column.foreignKey = ForeignKeyReference(
                table: try input.text(), onDelete: try input.action(), onUpdate: try input.action())
        }
        self.column = column
    }
}

extension IndexDescription {
    private static let (unique, automatic): (UInt8, UInt8) = (1, 2)

    fileprivate func write(to out: inout CatalogueWriter) {
        out.number(id)
        out.text(name)
        out.byte((isUnique ? Self.unique : 0) | (isAutomatic ? Self.automatic : 0))
        out.byte(state.rawValue)
        out.list(columns) { $0.number($1) }
    }

    fileprivate init(_ input: inout CatalogueReader) throws(CRUDDecoderError) {
        id = try input.number()
        name = try input.text()
        let flags = try input.byte()
        isUnique = flags & Self.unique != 0
        isAutomatic = flags & Self.automatic != 0
        guard let state = State(rawValue: try input.byte()) else { throw input.damaged }
        self.state = state
        columns = try input.list { input throws(CRUDDecoderError) in try input.number() }
    }
}
