/// The columns that a change sets.
enum ColumnChoice {
    case all
    case only([AnyKeyPath])
    case except([AnyKeyPath])

    /// Returns the numbers of the columns, each once; nil: all.
    /// - Throws: ``CRUDSQLGenError`` for a key path that names no column.
    func columns(of structure: TableStructure) throws -> [Int]? {
        switch self {
        case .all: return nil
        case .only(let paths):
            var known: Set<Int> = []
            return try paths.map { try $0.columnNumber() }.filter { known.insert($0).inserted }
        case .except(let paths):
            let left = Set(try paths.map { try $0.columnNumber() })
            return structure.columns.indices.filter { !left.contains($0) }
        }
    }
}
