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
    /// A transaction that the caller has begun for the script's first one, if any. The caller commits it.
    private let lent: (any TableSession)?
    /// True if the script has rolled back the lent transaction, so there is nothing to commit.
    private(set) var isRolledBack = false
    private let bindings: [ColumnValue]
    /// The transaction that the script began, if any.
    private var own: (any TableSession)?
    private var isBegunBySavepoint = false
    private var marks: [Mark] = []

    init(
        engine: any TableEngine, outer: (any TableSession)? = nil, lent: (any TableSession)? = nil,
        bindings: [ColumnValue]
    ) {
        self.engine = engine
        self.outer = outer
        self.lent = lent
        self.bindings = bindings
    }

    mutating func run(_ statements: [SQLStatement], _ body: (SQLResult) throws -> Void) throws {
        var left = statements[...]
        while !left.isEmpty { try runFirst(of: &left, body) }
    }

    /// Runs the first statement and removes it. If it begins a transaction, does so with all statements to its end.
    mutating func runFirst(
        of statements: inout ArraySlice<SQLStatement>, _ body: (SQLResult) throws -> Void
    ) throws {
        do {
            repeat { try run(statements.removeFirst(), body) } while isOpen && !statements.isEmpty
            if isOpen {
                throw CRUDSQLGenError(
                    "A transaction that a text begins ends in the same text. Or use transaction { … }.",
                    code: .transaction)
            }
        } catch {
            takeBack()
            throw error
        }
    }

    /// True within a transaction or a savepoint of the script.
    private var isOpen: Bool { own != nil || !marks.isEmpty }

    /// Rolls back the script's own transaction, or to its first savepoint. If that fails, rolls back the outer
    /// transaction: a part of the script must not be committed.
    private mutating func takeBack() {
        if let own {
            own.rollback()
        } else if let outer, let mark = marks.first {
            takeBack(outer, to: mark.savepoint)
        }
        (own, marks) = (nil, [])
    }

    private func takeBack(_ session: any TableSession, to savepoint: Savepoint) {
        do { try session.rollback(to: savepoint) } catch {
            CRUDLogging.log(.error, "A part of a transaction could not be taken back: \(error)")
            session.rollback()
        }
    }

    private mutating func run(_ statement: SQLStatement, _ body: (SQLResult) throws -> Void) throws {
        if case .transaction(let step) = statement {
            try run(step)
            guard let own else { return try body(SQLResult()) }
            return try pass(SQLResult(), of: own, to: body)
        }
        if let session = own ?? outer { return try run(statement, in: session, body) }
        if statement.isReadOnly {
            let session = try engine.beginRead()
            defer { session.rollback() }
            return try run(statement, in: session, body)
        }
        if let lent { return try run(statement, in: lent, body) }
        try engine.begin(.serial).commit { try run(statement, in: $0, body) }
    }

    private func run(
        _ statement: SQLStatement, in session: any TableSession, _ body: (SQLResult) throws -> Void
    ) throws {
        var execution = SQLExecution(
            session: session, parameters: bindings, lastInsertID: LastInsertID.of(engine))
        let before = execution.lastInsertID
        // Without an outer transaction, an error takes everything back.
        let start = outer != nil && statement.hasSeveralSteps ? try session.savepoint() : nil
        let result: SQLResult
        do { result = try execution.run(statement) } catch {
            if let start { takeBack(session, to: start) }
            throw error
        }
        if execution.lastInsertID != before { LastInsertID.set(execution.lastInsertID, of: engine) }
        guard outer == nil, own != nil || !statement.isReadOnly else { return try body(result) }
        try pass(result, of: session, to: body)
    }

    /// Passes a result on. Statements of `body` belong to the script's own transaction, for whose end they would wait
    /// otherwise. (An outer transaction is the task's already.)
    private func pass(
        _ result: SQLResult, of session: any TableSession, to body: (SQLResult) throws -> Void
    ) throws {
        let shared = SharedSession(session)
        let scope = TransactionScope(engine, shared)
        shared.open(scope)
        do { try TransactionScope.$innermost.withValue(scope) { try body(result) } } catch {
            shared.detach()
            throw error
        }
        try shared.giveBack()
    }

    private mutating func run(_ step: SQLTransactionStep) throws {
        switch step {
        case .begin: try begin()
        case .commit:
            if let own {
                (self.own, marks) = (nil, [])
                try commit(own)
            } else {
                marks.removeSubrange(try beginMark()...)
            }
        case .rollback:
            if let own {
                (self.own, marks) = (nil, [])
                own.rollback()
                isRolledBack = true
            } else {
                let mark = try beginMark()
                try outer?.rollback(to: marks[mark].savepoint)
                marks.removeSubrange(mark...)
            }
        case .savepoint(let name):
            if own == nil && outer == nil {
                own = try beginOwn()
                isBegunBySavepoint = true
            }
            try mark(name)
        case .release(let name):
            marks.removeSubrange(try find(name)...)
            if let own, isBegunBySavepoint, marks.isEmpty {
                self.own = nil
                try commit(own)
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
        own = try beginOwn()
        isBegunBySavepoint = false
    }

    private func beginOwn() throws -> any TableSession { try lent ?? engine.begin(.serial) }

    private func commit(_ own: any TableSession) throws { if lent == nil { try own.commit() } }

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
