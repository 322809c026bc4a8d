extension DatabaseProtocol {
    /// Gives a column the name of a property. Rows keep their values.
    /// - Parameters:
    ///   - property: the property, whose column does not exist yet.
    ///   - old: the column's name until now.
    /// - Throws: an error of ``TableErrorCode/noColumn``, or of ``TableErrorCode/exists``.
    public func rename<A: Codable, V>(_ property: KeyPath<A, V>, from old: String) throws {
        let structure = try TableStructure.of(A.self)
        let new = structure.columns[try property.columnNumber()].name
        try alter(.renameColumn(table: structure.name, old, to: new))
    }

    /// Gives a table the name of a type's. Rows and indexes stay.
    public func rename<A: Codable>(_ type: A.Type, from old: String) throws {
        try alter(.renameTable(old, to: A.CRUDTableName))
    }

    /// Gives a column the name of a property, in a task.
    public func rename<A: Codable, V>(_ property: KeyPath<A, V>, from old: String) async throws {
        let structure = try TableStructure.of(A.self)
        let new = structure.columns[try property.columnNumber()].name
        try await alter(.renameColumn(table: structure.name, old, to: new))
    }

    /// Gives a table the name of a type's, in a task.
    public func rename<A: Codable>(_ type: A.Type, from old: String) async throws {
        try await alter(.renameTable(old, to: A.CRUDTableName))
    }

    /// Drops the table of a type with its rows and indexes, if it exists, in a task.
    public func drop<A: Codable>(_ type: A.Type) async throws {
        let name = A.CRUDTableName
        try await access.changeAll { session in
            if try session.table(named: name) != nil { try session.alter(.dropTable(name)) }
        }
    }

    /// Drops the table of a type with its rows and indexes, if it exists.
    public func drop<A: Codable>(_ type: A.Type) throws {
        let name = A.CRUDTableName
        try access.changeAll { session in
            if try session.table(named: name) != nil { try session.alter(.dropTable(name)) }
        }
    }

    /// Changes the catalogue.
    public func alter(_ change: SchemaChange) throws { try access.change { try $0.alter(change) } }

    /// Changes the catalogue.
    public func alter(_ change: SchemaChange) async throws { try await access.change { try $0.alter(change) } }

    /// The tables with their columns and indexes, by name.
    public func tables() throws -> [TableInfo] { try access.read { try $0.tables() } }

    /// The tables with their columns and indexes, by name.
    public func tables() async throws -> [TableInfo] { try await access.read { try $0.tables() } }

    /// Looks at the values of all indexes, so that plans know how they are distributed: how many are different, how many
    /// NULL, which are frequent, and how they spread.
    ///
    /// Plans are right without it, and often as fast. It pays where some values are much more frequent than others, after
    /// large changes. Reads each index once, beside writers. Not within a transaction.
    /// - Throws: an error of ``TableErrorCode/transaction`` within a transaction.
    public func analyze() throws {
        try checkOutside()
        try engine.analyze(nil)
    }

    /// Looks at the values of the indexes of one table.
    public func analyze<A: Codable>(_ type: A.Type) throws {
        try checkOutside()
        try engine.analyze(A.CRUDTableName)
    }

    /// Looks at the values of all indexes, in a task.
    public func analyze() async throws {
        try checkOutside()
        let engine = engine
        try await engine.perform { try engine.analyze(nil) }
    }

    /// Looks at the values of the indexes of one table, in a task.
    public func analyze<A: Codable>(_ type: A.Type) async throws {
        try checkOutside()
        let engine = engine, name = A.CRUDTableName
        try await engine.perform { try engine.analyze(name) }
    }

    /// Analyzing takes a turn of its own, which a transaction of the same task would never give.
    private func checkOutside() throws {
        if TransactionScope.current(of: engine) != nil {
            throw CRUDSQLExeError("Tables are analyzed outside of transactions.", code: .transaction)
        }
    }

    /// Checks rows, indexes and constraints against each other.
    /// - Parameter progress: called with the share that is done.
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
