/// One run of a script, with its open transaction and savepoints.
struct SQLScriptRun {
    private struct Mark {
        /// Nil for a BEGIN within an open transaction.
        var name: String?
        var savepoint: Savepoint
    }

    private let engine: any TableEngine
    /// The transaction that was open before the script, if any.
    private let outer: (any TableSession)?
    private let bindings: [ColumnValue]
    /// The transaction that the script began, if any.
    private var own: (any TableSession)?
    private var isBegunBySavepoint = false
    private var marks: [Mark] = []

    init(engine: any TableEngine, outer: (any TableSession)?, bindings: [ColumnValue]) {
        self.engine = engine
        self.outer = outer
        self.bindings = bindings
    }

    mutating func run(_ statements: [SQLStatement], _ body: (SQLResult) throws -> Void) throws {
        do {
            for statement in statements { try run(statement, body) }
            if own != nil || !marks.isEmpty {
                throw CRUDSQLGenError(
                    "A transaction that a text begins ends in the same text. Or use transaction { … }.",
                    code: .transaction)
            }
        } catch {
            takeBack()
            throw error
        }
    }

    /// Rolls back the script's own transaction, or to its first savepoint. If that fails, rolls back the outer
    /// transaction: a part of the script must not be committed.
    private mutating func takeBack() {
        if let own {
            own.rollback()
        } else if let mark = marks.first {
            do { try outer?.rollback(to: mark.savepoint) } catch {
                CRUDLogging.log(.error, "A part of a transaction could not be taken back: \(error)")
                outer?.rollback()
            }
        }
        (own, marks) = (nil, [])
    }

    private mutating func run(_ statement: SQLStatement, _ body: (SQLResult) throws -> Void) throws {
        if case .transaction(let step) = statement {
            try run(step)
            return try body(SQLResult())
        }
        if let session = own ?? outer { return try run(statement, in: session, body) }
        if statement.isReadOnly {
            let session = try engine.beginRead()
            defer { session.rollback() }
            return try run(statement, in: session, body)
        }
        try engine.begin(.serial).commit { try run(statement, in: $0, body) }
    }

    private func run(
        _ statement: SQLStatement, in session: any TableSession, _ body: (SQLResult) throws -> Void
    ) throws {
        var execution = SQLExecution(
            session: session, parameters: bindings, lastInsertID: LastInsertID.of(engine))
        let before = execution.lastInsertID
        let result = try execution.run(statement)
        if execution.lastInsertID != before { LastInsertID.set(execution.lastInsertID, of: engine) }
        try body(result)
    }

    private mutating func run(_ step: SQLTransactionStep) throws {
        switch step {
        case .begin: try begin()
        case .commit:
            if let own {
                (self.own, marks) = (nil, [])
                try own.commit()
            } else {
                marks.removeSubrange(try beginMark()...)
            }
        case .rollback:
            if let own {
                (self.own, marks) = (nil, [])
                own.rollback()
            } else {
                let mark = try beginMark()
                try outer?.rollback(to: marks[mark].savepoint)
                marks.removeSubrange(mark...)
            }
        case .savepoint(let name):
            if own == nil && outer == nil {
                own = try engine.begin(.serial)
                isBegunBySavepoint = true
            }
            try mark(name)
        case .release(let name):
            marks.removeSubrange(try find(name)...)
            if let own, isBegunBySavepoint, marks.isEmpty {
                self.own = nil
                try own.commit()
            }
        case .rollbackTo(let name):
            let mark = try find(name)
            try (own ?? outer)?.rollback(to: marks[mark].savepoint)
            marks.removeSubrange((mark + 1)...)
        }
    }

    private mutating func begin() throws {
        if own != nil || marks.contains(where: { $0.name == nil }) {
            throw CRUDSQLGenError("A transaction is open: use SAVEPOINT within it.", code: .transaction)
        }
        if outer != nil { return try mark(nil) }
        own = try engine.begin(.serial)
        isBegunBySavepoint = false
    }

    private mutating func mark(_ name: String?) throws {
        guard let session = own ?? outer else { return }
        marks.append(Mark(name: name, savepoint: try session.savepoint()))
    }

    private func beginMark() throws -> Int {
        if let mark = marks.firstIndex(where: { $0.name == nil }) { return mark }
        throw CRUDSQLGenError("No transaction was begun in this text.", code: .transaction)
    }

    private func find(_ name: String) throws -> Int {
        let folded = name.lowercased()
        if let mark = marks.lastIndex(where: { $0.name?.lowercased() == folded }) { return mark }
        throw CRUDSQLGenError("There is no savepoint \(name).", code: .transaction)
    }
}
