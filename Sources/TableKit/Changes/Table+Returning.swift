// The public overloads: one or all columns, each choice of columns, one row or many. All end in `insertReturning`.

extension Table {
    /// Inserts an object and returns the stored value of a column.
    public func returning<R: Decodable>(_ path: KeyPath<A, R>, insert instance: A) throws -> R {
        try insertReturning(instance, .all)[keyPath: path]
    }

    /// Inserts an object and returns the stored object.
    public func returning(insert instance: A) throws -> A {
        try insertReturning(instance, .all)
    }

    /// Inserts an object and returns the stored value of a column. Sets these columns only.
    public func returning<R: Decodable>(
        _ path: KeyPath<A, R>, insert instance: A, setKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...
    ) throws -> R {
        try insertReturning(instance, .only([setKeys] + rest))[keyPath: path]
    }

    /// Inserts an object and returns the stored object. Sets these columns only.
    public func returning(insert instance: A, setKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...) throws -> A {
        try insertReturning(instance, .only([setKeys] + rest))
    }

    /// Inserts an object and returns the stored value of a column. Sets all columns except these.
    public func returning<R: Decodable>(
        _ path: KeyPath<A, R>, insert instance: A, ignoreKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...
    ) throws -> R {
        try insertReturning(instance, .except([ignoreKeys] + rest))[keyPath: path]
    }

    /// Inserts an object and returns the stored object. Sets all columns except these.
    public func returning(insert instance: A, ignoreKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...) throws -> A {
        try insertReturning(instance, .except([ignoreKeys] + rest))
    }

    /// Inserts objects, all or none, and returns the stored values of a column, in order.
    public func returning<R: Decodable>(_ path: KeyPath<A, R>, insert instances: [A]) throws -> [R] {
        try insertReturning(instances, .all).map { $0[keyPath: path] }
    }

    /// Inserts objects, all or none, and returns the stored objects, in order.
    public func returning(insert instances: [A]) throws -> [A] {
        try insertReturning(instances, .all)
    }

    /// Inserts objects, all or none, and returns the stored values of a column in order. Sets these columns only.
    public func returning<R: Decodable>(
        _ path: KeyPath<A, R>, insert instances: [A], setKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...
    ) throws -> [R] {
        try insertReturning(instances, .only([setKeys] + rest)).map { $0[keyPath: path] }
    }

    /// Inserts objects, all or none, and returns the stored objects, in order. Sets these columns only.
    public func returning(insert instances: [A], setKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...) throws -> [A]
    {
        try insertReturning(instances, .only([setKeys] + rest))
    }

    /// Inserts objects, all or none, and returns the stored values of a column. Sets all columns except these.
    public func returning<R: Decodable>(
        _ path: KeyPath<A, R>, insert instances: [A], ignoreKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...
    ) throws -> [R] {
        try insertReturning(instances, .except([ignoreKeys] + rest)).map { $0[keyPath: path] }
    }

    /// Inserts objects, all or none, and returns the stored objects, in order. Sets all columns except these.
    public func returning(insert instances: [A], ignoreKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...) throws
        -> [A]
    {
        try insertReturning(instances, .except([ignoreKeys] + rest))
    }
}

// MARK: Async

extension Table {
    /// Inserts an object and returns the stored value of a column.
    public func returning<R: Decodable>(_ path: KeyPath<A, R>, insert instance: A) async throws -> R {
        try await insertReturning(instance, .all)[keyPath: path]
    }

    /// Inserts an object and returns the stored object.
    public func returning(insert instance: A) async throws -> A {
        try await insertReturning(instance, .all)
    }

    /// Inserts an object and returns the stored value of a column. Sets these columns only.
    public func returning<R: Decodable>(
        _ path: KeyPath<A, R>, insert instance: A, setKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...
    ) async throws -> R {
        try await insertReturning(instance, .only([setKeys] + rest))[keyPath: path]
    }

    /// Inserts an object and returns the stored object. Sets these columns only.
    public func returning(insert instance: A, setKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...) async throws
        -> A
    {
        try await insertReturning(instance, .only([setKeys] + rest))
    }

    /// Inserts an object and returns the stored value of a column. Sets all columns except these.
    public func returning<R: Decodable>(
        _ path: KeyPath<A, R>, insert instance: A, ignoreKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...
    ) async throws -> R {
        try await insertReturning(instance, .except([ignoreKeys] + rest))[keyPath: path]
    }

    /// Inserts an object and returns the stored object. Sets all columns except these.
    public func returning(insert instance: A, ignoreKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...) async throws
        -> A
    {
        try await insertReturning(instance, .except([ignoreKeys] + rest))
    }

    /// Inserts objects, all or none, and returns the stored values of a column, in order.
    public func returning<R: Decodable>(_ path: KeyPath<A, R>, insert instances: [A]) async throws -> [R] {
        try await insertReturning(instances, .all).map { $0[keyPath: path] }
    }

    /// Inserts objects, all or none, and returns the stored objects, in order.
    public func returning(insert instances: [A]) async throws -> [A] {
        try await insertReturning(instances, .all)
    }

    /// Inserts objects, all or none, and returns the stored values of a column in order. Sets these columns only.
    public func returning<R: Decodable>(
        _ path: KeyPath<A, R>, insert instances: [A], setKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...
    ) async throws -> [R] {
        try await insertReturning(instances, .only([setKeys] + rest)).map { $0[keyPath: path] }
    }

    /// Inserts objects, all or none, and returns the stored objects, in order. Sets these columns only.
    public func returning(insert instances: [A], setKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...) async throws
        -> [A]
    {
        try await insertReturning(instances, .only([setKeys] + rest))
    }

    /// Inserts objects, all or none, and returns the stored values of a column. Sets all columns except these.
    public func returning<R: Decodable>(
        _ path: KeyPath<A, R>, insert instances: [A], ignoreKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...
    ) async throws -> [R] {
        try await insertReturning(instances, .except([ignoreKeys] + rest)).map { $0[keyPath: path] }
    }

    /// Inserts objects, all or none, and returns the stored objects, in order. Sets all columns except these.
    public func returning(insert instances: [A], ignoreKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...)
        async throws -> [A]
    {
        try await insertReturning(instances, .except([ignoreKeys] + rest))
    }
}
