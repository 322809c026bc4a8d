import Siltstone
import TableKit

extension SiltstoneSession {
    func insert(_ statement: InsertStatement) throws -> ChangeResult {
        try changing(statement.table) { try $0.insert(statement, $1) }
    }

    func update(_ statement: UpdateStatement) throws -> ChangeResult {
        try changing(statement.table) { try $0.update(statement, $1) }
    }

    func delete(_ statement: DeleteStatement) throws -> ChangeResult {
        try changing(statement.table) { try $0.delete(statement, $1) }
    }

    /// Runs a statement atomically.
    private func changing(
        _ structure: TableStructure, _ body: (RowWriter, TableBinding) throws -> ChangeResult
    ) throws -> ChangeResult {
        try mapped {
            let transaction = try writer()
            let binding = try catalogue.binding(structure)
            let writer = RowWriter(transaction, engine, catalogue, hasTurn: kind.hasTurn)
            let mark = try transaction.mark()
            do {
                let result = try body(writer, binding)
                try writer.finishChecks()
                tablesToMark.formUnion(writer.tablesToMark)
                rowChanges.merge(writer.rowChanges, uniquingKeysWith: +)
                return result
            } catch {
                transaction.rollBack(to: mark)
                throw error
            }
        }
    }

    func alter(_ change: SchemaChange) throws { try edit { try $0.apply(change) } }

    /// Changes the catalogue atomically.
    func edit(_ body: (inout SchemaEditor) throws -> Void) throws {
        try mapped {
            let transaction = try writer()
            let mark = try transaction.mark()
            var editor = SchemaEditor(transaction, engine, catalogue)
            do { try body(&editor) } catch {
                transaction.rollBack(to: mark)
                throw error
            }
            catalogue = editor.catalogue
            tablesToMark.formUnion(editor.tablesToMark)
            rowChanges.merge(editor.rowChanges, uniquingKeysWith: +)
        }
    }
}
