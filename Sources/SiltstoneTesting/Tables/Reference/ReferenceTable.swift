import TableKit

/// A table of the reference engine: rows by their key.
struct ReferenceTable: Sendable {
    /// The columns in the catalogue's order; rows have a value for each.
    var structure: TableStructure
    var indexes: [IndexDefinition] = []
    /// The rows by key, or by row number where the table has none.
    var rows: [ValueTuple: [ColumnValue]] = [:]
    /// The next number for a row without a key. Nil: all are used up.
    var nextNumber: Int64? = 1

    /// The rows in the order of their keys.
    var sortedRows: [(key: ValueTuple, values: [ColumnValue])] {
        rows.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The column that takes the next number where it is NULL: a key of one integer.
    var numberColumn: Int? {
        let key = structure.primaryKey
        return key.count == 1 && structure.columns[key[0]].type.isInteger ? key[0] : nil
    }

    /// The key of a row, or a new number where the table has none.
    mutating func key(of values: [ColumnValue]) throws -> ValueTuple {
        if structure.primaryKey.isEmpty { return ValueTuple([.integer(try takeNumber())]) }
        return ValueTuple(structure.primaryKey.map { values[$0] })
    }

    /// The next number. Numbers are not used again.
    mutating func takeNumber() throws -> Int64 {
        guard let number = nextNumber else {
            throw CRUDSQLExeError("All row numbers are used up.", code: .argument, table: structure.name)
        }
        nextNumber = number == .max ? nil : number + 1
        return number
    }

    /// Notes that a row was given a number of its own.
    mutating func use(_ number: Int64) {
        guard let next = nextNumber, number >= next else { return }
        nextNumber = number == .max ? nil : number + 1
    }

    /// Throws where a column that cannot be NULL is.
    func checkNotNull(_ values: [ColumnValue]) throws {
        for (number, column) in structure.columns.enumerated()
        where values[number].isNull && (!column.isOptional || structure.primaryKey.contains(number)) {
            throw CRUDSQLExeError(
                "The column cannot be NULL.", code: .notNull, table: structure.name, column: column.name)
        }
    }

    /// Adds a row whose key is new.
    mutating func add(_ values: [ColumnValue], key: ValueTuple) throws {
        guard rows[key] == nil else {
            throw CRUDSQLExeError(
                "A row with this key exists.", code: .unique, table: structure.name, key: "\(key.values)")
        }
        rows[key] = values
    }

    /// Two rows with the same values of a unique index, if there are any.
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
