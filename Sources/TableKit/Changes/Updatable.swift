/// A link that `update` can follow: a table, or a condition on one.
public protocol Updatable: TableProtocol {}

/// A link that `delete` can follow: a table, or a condition on one.
public protocol Deleteable: TableProtocol {}
