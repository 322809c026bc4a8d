// ASCII letters match case-insensitively, as in SQLite. `%` and `_` are literal. An empty text matches every value
// except NULL. The negations exclude NULLs.

/// The column contains the text.
public func %=% <A: Codable>(lhs: KeyPath<A, String>, rhs: String) -> Condition {
    Condition(.like(lhs: .keyPath(lhs), wild1: true, rhs, wild2: true))
}

/// The column contains the text.
public func %=% <A: Codable>(lhs: KeyPath<A, String?>, rhs: String) -> Condition {
    Condition(.like(lhs: .keyPath(lhs), wild1: true, rhs, wild2: true))
}

/// The column begins with the text.
public func =% <A: Codable>(lhs: KeyPath<A, String>, rhs: String) -> Condition {
    Condition(.like(lhs: .keyPath(lhs), wild1: false, rhs, wild2: true))
}

/// The column begins with the text.
public func =% <A: Codable>(lhs: KeyPath<A, String?>, rhs: String) -> Condition {
    Condition(.like(lhs: .keyPath(lhs), wild1: false, rhs, wild2: true))
}

/// The column ends with the text.
public func %= <A: Codable>(lhs: KeyPath<A, String>, rhs: String) -> Condition {
    Condition(.like(lhs: .keyPath(lhs), wild1: true, rhs, wild2: false))
}

/// The column ends with the text.
public func %= <A: Codable>(lhs: KeyPath<A, String?>, rhs: String) -> Condition {
    Condition(.like(lhs: .keyPath(lhs), wild1: true, rhs, wild2: false))
}

/// The column does not contain the text.
public func %!=% <A: Codable>(lhs: KeyPath<A, String>, rhs: String) -> Condition {
    Condition(.not(rhs: .like(lhs: .keyPath(lhs), wild1: true, rhs, wild2: true)))
}

/// The column does not contain the text.
public func %!=% <A: Codable>(lhs: KeyPath<A, String?>, rhs: String) -> Condition {
    Condition(.not(rhs: .like(lhs: .keyPath(lhs), wild1: true, rhs, wild2: true)))
}

/// The column does not begin with the text.
public func !=% <A: Codable>(lhs: KeyPath<A, String>, rhs: String) -> Condition {
    Condition(.not(rhs: .like(lhs: .keyPath(lhs), wild1: false, rhs, wild2: true)))
}

/// The column does not begin with the text.
public func !=% <A: Codable>(lhs: KeyPath<A, String?>, rhs: String) -> Condition {
    Condition(.not(rhs: .like(lhs: .keyPath(lhs), wild1: false, rhs, wild2: true)))
}

/// The column does not end with the text.
public func %!= <A: Codable>(lhs: KeyPath<A, String>, rhs: String) -> Condition {
    Condition(.not(rhs: .like(lhs: .keyPath(lhs), wild1: true, rhs, wild2: false)))
}

/// The column does not end with the text.
public func %!= <A: Codable>(lhs: KeyPath<A, String?>, rhs: String) -> Condition {
    Condition(.not(rhs: .like(lhs: .keyPath(lhs), wild1: true, rhs, wild2: false)))
}
