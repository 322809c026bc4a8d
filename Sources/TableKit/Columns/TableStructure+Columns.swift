extension TableStructure {
    /// Throws `noColumn` if a table lacks one of these columns of the structure.
    /// - Parameter places: for each column of the structure, its number in the table; nil if the table lacks it.
    package func check(_ numbers: some Sequence<Int>, in places: [Int?]) throws {
        for number in numbers {
            guard columns.indices.contains(number) else {
                throw CRUDSQLExeError("Column number \(number) is none.", code: .noColumn, table: name)
            }
            if places[number] != nil { continue }
            throw CRUDSQLExeError(
                "The table has no such column.", code: .noColumn, table: name, column: columns[number].name)
        }
    }
}
