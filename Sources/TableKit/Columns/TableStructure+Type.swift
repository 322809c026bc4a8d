import Synchronization

extension TableStructure {
    /// The structure of a type's table: one object for each type and key, for the life of the process.
    /// - Parameters:
    ///   - type: the type. Decoded from made-up values at the first call, see ``ProbeValues``.
    ///   - primaryKey: the properties of the key. Empty: the `@PrimaryKey` properties, else the column named `id`, else
    ///     none.
    /// - Throws: ``CRUDSQLGenError`` if the type cannot be decoded, or a path is no column.
    public static func of<T: Codable>(
        _ type: T.Type, primaryKey: [PartialKeyPath<T>] = []
    ) throws -> TableStructure {
        let plain = try known(type, key: nil) { try TableStructure(probing: type) }
        if primaryKey.isEmpty { return plain }
        let key = try primaryKey.map { path in
            guard case .column(let number) = try KeyPathColumns.target(of: path) else {
                throw CRUDSQLGenError(
                    "The key path \(path) of \(type) is a sub-table and no key.", code: .unsupported, table: plain.name)
            }
            return number
        }
        if key == plain.primaryKey { return plain }
        return try known(type, key: key) {
            let structure = TableStructure(
                name: plain.name, columns: plain.columns, primaryKey: key, subTables: plain.subTables)
            try structure.checkKeys()
            return structure
        }
    }

    /// As ``of(_:primaryKey:)``, for a type known only at run time, such as that of a ``SubTable``.
    public static func of(any type: any Codable.Type) throws -> TableStructure {
        func opened<T: Codable>(_ type: T.Type) throws -> TableStructure { try of(type, primaryKey: []) }
        return try opened(type)
    }

    private struct CacheKey: Hashable {
        let type: ObjectIdentifier
        let key: [Int]?
    }

    private static let cache = Mutex<[CacheKey: TableStructure]>([:])

    /// Returns the cached structure. Creates it outside the lock: decoding calls code of the type.
    private static func known(
        _ type: Any.Type, key: [Int]?, make: () throws -> TableStructure
    ) throws -> TableStructure {
        let cacheKey = CacheKey(type: ObjectIdentifier(type), key: key)
        if let found = cache.withLock({ $0[cacheKey] }) { return found }
        let made = try make()
        return cache.withLock { cache in
            if let found = cache[cacheKey] { return found }
            cache[cacheKey] = made
            return made
        }
    }
}

extension TableStructure {
    /// The structure found by decoding a type.
    private convenience init<T: Codable>(probing type: T.Type) throws {
        let properties = try TableStructure.properties(of: type)
        var columns: [Column] = []
        var subTables: [SubTable] = []
        var wrapped: [Int] = []
        for property in properties {
            if let element = property.element {
                subTables.append(SubTable(property: property.name, element: element))
                continue
            }
            let kind = ValueKind(property.type)
            let (columnType, isOptional) = kind.column
            var column = Column(property.name, columnType, isOptional: isOptional || property.isOptional)
            if case .wrapper(let wrapper) = kind {
                column.foreignKey = wrapper.foreignKey
                if wrapper.isPrimaryKey { wrapped.append(columns.count) }
            }
            columns.append(column)
        }
        let id = columns.firstIndex { $0.name == "id" && $0.type != .json }
        self.init(
            name: type.CRUDTableName, columns: columns, primaryKey: wrapped.isEmpty ? id.map { [$0] } ?? [] : wrapped,
            subTables: subTables)
        try checkKeys()
        if columns.isEmpty {
            throw CRUDSQLGenError("\(type) is no table: it has no columns.", code: .unsupported, table: name)
        }
    }

    private static func properties<T: Codable>(of type: T.Type) throws -> [ProbeDecoder.Property] {
        let given = try ProbeTable<T>.given()
        let first = ProbeDecoder(type, given: given) { _ in false }
        do {
            _ = try T(from: first)
            return first.properties
        } catch let failure {
            // A type that rejects the first probes may accept the second.
            let second = ProbeDecoder(type, given: given) { _ in true }
            do {
                _ = try T(from: second)
                return second.properties
            } catch {
                throw failure as? CRUDSQLGenError
                    ?? CRUDSQLGenError(
                        "\(type) does not decode from made-up values: let it conform to ProbeValues. (\(failure))",
                        code: .unsupported, table: type.CRUDTableName)
            }
        }
    }

    /// Checks that keys and references are columns with an order, and that the key names no column twice.
    private func checkKeys() throws {
        for (number, column) in columns.enumerated() where column.type == .json {
            guard primaryKey.contains(number) || column.foreignKey != nil else { continue }
            throw CRUDSQLGenError(
                "A nested value cannot be a key.", code: .unsupported, table: name, column: column.name)
        }
        if Set(primaryKey).count < primaryKey.count {
            throw CRUDSQLGenError("The key names a column twice.", code: .unsupported, table: name)
        }
    }
}
