/// Excludes computed properties that equal a column for the usual probes alone, by instances in which this column has
/// ``OddProbe`` values.
///
/// A program's code may trap for values that its tables never hold. So as little of it as possible runs with them:
///
/// * A path that can be written is not checked: it reads a stored property, with few exceptions. So a property with a
///   setter is taken for the column that it equals for the usual probes.
/// * One column of an instance is odd: no other column's check fails.
/// * Only columns of standard types get odd values. A column of a program's own type is at most nil, if it is optional.
/// * A path to another type than the column's is not read, because a conversion may trap.
///
/// The `init(from:)` and `encode(to:)` of the table's type, and the getter, do run with them. A table's type that
/// conforms to ``ProbeValues`` is not checked.
struct OddProbeTable<T: Codable> {
    private struct Row {
        let item: T
        /// The column's probe.
        let value: ColumnValue?
        /// The column's value as the item encodes it. The type may change values when it decodes or encodes them.
        let encoded: ColumnValue
    }

    private let subTables: Set<String>
    private let given: [[String: any Encodable]]

    init(_ structure: TableStructure) throws {
        subTables = Set(structure.subTables.map(\.property))
        given = try ProbeTable<T>.given()
    }

    /// True if a key path reads in each odd instance the value that the column stores, or if that is not checked.
    /// - Parameters:
    ///   - path: a path that equals the column for the usual probes, and is no stored property of a structure.
    ///   - column: the column's name.
    func holds(_ path: PartialKeyPath<T>, _ column: String) throws -> Bool {
        guard given.isEmpty, !(path is any WritablePath), let (usual, decoded) = usual(column) else { return true }
        let read = ValueKind.unwrapped(Swift.type(of: path).valueType)
        // The type converts the column for its stored property.
        if let stored = Self.storedType(column, in: usual).map(ValueKind.unwrapped), stored != decoded, stored == read {
            return true
        }
        let integers = OddProbe.integerType(decoded).flatMap { from in OddProbe.integerType(read).map { (from, $0) } }
        let isRead = integers != nil || decoded == read
        return try OddProbe.allCases.allSatisfy { probe in
            // Only a computed property may have no room for a value of the column. Its conversion would trap.
            if let (from, to) = integers, probe.columnValue(from).fitting(to) == nil { return false }
            guard let row = row(column, probe) else { return true }
            if row.encoded.isNull, row.value?.isNull == true, !Self.canReadNull(path) {
                // The path may read the value with which the type itself replaces nil.
                if let stored = Self.storedType(column, in: usual), !ValueKind(stored).column.isOptional { return true }
                // Only `!` reads a value from nil, and it would trap here. Any other path replaces nil.
                return "\(path)".contains("!")
            }
            return try !isRead || reads(path, in: row)
        }
    }

    private func reads(_ path: PartialKeyPath<T>, in row: Row) throws -> Bool {
        guard let read = try Probe.columnValue(of: row.item[keyPath: path]) else { return false }
        return read.isIdentical(to: row.encoded) || row.value.map(read.isIdentical) ?? false
    }

    private static func canReadNull(_ path: PartialKeyPath<T>) -> Bool {
        let type = Swift.type(of: path).valueType
        return type is any OptionalProtocol.Type || type is any ColumnWrapper.Type
    }

    /// The type of the stored property with a column's name; nil if there is none.
    private static func storedType(_ column: String, in item: T) -> Any.Type? {
        var mirror: Mirror? = Mirror(reflecting: item)
        while let current = mirror {
            if let child = current.children.first(where: { $0.label == column || $0.label == "_" + column }) {
                return Swift.type(of: child.value)
            }
            mirror = current.superclassMirror
        }
        return nil
    }

    // MARK: Instances

    /// An instance without odd values, and the type that it decodes for a column, without optionals and wrappers.
    private func usual(_ column: String) -> (item: T, decoded: Any.Type)? {
        let decoder = decoder { _ in nil }
        do {
            let item = try T(from: decoder)
            guard let property = decoder.properties.first(where: { $0.name == column }) else { return nil }
            return (item, ValueKind.unwrapped(property.type))
        } catch {
            return nil
        }
    }

    /// Decodes an instance in which one column is odd; nil if the type refuses it.
    private func row(_ column: String, _ probe: OddProbe) -> Row? {
        let decoder = decoder { $0 == column ? probe : nil }
        do {
            let item = try T(from: decoder)
            let encoded = try ValueCollector.values(of: item)[column].flatMap(Probe.columnValue(of:)) ?? .null
            return Row(item: item, value: decoder.values[column], encoded: encoded)
        } catch {
            return nil
        }
    }

    private func decoder(_ odd: @escaping (String) -> OddProbe?) -> ProbeDecoder {
        let subTables = subTables
        return ProbeDecoder(T.self, given: given, odd: odd) { subTables.contains($0) }
    }
}

/// A key path that can be written.
private protocol WritablePath {}

extension WritableKeyPath: WritablePath {}
