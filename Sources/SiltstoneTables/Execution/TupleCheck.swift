import TableKit

/// Reads columns of the rows of a tuple.
final class TupleValues {
    private let bound: BoundQuery
    private var readers: [ColumnReference: ColumnReader] = [:]

    init(_ bound: BoundQuery) { self.bound = bound }

    /// The value of a column in a row of a buffer; NULL if the number is -1.
    func value(_ column: ColumnReference, _ rows: RowBuffer, _ number: Int32) throws -> ColumnValue {
        if number < 0 { return .null }
        let reader = readers[column] ?? ColumnReader(column.column, shape: bound.tables[column.source].shape)
        readers[column] = reader
        return try rows.withRow(Int(number)) { (row) throws(any Error) in try reader.value(in: row) }
    }
}

/// Evaluates the conditions on several tables. A tuple is a parent with one element, or none, of each of their joins.
struct TupleCheck {
    private let bound: BoundQuery
    private let joins: [Int]
    private let values: TupleValues
    /// For each join the row and pivot of the current tuple.
    private var tuple: [(owner: Int, place: Int, row: Int32, pivot: Int32)]
    /// For each join the elements of accepted tuples, by owner and place. Nil while nobody asks for the elements.
    private var marks: [Int: [[Bool]]]?

    init(_ bound: BoundQuery) {
        self.bound = bound
        joins = bound.mixedJoins.sorted()
        values = TupleValues(bound)
        tuple = bound.joins.map { _ in (-1, -1, -1, -1) }
    }

    /// True if a tuple of a parent matches all conditions.
    mutating func accepts(_ parent: Int, _ batch: JoinedBatch) throws -> Bool {
        try extend(joins[...], parent, batch)
    }

    /// Keeps accepted only the elements that occur in a tuple of a kept parent that matches all conditions.
    ///
    /// Parents can share joined rows. The elements of such a row must not depend on parents that the result lacks.
    mutating func acceptElements(_ batch: inout JoinedBatch, kept: [Int]) throws {
        var none: [Int: [[Bool]]] = [:]
        for number in joins { none[number] = batch.matches[number]?.elements.map { $0.map { _ in false } } }
        marks = none
        for parent in kept { _ = try extend(joins[...], parent, batch) }
        for (number, marks) in marks ?? [:] {
            for owner in marks.indices {
                for place in marks[owner].indices {
                    batch.matches[number]?.elements[owner][place].isAccepted = marks[owner][place]
                }
            }
        }
        marks = nil
    }

    /// Tries the elements of the remaining joins: all of them for the marks, else until a tuple is accepted.
    /// - Returns: true if a tuple was accepted.
    private mutating func extend(_ rest: ArraySlice<Int>, _ parent: Int, _ batch: JoinedBatch) throws -> Bool {
        guard let number = rest.first else {
            guard try isMet(parent, batch) else { return false }
            for join in joins where tuple[join].place >= 0 {
                marks?[join]?[tuple[join].owner][tuple[join].place] = true
            }
            return true
        }
        let join = bound.joins[number]
        let owner = join.parent < 0 ? Int32(parent) : tuple[join.parent].row
        let elements = owner < 0 ? [] : batch.matches[number]?.elements[Int(owner)] ?? []
        if elements.isEmpty {
            tuple[number] = (-1, -1, -1, -1)
            return try extend(rest.dropFirst(), parent, batch)
        }
        var isAccepted = false
        for (place, element) in elements.enumerated() where element.isAccepted {
            tuple[number] = (Int(owner), place, element.row, element.pivot)
            if try extend(rest.dropFirst(), parent, batch) { isAccepted = true }
            if isAccepted, marks == nil { break }
        }
        return isAccepted
    }

    private func isMet(_ parent: Int, _ batch: JoinedBatch) throws -> Bool {
        try bound.mixed.allSatisfy { condition in
            try condition.isMet { column in
                let node = bound.node(of: column.source)
                if node < 0 { return try values.value(column, batch.parents, Int32(parent)) }
                guard let matches = batch.matches[node] else { return .null }
                return bound.joins[node].clause.source == column.source
                    ? try values.value(column, matches.rows, tuple[node].row)
                    : try values.value(column, matches.pivots, tuple[node].pivot)
            }
        }
    }
}
