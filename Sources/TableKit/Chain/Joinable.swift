/// A link that `join` can follow.
public protocol Joinable: TableProtocol {}

extension Joinable {
    /// Fills an array property with the matching rows of another table.
    ///
    /// Parents without matching rows get an empty array. A condition on the joined type filters parents and arrays.
    /// - Parameters:
    ///   - to: the array property.
    ///   - on: the parent's column.
    ///   - equals: the joined table's column that must equal it. NULLs match no row.
    /// - Throws: ``CRUDSQLGenError`` for a key path that names no column.
    public func join<NewType: Codable, KeyType: Equatable>(
        _ to: KeyPath<OverAllForm, [NewType]?>, on: KeyPath<OverAllForm, KeyType>, equals: KeyPath<NewType, KeyType>
    ) throws -> Join<OverAllForm, Self, NewType, KeyType> {
        Join(fromTable: self, step: try JoinStep(to, on: on, equals: equals))
    }

    /// As above, for a joined table whose column may be NULL.
    public func join<NewType: Codable, KeyType: Equatable>(
        _ to: KeyPath<OverAllForm, [NewType]?>, on: KeyPath<OverAllForm, KeyType>, equals: KeyPath<NewType, KeyType?>
    ) throws -> Join<OverAllForm, Self, NewType, KeyType> {
        Join(fromTable: self, step: try JoinStep(to, on: on, equals: equals))
    }

    /// As above, for parents whose column may be NULL.
    public func join<NewType: Codable, KeyType: Equatable>(
        _ to: KeyPath<OverAllForm, [NewType]?>, on: KeyPath<OverAllForm, KeyType?>, equals: KeyPath<NewType, KeyType>
    ) throws -> Join<OverAllForm, Self, NewType, KeyType> {
        Join(fromTable: self, step: try JoinStep(to, on: on, equals: equals))
    }

    /// Fills an array property through a pivot table: many to many.
    /// - Parameters:
    ///   - to: the array property.
    ///   - with: the type of the pivot table.
    ///   - on: the parent's column.
    ///   - equals: the pivot column that must equal it.
    ///   - and: the joined table's column.
    ///   - is: the pivot column that must equal it.
    public func join<
        NewType: Codable, Pivot: Codable, FirstKeyType: Equatable, SecondKeyType: Equatable
    >(
        _ to: KeyPath<OverAllForm, [NewType]?>, with: Pivot.Type, on: KeyPath<OverAllForm, FirstKeyType>,
        equals: KeyPath<Pivot, FirstKeyType>, and: KeyPath<NewType, SecondKeyType>,
        is: KeyPath<Pivot, SecondKeyType>
    ) throws -> JoinPivot<OverAllForm, Self, NewType, Pivot, FirstKeyType, SecondKeyType> {
        JoinPivot(
            fromTable: self, step: try JoinStep(to, with: with, on: on, equals: equals, and: and, is: `is`))
    }

    // MARK: Grandchildren

    /// Fills an array property of a type that was joined before:
    /// `artists.join(\.albums, on: \.id, equals: \.artistId).join(\Album.tracks, on: \.id, equals: \.albumId)`.
    /// - Parameters:
    ///   - to: the array property of the joined type.
    ///   - on: the joined type's column.
    ///   - equals: the new table's column that must equal it.
    public func join<Parent: Codable, NewType: Codable, KeyType: Equatable>(
        _ to: KeyPath<Parent, [NewType]?>, on: KeyPath<Parent, KeyType>, equals: KeyPath<NewType, KeyType>
    ) throws -> Join<OverAllForm, Self, NewType, KeyType> {
        Join(fromTable: self, step: try JoinStep(to, on: on, equals: equals))
    }

    /// As above, for a new table whose column may be NULL.
    public func join<Parent: Codable, NewType: Codable, KeyType: Equatable>(
        _ to: KeyPath<Parent, [NewType]?>, on: KeyPath<Parent, KeyType>, equals: KeyPath<NewType, KeyType?>
    ) throws -> Join<OverAllForm, Self, NewType, KeyType> {
        Join(fromTable: self, step: try JoinStep(to, on: on, equals: equals))
    }

    /// As above, for a joined type whose column may be NULL.
    public func join<Parent: Codable, NewType: Codable, KeyType: Equatable>(
        _ to: KeyPath<Parent, [NewType]?>, on: KeyPath<Parent, KeyType?>, equals: KeyPath<NewType, KeyType>
    ) throws -> Join<OverAllForm, Self, NewType, KeyType> {
        Join(fromTable: self, step: try JoinStep(to, on: on, equals: equals))
    }

    /// Fills an array property of a type that was joined before, through a pivot table.
    public func join<
        Parent: Codable, NewType: Codable, Pivot: Codable, FirstKeyType: Equatable, SecondKeyType: Equatable
    >(
        _ to: KeyPath<Parent, [NewType]?>, with: Pivot.Type, on: KeyPath<Parent, FirstKeyType>,
        equals: KeyPath<Pivot, FirstKeyType>, and: KeyPath<NewType, SecondKeyType>,
        is: KeyPath<Pivot, SecondKeyType>
    ) throws -> JoinPivot<OverAllForm, Self, NewType, Pivot, FirstKeyType, SecondKeyType> {
        JoinPivot(
            fromTable: self, step: try JoinStep(to, with: with, on: on, equals: equals, and: and, is: `is`))
    }
}
