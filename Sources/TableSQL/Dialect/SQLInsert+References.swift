import TableKit

/// Inserts of rows that refer to each other. MariaDB checks row by row, the other servers at the end of each statement.
extension SQLInsert {
    /// Whether rows may refer to rows of the same insert.
    var refersToItself: Bool {
        columns.contains { table.structure.columns[$0].foreignKey?.table == table.structure.name }
    }

    /// Runs `body` with each row after the rows of the same insert that it refers to. The outcome has the given order.
    func inOrderOfReferences(_ body: (SQLInsert) throws -> SQLInsertOutcome) throws -> SQLInsertOutcome {
        guard let order = orderOfReferences() else { return try body(self) }
        var ordered = self
        ordered.rows = order.map { rows[$0] }
        var outcome = try body(ordered)
        if outcome.rows.count == order.count {
            let found = outcome.rows
            for (place, number) in order.enumerated() { outcome.rows[number] = found[place] }
        }
        if let place = numberPlace, let number = rows.last?[place].int { outcome.lastInsertID = Int64(number) }
        return outcome
    }

    /// An order with each row after the rows of the same insert that it refers to. Nil: the given order. Rows in a circle
    /// of references keep their order.
    private func orderOfReferences() -> [Int]? {
        let structure = table.structure
        guard structure.primaryKey.count == 1, rows.count > 1,
            let keyPlace = columns.firstIndex(of: structure.primaryKey[0])
        else { return nil }
        let references = columns.indices.filter {
            structure.columns[columns[$0]].foreignKey?.table == structure.name
        }
        if references.isEmpty { return nil }
        var places: [ValueTuple: Int] = [:]
        for (number, row) in rows.enumerated() where !row[keyPlace].isNull {
            // Of rows with the same key the last one counts, so their order stays.
            if places.updateValue(number, forKey: ValueTuple([row[keyPlace]])) != nil { return nil }
        }
        var order: [Int] = []
        // 0: not seen, 1: waits for its references, 2: in the order.
        var states = [UInt8](repeating: 0, count: rows.count)
        for start in rows.indices where states[start] == 0 {
            var stack = [start]
            while let number = stack.last {
                let next = references.lazy.compactMap { places[ValueTuple([rows[number][$0]])] }.first {
                    states[$0] == 0 && $0 != number
                }
                if states[number] == 0 { states[number] = 1 }
                if let next {
                    stack.append(next)
                } else {
                    stack.removeLast()
                    if states[number] == 1 {
                        states[number] = 2
                        order.append(number)
                    }
                }
            }
        }
        return order
    }
}
