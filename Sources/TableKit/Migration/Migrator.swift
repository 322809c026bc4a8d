import Foundation

/// Brings a database to the present schema by named steps.
///
/// Each step runs once, in the order in which the steps were registered, in a transaction of its own that also remembers its
/// name. A step that throws leaves the database as the step before it left it.
///
/// ```swift
/// var migrator = Migrator<SiltstoneDatabaseConfiguration>()
/// migrator.register("people") { db in try db.create(Person.self) }
/// migrator.register("surnames") { db in try db.rename(\Person.surname, from: "lastName") }
/// try migrator.migrate(db)
/// ```
public struct Migrator<C: DatabaseConfigurationProtocol>: Sendable {
    /// A change of the schema, or of rows.
    public typealias Step = @Sendable (Database<C>) throws -> Void

    /// For development: where the steps that ran are not the first of those that are registered, all tables are dropped and
    /// all steps run.
    public var eraseOnChange = false

    private var steps: [(name: String, run: Step)] = []

    /// A migrator without steps.
    public init() {}

    /// Adds a step.
    /// - Parameters:
    ///   - name: what the database remembers it by. Of two steps of one name, `migrate(_:)` throws.
    ///   - step: what it does. Its statements use the database that it is given.
    public mutating func register(_ name: String, _ step: @escaping Step) { steps.append((name, step)) }

    /// The names of the steps, in their order.
    public var names: [String] { steps.map(\.name) }

    /// The names of the steps that ran, in their order.
    public func applied(_ database: Database<C>) throws -> [String] {
        guard try database.tables().contains(where: { $0.structure.name == AppliedMigration.tableName }) else {
            return []
        }
        return try database.table(AppliedMigration.self).order(by: \.number).all().map(\.name)
    }

    /// Runs the steps that did not run yet.
    /// - Returns: their names.
    /// - Throws: what a step throws; ``CRUDSQLGenError`` where two steps have one name, or where the database remembers a
    ///   step that is not registered: a newer program has used it.
    @discardableResult
    public func migrate(_ database: Database<C>) throws -> [String] {
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
            try database.transaction {
                let table = try database.create(AppliedMigration.self)
                let last = try table.max(\.number) ?? 0
                try step.run(database)
                try table.insert(AppliedMigration(number: last + 1, name: step.name, date: Date()))
            }
            done.append(step.name)
        }
        return done
    }

    /// Runs the steps that did not run yet, where waiting is allowed.
    @discardableResult
    public func migrate(_ database: Database<C>) async throws -> [String] {
        try await database.engine.perform { try self.migrate(database) }
    }

    private func eraseAll(_ database: Database<C>) throws {
        try database.transaction {
            var names = try database.tables().map(\.structure.name)
            // Tables that others refer to go after those.
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

/// A migration that ran.
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
