/// A ``ForeignKeyAction`` as a type, which is how ``ForeignKey`` keeps it without a byte in each row.
///
/// Written `cascade`, as Perfect-CRUD has it, or `.cascade`.
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

/// Refused, if rows still refer to the key when the statement ends.
public let ignore = ForeignKeyActionIgnore()
/// Refused at once.
public let restrict = ForeignKeyActionRestrict()
/// The column becomes NULL.
public let setNull = ForeignKeyActionSetNull()
/// The column takes its default.
public let setDefault = ForeignKeyActionSetDefault()
/// The rows are deleted, or take the new key.
public let cascade = ForeignKeyActionCascade()

extension ForeignKeyActionProvider where Self == ForeignKeyActionIgnore {
    /// Refused, if rows still refer to the key when the statement ends.
    public static var ignore: Self { Self() }
}

extension ForeignKeyActionProvider where Self == ForeignKeyActionRestrict {
    /// Refused at once.
    public static var restrict: Self { Self() }
}

extension ForeignKeyActionProvider where Self == ForeignKeyActionSetNull {
    /// The column becomes NULL.
    public static var setNull: Self { Self() }
}

extension ForeignKeyActionProvider where Self == ForeignKeyActionSetDefault {
    /// The column takes its default.
    public static var setDefault: Self { Self() }
}

extension ForeignKeyActionProvider where Self == ForeignKeyActionCascade {
    /// The rows are deleted, or take the new key.
    public static var cascade: Self { Self() }
}
