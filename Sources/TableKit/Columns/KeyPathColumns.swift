import Synchronization

/// The target of a key path in a table.
public enum KeyPathTarget: Sendable, Hashable {
    /// The column of this number in ``TableStructure/columns``.
    case column(Int)
    /// The array property of this number in ``TableStructure/subTables``.
    case subTable(Int)
}

/// Resolves key paths to columns.
public enum KeyPathColumns {
    /// Resolves a key path in the structure of its root type, and caches the result.
    /// - Throws: ``CRUDSQLGenError`` with the type and the path, if it is not a stored property with a column: a
    ///   computed property, a path into a nested value, or a path of a type that is no table.
    /// - Complexity: O(1) if cached, else O(columns · log columns).
    public static func target(of path: AnyKeyPath) throws -> KeyPathTarget {
        if let known = cache.withLock({ $0.target(of: path) }) { return known }
        let target = try find(path)
        cache.withLock { $0.add(path, target) }
        return target
    }

    private static let cache = Mutex(Cache())

    private static func find(_ path: AnyKeyPath) throws -> KeyPathTarget {
        let root = type(of: path).rootType
        guard let table = root as? any Codable.Type else {
            throw CRUDSQLGenError("The key path \(path) starts from \(root), which is no table.", code: .unsupported)
        }
        return try find(path, in: table)
    }

    private static func find<T: Codable>(_ path: AnyKeyPath, in type: T.Type) throws -> KeyPathTarget {
        let structure = try TableStructure.of(type)
        guard let typed = path as? PartialKeyPath<T> else {
            throw CRUDSQLGenError("The key path \(path) does not start from \(type).", table: structure.name)
        }
        // A path to a value that is not optional may unwrap an array with `!`: its probes have an array to read.
        let hasSubTables = !(Swift.type(of: path).valueType is any OptionalProtocol.Type)
        let table =
            try cache.withLock { $0.probes(ObjectIdentifier(type), hasSubTables) } as? ProbeTable<T>
            ?? ProbeTable<T>(structure, hasSubTables: hasSubTables)
        cache.withLock { $0.keep(table, ObjectIdentifier(type), hasSubTables) }
        let target = try table.target(of: typed)
        // Stored properties of structures have an offset. Computed ones and those of classes and wrappers have none.
        if case .column(let number) = target, MemoryLayout<T>.offset(of: typed) == nil {
            let column = structure.columns[number].name
            guard try OddProbeTable<T>(structure).holds(typed, column) else { throw table.noColumn(typed) }
        }
        return target
    }
}

/// The cache of targets and probes. Key paths and probes are only compared and read, with or without the lock.
private struct Cache: @unchecked Sendable {
    private struct ProbeKey: Hashable {
        let type: ObjectIdentifier
        let hasSubTables: Bool
    }

    // Keyed by object address first: a literal without captures is one object. The cache keeps the path, so that no
    // other path gets its address. Paths made at run time are found by value; hashing one takes a microsecond.
    private var byAddress: [ObjectIdentifier: (path: AnyKeyPath, target: KeyPathTarget)] = [:]
    private var byValue: [AnyKeyPath: KeyPathTarget] = [:]
    private var probes: [ProbeKey: Any] = [:]
    private static let mostAddresses = 10_000

    mutating func target(of path: AnyKeyPath) -> KeyPathTarget? {
        if let known = byAddress[ObjectIdentifier(path)] { return known.target }
        guard let target = byValue[path] else { return nil }
        add(path, target)
        return target
    }

    mutating func add(_ path: AnyKeyPath, _ target: KeyPathTarget) {
        byValue[path] = target
        if byAddress.count < Cache.mostAddresses { byAddress[ObjectIdentifier(path)] = (path, target) }
    }

    func probes(_ type: ObjectIdentifier, _ hasSubTables: Bool) -> Any? {
        probes[ProbeKey(type: type, hasSubTables: hasSubTables)]
    }

    mutating func keep(_ table: Any, _ type: ObjectIdentifier, _ hasSubTables: Bool) {
        probes[ProbeKey(type: type, hasSubTables: hasSubTables)] = table
    }
}
