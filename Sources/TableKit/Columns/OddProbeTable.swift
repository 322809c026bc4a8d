/// Instances of a table's type with ``OddProbe`` values in all columns.
///
/// Only key paths that are no stored property of a structure are read from them.
struct OddProbeTable<T: Codable> {
    private struct Row {
        let item: T
        /// The probe of each column.
        let values: [String: ColumnValue]
        /// The properties as the item encodes them. The type may change values when it decodes or encodes them.
        let encoded: [String: any Encodable]
    }

    private let structure: TableStructure
    private let given: [[String: any Encodable]]
    /// Rows by their probes. Types may refuse them.
    private var rows: [OddProbe: Row] = [:]

    init(_ structure: TableStructure) throws {
        self.structure = structure
        given = try ProbeTable<T>.given()
        for probe in OddProbe.allCases { rows[probe] = row { _ in probe } }
    }

    /// True if a key path reads in each instance the value that the column stores.
    /// - Parameters:
    ///   - path: a path that equals the column for the usual probes, and is no stored property of a structure.
    ///   - column: the column's name.
    func holds(_ path: PartialKeyPath<T>, _ column: String) throws -> Bool {
        try OddProbe.allCases.allSatisfy { probe in
            // A type that refuses odd values of other columns may accept one of this column.
            guard let row = rows[probe] ?? row({ $0 == column ? probe : nil }) else { return true }
            return try holds(path, column, in: row)
        }
    }

    private func holds(_ path: PartialKeyPath<T>, _ column: String, in row: Row) throws -> Bool {
        let encoded = try row.encoded[column].flatMap(Probe.columnValue(of:)) ?? .null
        if encoded.isNull, row.values[column]?.isNull == true, !OddProbeTable.canReadNull(path) {
            // Only `!` reads a value from nil, and it would trap here. Any other path replaces nil.
            return "\(path)".contains("!")
        }
        let read = try Probe.columnValue(of: row.item[keyPath: path])
        return read == encoded || read == row.values[column]
    }

    private static func canReadNull(_ path: PartialKeyPath<T>) -> Bool {
        let type = Swift.type(of: path).valueType
        return type is any OptionalProtocol.Type || type is any ColumnWrapper.Type
    }

    /// Decodes an instance; nil if the type refuses it.
    private func row(_ probe: @escaping (String) -> OddProbe?) -> Row? {
        let subTables = Set(structure.subTables.map(\.property))
        let decoder = ProbeDecoder(T.self, given: given, odd: probe) { subTables.contains($0) }
        do {
            let item = try T(from: decoder)
            return Row(item: item, values: decoder.values, encoded: try ValueCollector.values(of: item))
        } catch {
            return nil
        }
    }
}
