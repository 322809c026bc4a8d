extension DatabaseProtocol {
    /// Renames a column to the name of a property. Rows keep their values.
    /// - Parameters:
    ///   - property: the property. Its column must not exist yet.
    ///   - old: the column's current name.
    /// - Throws: an error of ``TableErrorCode/noColumn`` or ``TableErrorCode/exists``.
    public func rename<A: Codable, V>(_ property: KeyPath<A, V>, from old: String) throws {
        let structure = try TableStructure.of(A.self)
        let new = structure.columns[try property.columnNumber()].name
        try alter(.renameColumn(table: structure.name, old, to: new))
    }

    /// Renames a table to the name of a type's table. Keeps rows and indexes.
    public func rename<A: Codable>(_ type: A.Type, from old: String) throws {
        try alter(.renameTable(old, to: A.CRUDTableName))
    }

    /// Renames a column to the name of a property, in a task.
    public func rename<A: Codable, V>(_ property: KeyPath<A, V>, from old: String) async throws {
        let structure = try TableStructure.of(A.self)
        let new = structure.columns[try property.columnNumber()].name
        try await alter(.renameColumn(table: structure.name, old, to: new))
    }

    /// Renames a table to the name of a type's table, in a task.
    public func rename<A: Codable>(_ type: A.Type, from old: String) async throws {
        try await alter(.renameTable(old, to: A.CRUDTableName))
    }

    /// Drops the table of a type with its rows and indexes, if it exists, in a task.
    public func drop<A: Codable>(_ type: A.Type) async throws {
        let name = A.CRUDTableName
        try await access.changeAll { try $0.dropTable(ifPresent: name) }
    }

    /// Drops the table of a type with its rows and indexes, if it exists.
    public func drop<A: Codable>(_ type: A.Type) throws {
        let name = A.CRUDTableName
        try access.changeAll { try $0.dropTable(ifPresent: name) }
    }

    /// Changes the catalogue.
    public func alter(_ change: SchemaChange) throws { try access.change { try $0.alter(change) } }

    /// Changes the catalogue.
    public func alter(_ change: SchemaChange) async throws { try await access.change { try $0.alter(change) } }

    /// The tables with their columns and indexes, by name.
    public func tables() throws -> [TableInfo] { try access.read { try $0.tables() } }

    /// The tables with their columns and indexes, by name.
    public func tables() async throws -> [TableInfo] { try await access.read { try $0.tables() } }

    /// Collects statistics about the values of all indexes for the planner: the numbers of distinct values and NULLs,
    /// the frequent values, and the distribution.
    ///
    /// Queries return the same results without statistics, and often run as fast. An analysis pays after large changes
    /// if some values are much more frequent than others. It reads each index once, beside writers.
    /// - Throws: an error of ``TableErrorCode/transaction`` within a transaction.
    public func analyze() throws {
        try checkOutside()
        try engine.analyze(nil)
    }

    /// Collects statistics about the indexes of one table.
    public func analyze<A: Codable>(_ type: A.Type) throws {
        try checkOutside()
        try engine.analyze(A.CRUDTableName)
    }

    /// Collects statistics about all indexes, in a task.
    public func analyze() async throws {
        try checkOutside()
        let engine = engine
        try await engine.perform { try engine.analyze(nil) }
    }

    /// Collects statistics about the indexes of one table, in a task.
    public func analyze<A: Codable>(_ type: A.Type) async throws {
        try checkOutside()
        let engine = engine, name = A.CRUDTableName
        try await engine.perform { try engine.analyze(name) }
    }

    /// An analysis needs the transaction lock, which a transaction of the same task would never release.
    private func checkOutside() throws {
        if TransactionScope.current(of: engine) != nil {
            throw CRUDSQLExeError("Tables are analyzed outside of transactions.", code: .transaction)
        }
    }

    /// Checks rows, indexes and constraints against each other.
    /// - Parameter progress: called with the share that is done, from 0 to 1.
    /// - Returns: the problems, each as a sentence; empty where all is well.
    public func verify(progress: ((Double) -> Void)? = nil) throws -> [String] {
        try engine.verify(progress: progress)
    }

    /// Checks rows, indexes and constraints against each other.
    /// - Returns: the problems, each as a sentence; empty where all is well.
    public func verify() async throws -> [String] {
        let engine = engine
        return try await engine.perform { try engine.verify(progress: nil) }
    }
}
