extension Access {
    /// The rows that a change has returned, as objects.
    /// - Throws: the error of the first row that has not the form of the type. Outside of a transaction the change is
    ///   stored by then: an error with ``TableErrorCode/unknownOutcome`` says so.
    func objects<T: Decodable>(_ type: T.Type, of result: ChangeResult, _ structure: TableStructure) throws -> [T] {
        do { return try result.objects(type, structure) } catch let error where scope == nil {
            let known = error as? any TableError
            throw CRUDSQLExeError(
                "The change is stored, so it must not be repeated. Its result cannot be read: "
                    + (known?.message ?? "\(error)"),
                code: .unknownOutcome, table: known?.table ?? structure.name, column: known?.column)
        }
    }
}

extension ChangeResult {
    /// The rows of the result as objects.
    fileprivate func objects<T: Decodable>(_ type: T.Type, _ structure: TableStructure) throws -> [T] {
        guard let shape else { return [] }
        let decoder = RowDecoder<T>(structure)
        return try (0..<rows.count).map { row in
            try rows.withRow(row) { bytes in try decoder.decode(bytes, shape: shape) }
        }
    }
}
