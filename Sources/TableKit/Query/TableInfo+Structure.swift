extension TableInfo {
    /// Whether another description has the same name, columns, key and indexes. Estimates and statistics may differ, and
    /// so may the order of the indexes.
    package func hasSameStructure(as other: TableInfo) -> Bool {
        let (left, right) = (structure, other.structure)
        return left.name == right.name && left.primaryKey == right.primaryKey
            && left.columns.elementsEqual(right.columns) { $0.isSame(as: $1) }
            && Set(indexes.map(\.definition)) == Set(other.indexes.map(\.definition))
            && serverColumns == other.serverColumns
    }
}

extension Collection<TableInfo> {
    /// Whether another catalogue has tables of the same names and structures, in any order.
    package func haveSameStructures(as others: some Collection<TableInfo>) -> Bool {
        let known = Dictionary(others.map { ($0.structure.name, $0) }) { first, _ in first }
        return count == others.count
            && allSatisfy { table in known[table.structure.name].map(table.hasSameStructure) ?? false }
    }
}

extension Column {
    /// Whether all is the same. A default of NaN is itself, unlike for `==`.
    fileprivate func isSame(as other: Column) -> Bool {
        name == other.name && type == other.type && isOptional == other.isOptional && foreignKey == other.foreignKey
            && ColumnValue.areSame(defaultValue ?? .null, other.defaultValue ?? .null)
    }
}
