import TableKit

extension SiltstoneSession {
    func alter(_ change: SchemaChange) throws { throw notYet }
    func insert(_ statement: InsertStatement) throws -> ChangeResult { throw notYet }
    func update(_ statement: UpdateStatement) throws -> ChangeResult { throw notYet }
    func delete(_ statement: DeleteStatement) throws -> ChangeResult { throw notYet }
    private var notYet: CRUDSQLExeError { CRUDSQLExeError("Changes are not there yet.", code: .unsupported) }
}
