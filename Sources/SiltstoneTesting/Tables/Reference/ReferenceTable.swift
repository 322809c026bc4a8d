import TableKit

/// A table of the reference engine: rows by their key.
struct ReferenceTable: Sendable {
    /// The columns in the catalogue's order. Rows have a value for each.
    var structure: TableStructure
    var indexes: [IndexDefinition] = []
    /// The rows by key, or by row number in a table without a key.
    var rows: [ValueTuple: [ColumnValue]] = [:]
    /// The next number of a row; nil if all are used up.
    var nextNumber: Int64? = 1

    /// The rows, ordered by key.
    var sortedRows: [(key: ValueTuple, values: [ColumnValue])] {
        rows.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The column of a single integer key, which draws the next number for NULL.
    var numberColumn: Int? {
        let key = structure.primaryKey
        return key.count == 1 && structure.columns[key[0]].type.isInteger ? key[0] : nil
    }

    /// The key of a row; a new number in a table without a key.
    mutating func key(of values: [ColumnValue]) throws -> ValueTuple {
        if structure.primaryKey.isEmpty { return ValueTuple([.integer(try takeNumber())]) }
        return ValueTuple(structure.primaryKey.map { values[$0] })
    }

    /// Draws the next number. Numbers are never reused.
    mutating func takeNumber() throws -> Int64 {
        guard let number = nextNumber else {
            throw CRUDSQLExeError("All row numbers are used up.", code: .argument, table: structure.name)
        }
        nextNumber = number == .max ? nil : number + 1
        return number
    }

    /// Records a number that a row was given explicitly.
    mutating func use(_ number: Int64) {
        guard let next = nextNumber, number >= next else { return }
        nextNumber = number == .max ? nil : number + 1
    }

    /// Throws if a column that cannot be NULL is NULL.
    func checkNotNull(_ values: [ColumnValue]) throws {
        for (number, column) in structure.columns.enumerated()
        where values[number].isNull && (!column.isOptional || structure.primaryKey.contains(number)) {
            throw CRUDSQLExeError(
                "The column cannot be NULL.", code: .notNull, table: structure.name, column: column.name)
        }
    }

    /// Adds a row. Throws if its key exists.
    mutating func add(_ values: [ColumnValue], key: ValueTuple) throws {
        guard rows[key] == nil else {
            throw CRUDSQLExeError(
                "A row with this key exists.", code: .unique, table: structure.name, key: "\(key.values)")
        }
        rows[key] = values
    }

    /// The values of a unique index that two rows share; nil if there are none.
    func duplicate(in index: IndexDefinition) -> ValueTuple? {
        guard index.isUnique else { return nil }
        let columns = index.columns.compactMap(structure.number(of:))
        var seen: Set<ValueTuple> = []
        for values in rows.values {
            let entry = ValueTuple(columns.map { values[$0] })
            if !entry.values.contains(where: \.isNull), !seen.insert(entry).inserted { return entry }
        }
        return nil
    }
}
