/// One parsed SQL statement. Its names are not resolved yet.
indirect enum SQLStatement: Sendable {
    case transaction(SQLTransactionStep)
    case createTable(SQLTableDefinition)
    case dropTable(SQLName, ifExists: Bool)
    case createIndex(SQLIndexDefinition)
    case dropIndex(SQLName, ifExists: Bool)
    case alter(SQLName, SQLAlteration)
    case insert(SQLInsert)
    case update(SQLUpdate)
    case delete(SQLDelete)
    case select(SQLSelect)
    /// With `isRun` the query runs and its rows are counted. Changes nothing.
    case explain(SQLStatement, isRun: Bool)
    case pragma(name: SQLName, argument: SQLName?)

    /// True if the statement changes no data.
    var isReadOnly: Bool {
        switch self {
        case .select, .explain, .pragma: true
        default: false
        }
    }

    /// True if the statement changes the schema several times, so that it may fail with only a part of it done.
    var hasSeveralSteps: Bool {
        switch self {
        case .createTable(let table): !table.uniques.isEmpty || table.columns.contains(where: \.isUnique)
        case .alter(_, .addColumn(let column)): column.isUnique
        default: false
        }
    }
}

/// A name with its token.
struct SQLName: Sendable {
    var text: String
    var token: SQLToken
}

/// A statement that begins or ends a transaction or a savepoint.
enum SQLTransactionStep: Sendable {
    case begin, commit, rollback
    case savepoint(String)
    case release(String)
    case rollbackTo(String)
}

/// CREATE TABLE.
struct SQLTableDefinition: Sendable {
    var name: SQLName
    var ifNotExists = false
    var columns: [SQLColumnDefinition] = []
    var primaryKey: [SQLName] = []
    var uniques: [[SQLName]] = []
    var foreignKeys: [(column: SQLName, reference: SQLReference)] = []
}

/// A column of CREATE TABLE or ALTER TABLE.
struct SQLColumnDefinition: Sendable {
    var name: SQLName
    var type: ColumnType
    var isNotNull = false
    var isPrimaryKey = false
    var isUnique = false
    var defaultValue: ColumnValue?
    var reference: SQLReference?
}

/// REFERENCES.
struct SQLReference: Sendable {
    var table: SQLName
    /// The referenced column, if named.
    var column: SQLName?
    var onDelete = ForeignKeyAction.ignore
    var onUpdate = ForeignKeyAction.ignore
}

/// CREATE INDEX.
struct SQLIndexDefinition: Sendable {
    var name: SQLName?
    var isUnique: Bool
    var ifNotExists: Bool
    var table: SQLName
    var columns: [SQLName]
}

/// An action of ALTER TABLE.
enum SQLAlteration: Sendable {
    case addColumn(SQLColumnDefinition)
    case dropColumn(SQLName)
    case renameColumn(SQLName, to: SQLName)
    case renameTo(SQLName)
}

/// INSERT.
struct SQLInsert: Sendable {
    var table: SQLName
    var onConflict = InsertStatement.Conflict.fail
    /// Nil: all columns.
    var columns: [SQLName]?
    /// Nil: DEFAULT VALUES.
    var rows: [[SQLOperand]]?
    var returning: [SQLItem]?
}

/// UPDATE.
struct SQLUpdate: Sendable {
    var table: SQLName
    var assignments: [(column: SQLName, value: SQLOperand)]
    var condition: SQLCondition?
    var returning: [SQLItem]?
}

/// DELETE.
struct SQLDelete: Sendable {
    var table: SQLName
    var condition: SQLCondition?
    var returning: [SQLItem]?
}

/// SELECT.
struct SQLSelect: Sendable {
    var isDistinct = false
    var items: [SQLItem] = []
    /// Nil: a SELECT without a table.
    var table: SQLName?
    var alias: SQLName?
    var condition: SQLCondition?
    var groupBy: [SQLColumn] = []
    /// The condition on groups.
    var having: SQLCondition?
    var order: [(item: SQLOrderItem, isDescending: Bool)] = []
    var limit: SQLOperand?
    var offset: SQLOperand?

    /// True if an item is an aggregate.
    var hasAggregates: Bool {
        items.contains { if case .aggregate = $0.value { true } else { false } }
    }
}

/// An item of a result.
struct SQLItem: Sendable {
    enum Value: Sendable {
        case all
        case operand(SQLOperand)
        case aggregate(SQLAggregate)
    }

    var value: Value
    /// The name of the result's column: the alias, else the item's text.
    var name: String
}

/// A term of ORDER BY.
enum SQLOrderItem: Sendable {
    /// A column, or the name of an item.
    case column(SQLColumn)
    /// The position of an item, from 1.
    case position(Int, SQLToken)
    case aggregate(SQLAggregate, SQLToken)
}

/// An aggregate function.
enum SQLAggregate: Sendable {
    case count
    case countValues(SQLColumn, isDistinct: Bool)
    case min(SQLColumn)
    case max(SQLColumn)
    case sum(SQLColumn)
    case average(SQLColumn)
}

/// A column, with an optional table name.
struct SQLColumn: Sendable {
    var table: SQLName?
    var name: SQLName
}

/// An operand of a comparison.
enum SQLOperand: Sendable {
    case value(ColumnValue)
    /// A parameter, from 0.
    case parameter(Int, SQLToken)
    case column(SQLColumn)
    case lastInsertRowID
    /// In HAVING only.
    case aggregate(SQLAggregate, SQLToken)
}

extension SQLCondition {
    /// Maps the operands of the condition.
    func mapping(_ change: (SQLOperand) throws -> SQLOperand) rethrows -> SQLCondition {
        switch self {
        case .compare(let left, let comparison, let right, let token):
            .compare(try change(left), comparison, try change(right), token)
        case .isNull(let operand): .isNull(try change(operand))
        case .isIn(let left, let list): .isIn(try change(left), list)
        case .like(let left, let pattern, let token): .like(try change(left), pattern, token)
        case .truth(let operand, let token): .truth(try change(operand), token)
        case .not(let part): .not(try part.mapping(change))
        case .and(let parts): .and(try parts.map { try $0.mapping(change) })
        case .or(let parts): .or(try parts.map { try $0.mapping(change) })
        }
    }
}

/// A condition.
indirect enum SQLCondition: Sendable {
    case compare(SQLOperand, Comparison, SQLOperand, SQLToken)
    case isNull(SQLOperand)
    case isIn(SQLOperand, [SQLOperand])
    case like(SQLOperand, SQLOperand, SQLToken)
    /// An operand as a condition: a bool, or a number that is not 0.
    case truth(SQLOperand, SQLToken)
    case not(SQLCondition)
    case and([SQLCondition])
    case or([SQLCondition])
}
