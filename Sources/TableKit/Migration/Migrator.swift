import Foundation

/// Migrates a database to the current schema by named steps.
///
/// Each step runs once, in registration order, in a transaction of its own that also records its name, also where
/// several programs migrate one database at the same time. A step that throws leaves the database as it was before the
/// step.
///
/// ```swift
/// var migrator = Migrator<SiltstoneDatabaseConfiguration>()
/// migrator.register("people") { db in try db.create(Person.self) }
/// migrator.register("surnames") { db in try db.rename(\Person.surname, from: "lastName") }
/// try migrator.migrate(db)
/// ```
public struct Migrator<C: DatabaseConfigurationProtocol>: Sendable {
    /// A change of the schema or of rows.
    public typealias Step = @Sendable (Database<C>) throws -> Void

    /// For development. If true and the applied steps are not a prefix of the registered ones, `migrate(_:)` drops all
    /// tables and runs all steps.
    public var eraseOnChange = false

    private var steps: [(name: String, run: Step)] = []

    /// A migrator without steps.
    public init() {}

    /// Adds a step.
    /// - Parameters:
    ///   - name: the recorded name. `migrate(_:)` throws if two steps share a name.
    ///   - step: the change. Its statements must use the database passed to it.
    public mutating func register(_ name: String, _ step: @escaping Step) { steps.append((name, step)) }

    /// The names of the registered steps, in order.
    public var names: [String] { steps.map(\.name) }

    /// The names of the applied steps, in order.
    public func applied(_ database: Database<C>) throws -> [String] {
        guard try database.tables().contains(where: { $0.structure.name == AppliedMigration.tableName }) else {
            return []
        }
        return try database.table(AppliedMigration.self).order(by: \.number).all().map(\.name)
    }

    /// Runs the steps that were not applied yet.
    /// - Returns: their names.
    /// - Throws: the errors of a step; ``CRUDSQLGenError`` if two steps share a name, or if an applied step is not
    ///   registered: a newer program has used the database.
    @discardableResult
    public func migrate(_ database: Database<C>) throws -> [String] {
        try database.engine.migrating { try run(database) }
    }

    private func run(_ database: Database<C>) throws -> [String] {
        if let twice = Dictionary(grouping: names, by: { $0 }).first(where: { $1.count > 1 })?.key {
            throw CRUDSQLGenError("Two migrations are named \(twice).", code: .argument)
        }
        var applied = try applied(database)
        if eraseOnChange, Array(names.prefix(applied.count)) != applied {
            try eraseAll(database)
            applied = []
        }
        if let unknown = applied.first(where: { !names.contains($0) }) {
            throw CRUDSQLGenError(
                "The database has run the migration \(unknown), which this program does not know.", code: .unsupported)
        }
        var done: [String] = []
        for step in steps where !applied.contains(step.name) {
            let isNew = try database.transaction { () throws -> Bool in
                let table = try database.create(AppliedMigration.self)
                // Another program may have applied the step by now.
                if try table.where(\AppliedMigration.name == step.name).count() > 0 { return false }
                let last = try table.max(\.number) ?? 0
                try step.run(database)
                try table.insert(AppliedMigration(number: last + 1, name: step.name, date: Date()))
                return true
            }
            if isNew { done.append(step.name) }
        }
        return done
    }

    /// Runs the steps that were not applied yet, in a task.
    @discardableResult
    public func migrate(_ database: Database<C>) async throws -> [String] {
        // The steps run on another thread, where they still belong to this task's transaction.
        let scope = TransactionScope.innermost
        return try await database.engine.migrating {
            try TransactionScope.$innermost.withValue(scope) { try run(database) }
        }
    }

    private func eraseAll(_ database: Database<C>) throws {
        try database.transaction {
            var names = try database.tables().map(\.structure.name)
            // A table can be dropped only after the tables that refer to it, so each round drops the possible ones.
            while !names.isEmpty {
                var left: [String] = []
                var refusal: (any Error)?
                for name in names {
                    do { try database.transaction { try database.alter(.dropTable(name)) } } catch let error
                        as any TableError
                        where error.code == .foreignKey
                    {
                        left.append(name)
                        refusal = error
                    }
                }
                if let refusal, left.count == names.count { throw refusal }
                names = left
            }
        }
    }
}

/// A migration that was applied.
struct AppliedMigration: Codable, TableNameProvider {
    static let tableName = "crud_migrations"

    enum CodingKeys: String, CodingKey {
        case number = "id"
        case name, date
    }

    let number: Int
    let name: String
    let date: Date
}
