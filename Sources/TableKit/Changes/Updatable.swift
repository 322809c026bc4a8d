/// A link that `update` can follow: a table, or one with a condition.
public protocol Updatable: TableProtocol {}

/// A link that `delete` can follow: a table, or one with a condition.
public protocol Deleteable: TableProtocol {}
