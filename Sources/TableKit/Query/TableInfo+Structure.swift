extension TableInfo {
    /// Whether another description has the same name, columns, key and indexes. Estimates and statistics may differ, and
    /// so may the order of the indexes.
    package func hasSameStructure(as other: TableInfo) -> Bool {
        structure.isSame(as: other.structure)
            && Set(indexes.map(\.definition)) == Set(other.indexes.map(\.definition))
            && serverColumns == other.serverColumns
    }
}

extension TableStructure {
    /// Whether another structure has the same name, columns and key.
    package func isSame(as other: TableStructure) -> Bool {
        name == other.name && primaryKey == other.primaryKey
            && columns.elementsEqual(other.columns) { $0.isSame(as: $1) }
    }
}

extension Column {
    /// Whether all is the same. A default of NaN is itself, unlike for `==`, and one of -0.0 is not 0.0.
    fileprivate func isSame(as other: Column) -> Bool {
        let (left, right) = (defaultValue ?? .null, other.defaultValue ?? .null)
        return name == other.name && type == other.type && isOptional == other.isOptional
            && foreignKey == other.foreignKey && ColumnValue.areSame(left, right) && "\(left)" == "\(right)"
    }
}
