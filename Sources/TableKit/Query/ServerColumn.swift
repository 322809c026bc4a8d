/// What the catalogue of a server tells about a column beyond ``Column``: a type, a default or a computation that only
/// tables of other programs have.
package struct ServerColumn: Sendable, Hashable {
    /// The server's name of the type, such as `numeric(20,4)`.
    package var typeName: String
    /// Whether programs read every value exactly. Otherwise values are rounded: a decimal number with more digits than
    /// a double holds.
    package var isExact: Bool
    /// Whether values can be read at all. Otherwise a query that reads the column throws ``TableErrorCode/type``.
    package var isReadable: Bool
    /// The server's expression of a default that is no constant, such as `now()`. ``Column/defaultValue`` is nil then,
    /// and the server fills the column of a row that is inserted without a value for it.
    package var computedDefault: String?
    /// Whether the server computes the column from others (GENERATED). Such a column takes no value.
    package var isGenerated: Bool

    package init(
        typeName: String, isExact: Bool = true, isReadable: Bool = true, computedDefault: String? = nil,
        isGenerated: Bool = false
    ) {
        self.typeName = typeName
        self.isExact = isExact
        self.isReadable = isReadable
        self.computedDefault = computedDefault
        self.isGenerated = isGenerated
    }

    /// Whether ``Column`` tells everything about the column.
    package var isPlain: Bool { isExact && isReadable && computedDefault == nil && !isGenerated }
}
