/// A ``ForeignKeyAction`` as a type, so that a ``ForeignKey`` value needs no byte for it.
///
/// Write `cascade`, as in Perfect-CRUD, or `.cascade`.
public protocol ForeignKeyActionProvider: Sendable {
    /// The action.
    static var action: ForeignKeyAction { get }
}

/// ``ForeignKeyAction/ignore`` as a type.
public struct ForeignKeyActionIgnore: ForeignKeyActionProvider {
    /// The action.
    public static var action: ForeignKeyAction { .ignore }
}

/// ``ForeignKeyAction/restrict`` as a type.
public struct ForeignKeyActionRestrict: ForeignKeyActionProvider {
    /// The action.
    public static var action: ForeignKeyAction { .restrict }
}

/// ``ForeignKeyAction/setNull`` as a type.
public struct ForeignKeyActionSetNull: ForeignKeyActionProvider {
    /// The action.
    public static var action: ForeignKeyAction { .setNull }
}

/// ``ForeignKeyAction/setDefault`` as a type.
public struct ForeignKeyActionSetDefault: ForeignKeyActionProvider {
    /// The action.
    public static var action: ForeignKeyAction { .setDefault }
}

/// ``ForeignKeyAction/cascade`` as a type.
public struct ForeignKeyActionCascade: ForeignKeyActionProvider {
    /// The action.
    public static var action: ForeignKeyAction { .cascade }
}

/// The statement fails if rows still refer to the key at its end.
public let ignore = ForeignKeyActionIgnore()
/// The statement fails at once.
public let restrict = ForeignKeyActionRestrict()
/// The column becomes NULL.
public let setNull = ForeignKeyActionSetNull()
/// The column gets its default.
public let setDefault = ForeignKeyActionSetDefault()
/// The referring rows are deleted, or get the new key.
public let cascade = ForeignKeyActionCascade()

extension ForeignKeyActionProvider where Self == ForeignKeyActionIgnore {
    /// The statement fails if rows still refer to the key at its end.
    public static var ignore: Self { Self() }
}

extension ForeignKeyActionProvider where Self == ForeignKeyActionRestrict {
    /// The statement fails at once.
    public static var restrict: Self { Self() }
}

extension ForeignKeyActionProvider where Self == ForeignKeyActionSetNull {
    /// The column becomes NULL.
    public static var setNull: Self { Self() }
}

extension ForeignKeyActionProvider where Self == ForeignKeyActionSetDefault {
    /// The column gets its default.
    public static var setDefault: Self { Self() }
}

extension ForeignKeyActionProvider where Self == ForeignKeyActionCascade {
    /// The referring rows are deleted, or get the new key.
    public static var cascade: Self { Self() }
}
