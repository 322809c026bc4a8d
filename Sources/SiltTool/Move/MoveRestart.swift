import CRUDKit
import TableKit

/// Removes what an unfinished move has left in its target: the tables that it made, the rows that it stored in tables that
/// were there before, the records of repositories, and the ledger.
struct MoveRestart {
    let ledger: MoveLedger
    let target: any MoveEndpoint
    /// The most records removed in one transaction.
    var batchRecords = RecordMove.batchRecords

    private var engine: any TableEngine { target.engine }

    func run() throws {
        try ledger.upgrade(engine)
        let entries = ledger.entries.filter { !$0.isRepository }
        for (place, entry) in entries.enumerated() {
            try forgetReferences(of: entry, to: Set(entries[place...].map(\.name)))
        }
        for entry in entries.reversed() { try remove(entry) }
        for entry in ledger.entries where entry.isRepository { try removeRecords(entry) }
        try MoveLedger.remove(engine)
    }

    /// Removes a table that the move made, or the rows of another. The ledger then says that nothing is stored: a run that
    /// is still under way stops.
    private func remove(_ entry: MoveLedger.Entry) throws {
        guard entry.hasRemains, let table = try table(entry.name) else { return }
        try engine.change { session in
            if entry.isMade == true {
                // Before the ledger: MariaDB commits with each change of a table.
                try session.alter(.dropTable(entry.name))
                try MoveLedger.store(entry.begun, inPlaceOf: entry, session)
            } else {
                try MoveLedger.store(entry.begun, inPlaceOf: entry, session)
                _ = try session.delete(DeleteStatement(table))
            }
        }
    }

    private func table(_ name: String) throws -> TableStructure? {
        try engine.reading { try $0.table(named: name)?.structure }
    }

    /// Removes a table's references to its own rows and to tables that go before it. They have no indexes yet: a database
    /// that checks them would read the whole table for each row that goes.
    private func forgetReferences(of entry: MoveLedger.Entry, to names: Set<String>) throws {
        guard entry.hasRemains, let table = try table(entry.name) else { return }
        for number in table.columns.indices where !table.primaryKey.contains(number) {
            let column = table.columns[number]
            guard let other = column.foreignKey?.table, names.contains(other) else { continue }
            if entry.isMade == true {
                try drop(column, of: table)
            } else if column.isOptional {
                try clear(number, of: table)
            }
        }
    }

    private func drop(_ column: Column, of table: TableStructure) throws {
        do { try engine.change { try $0.alter(.dropColumn(table: table.name, column.name)) } } catch is any TableError {
            // The drop of the table comes next. It tells what is wrong, or does without.
        }
    }

    /// Sets a column to NULL.
    private func clear(_ number: Int, of table: TableStructure) throws {
        var row = RowBuffer()
        try row.append([ColumnValue](repeating: .null, count: table.columns.count), layout: table.layout)
        let isSet = Predicate.not(.isNull(ColumnReference(column: number)))
        let statement = UpdateStatement(table, columns: [number], row: row, predicate: isSet)
        try engine.change { _ = try $0.update(statement) }
    }

    private func removeRecords(_ entry: MoveLedger.Entry) throws {
        guard entry.hasRemains else { return }
        let repository = try target.repository(entry.name)
        let limit = batchRecords
        try AsyncWork.wait {
            while true {
                let ids = try await repository.ids(after: nil, limit: limit)
                if ids.isEmpty { return }
                _ = try await repository.removeRecords(ids: ids)
            }
        }
        try engine.change { try MoveLedger.store(entry.begun, inPlaceOf: entry, $0) }
    }
}

extension MoveLedger.Entry {
    /// Whether the target has anything of it. Rows in a table that waits are those of another program.
    fileprivate var hasRemains: Bool { isMade == true || phase != .waiting }

    /// The entry as it was at the beginning.
    fileprivate var begun: Self {
        var entry = self
        (entry.phase, entry.rows, entry.position) = (.waiting, 0, [])
        return entry
    }
}
