/// Instances of a table's type whose properties encode the numbers of their columns.
///
/// A key path reveals its property only by reading it. The type is decoded ⌈log₂(n + 1)⌉ times, and each property gets
/// the first or the second probe of its type by the bits of its number. The values that a key path reads encode the
/// number. Further instances exclude properties that are computed from columns: all first probes, all second, all bits
/// inverted, and eight by a hash. ``OddProbeTable`` excludes those that equal a column for these values alone.
struct ProbeTable<T: Codable> {
    private struct Row {
        let item: T
        let values: [String: ColumnValue]
        let second: (String) -> Bool
    }

    private let structure: TableStructure
    private let rows: [Row]
    private let hasSubTables: Bool
    /// The last error of an instance that could not be decoded.
    private let failure: (any Error)?

    /// - Parameters:
    ///   - structure: the columns of `T`.
    ///   - hasSubTables: true to use empty arrays for all array properties that joins fill. Else they encode numbers,
    ///     too, by being nil or not.
    /// - Throws: the last decoding error, if no instance can be decoded.
    init(_ structure: TableStructure, hasSubTables: Bool) throws {
        self.structure = structure
        self.hasSubTables = hasSubTables
        let given = try ProbeTable.given()
        let names = structure.columns.map(\.name) + structure.subTables.map(\.property)
        let codes = Dictionary(zip(names, 1...)) { first, _ in first }
        let columnCount = structure.columns.count
        var rows: [Row] = []
        var failure: (any Error)?
        for pattern in ProbeTable.patterns(count: names.count) {
            let second = { (name: String) -> Bool in
                guard let code = codes[name] else { return false }
                return hasSubTables && code > columnCount ? true : pattern(code)
            }
            let decoder = ProbeDecoder(T.self, given: given, isSecond: second)
            do {
                rows.append(Row(item: try T(from: decoder), values: decoder.values, second: second))
            } catch {
                failure = error
            }
        }
        if rows.isEmpty, let failure { throw failure }
        self.rows = rows
        self.failure = failure
    }

    /// The probes that the type provides itself.
    static func given() throws -> [[String: any Encodable]] {
        guard let type = T.self as? any (ProbeValues & Encodable).Type else { return [] }
        return try type.collected()
    }

    /// For each instance, a function that returns true if the property with this code gets the second probe.
    private static func patterns(count: Int) -> [(Int) -> Bool] {
        let bits = 0..<max(1, Int.bitWidth - count.leadingZeroBitCount)
        let plain = bits.map { bit in { (code: Int) in code >> bit & 1 == 1 } }
        let inverted = bits.map { bit in { (code: Int) in code >> bit & 1 == 0 } }
        let hashed = (1...8).map { round in { (code: Int) in hash(code, round) } }
        return [{ _ in false }, { _ in true }] + plain + inverted + hashed
    }

    private static func hash(_ code: Int, _ round: Int) -> Bool {
        let mixed = (UInt64(code) &* 8 &+ UInt64(round)) &* 0x9e37_79b9_7f4a_7c15
        let spread = (mixed ^ (mixed >> 32)) &* 0xd6e8_feb8_6659_fd93
        return spread >> 63 == 1
    }

    /// Resolves a key path.
    /// - Throws: ``CRUDSQLGenError`` if it is no column and no array property, or if its column is ambiguous.
    func target(of path: PartialKeyPath<T>) throws -> KeyPathTarget {
        var columns = Set(structure.columns.indices)
        var subTables = hasSubTables ? [] : Set(structure.subTables.indices)
        for row in rows where !(columns.isEmpty && subTables.isEmpty) {
            let read = row.item[keyPath: path]
            let isArray = ((read as? any OptionalProtocol)?.wrappedValue ?? read) is any AnyArray
            let isNil = (read as? any OptionalProtocol).map { $0.wrappedValue == nil } ?? false
            let value = try Probe.columnValue(of: read)
            columns = columns.filter { column in
                guard let value, let known = row.values[structure.columns[column].name] else { return false }
                return value.isIdentical(to: known)
            }
            subTables = subTables.filter {
                row.second(structure.subTables[$0].property) ? isArray && !isNil : isNil
            }
        }
        switch (columns.count, subTables.count) {
        case (1, 0): if let column = columns.first { return .column(column) }
        case (0, 1): if let subTable = subTables.first { return .subTable(subTable) }
        case (0, 0): break
        default: throw ambiguous(path, columns.sorted())
        }
        throw noColumn(path)
    }

    /// The error for a path that is no column and no array property.
    func noColumn(_ path: PartialKeyPath<T>) -> CRUDSQLGenError {
        CRUDSQLGenError(
            """
            The key path \(path) of \(T.self) is no column of table \(structure.name): it is computed, or leads into a \
            nested value. Columns: \(structure.columns.map(\.name).joined(separator: ", ")).
            """, code: .noColumn, table: structure.name)
    }

    private func ambiguous(_ path: PartialKeyPath<T>, _ columns: [Int]) -> CRUDSQLGenError {
        let names = columns.map { structure.columns[$0].name }.joined(separator: ", ")
        return CRUDSQLGenError(
            """
            The key path \(path) of \(T.self) cannot be told apart: it may be \(names). Let the types of these properties \
            conform to ProbeValues, with two different values.\(failure.map { " (\($0))" } ?? "")
            """, code: .unsupported, table: structure.name)
    }
}

extension ProbeValues where Self: Encodable {
    fileprivate static func collected() throws -> [[String: any Encodable]] {
        let (first, second) = probeValues
        return [try ValueCollector.values(of: first), try ValueCollector.values(of: second)]
    }
}
