extension Table {
    /// Inserts an object and returns the value that a column has then.
    public func returning<R: Decodable>(_ path: KeyPath<A, R>, insert instance: A) throws -> R {
        try insertReturning(instance, .all)[keyPath: path]
    }

    /// Inserts an object and returns it as it is stored.
    public func returning(insert instance: A) throws -> A {
        try insertReturning(instance, .all)
    }

    /// Inserts an object and returns the value that a column has then. Sets these columns alone.
    public func returning<R: Decodable>(
        _ path: KeyPath<A, R>, insert instance: A, setKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...
    ) throws -> R {
        try insertReturning(instance, .only([setKeys] + rest))[keyPath: path]
    }

    /// Inserts an object and returns it as it is stored. Sets these columns alone.
    public func returning(insert instance: A, setKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...) throws -> A {
        try insertReturning(instance, .only([setKeys] + rest))
    }

    /// Inserts an object and returns the value that a column has then. Sets all columns but these.
    public func returning<R: Decodable>(
        _ path: KeyPath<A, R>, insert instance: A, ignoreKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...
    ) throws -> R {
        try insertReturning(instance, .except([ignoreKeys] + rest))[keyPath: path]
    }

    /// Inserts an object and returns it as it is stored. Sets all columns but these.
    public func returning(insert instance: A, ignoreKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...) throws -> A {
        try insertReturning(instance, .except([ignoreKeys] + rest))
    }

    /// Inserts objects, all or none, and returns the values that a column has then, in their order.
    public func returning<R: Decodable>(_ path: KeyPath<A, R>, insert instances: [A]) throws -> [R] {
        try insertReturning(instances, .all).map { $0[keyPath: path] }
    }

    /// Inserts objects, all or none, and returns them as they are stored, in their order.
    public func returning(insert instances: [A]) throws -> [A] {
        try insertReturning(instances, .all)
    }

    /// Inserts objects, all or none, and returns the values that a column has then, in their order. Sets these columns alone.
    public func returning<R: Decodable>(
        _ path: KeyPath<A, R>, insert instances: [A], setKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...
    ) throws -> [R] {
        try insertReturning(instances, .only([setKeys] + rest)).map { $0[keyPath: path] }
    }

    /// Inserts objects, all or none, and returns them as they are stored, in their order. Sets these columns alone.
    public func returning(insert instances: [A], setKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...) throws -> [A]
    {
        try insertReturning(instances, .only([setKeys] + rest))
    }

    /// Inserts objects, all or none, and returns the values that a column has then, in their order. Sets all columns but these.
    public func returning<R: Decodable>(
        _ path: KeyPath<A, R>, insert instances: [A], ignoreKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...
    ) throws -> [R] {
        try insertReturning(instances, .except([ignoreKeys] + rest)).map { $0[keyPath: path] }
    }

    /// Inserts objects, all or none, and returns them as they are stored, in their order. Sets all columns but these.
    public func returning(insert instances: [A], ignoreKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...) throws
        -> [A]
    {
        try insertReturning(instances, .except([ignoreKeys] + rest))
    }
}

// MARK: Async

extension Table {
    /// Inserts an object and returns the value that a column has then.
    public func returning<R: Decodable>(_ path: KeyPath<A, R>, insert instance: A) async throws -> R {
        try await insertReturning(instance, .all)[keyPath: path]
    }

    /// Inserts an object and returns it as it is stored.
    public func returning(insert instance: A) async throws -> A {
        try await insertReturning(instance, .all)
    }

    /// Inserts an object and returns the value that a column has then. Sets these columns alone.
    public func returning<R: Decodable>(
        _ path: KeyPath<A, R>, insert instance: A, setKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...
    ) async throws -> R {
        try await insertReturning(instance, .only([setKeys] + rest))[keyPath: path]
    }

    /// Inserts an object and returns it as it is stored. Sets these columns alone.
    public func returning(insert instance: A, setKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...) async throws
        -> A
    {
        try await insertReturning(instance, .only([setKeys] + rest))
    }

    /// Inserts an object and returns the value that a column has then. Sets all columns but these.
    public func returning<R: Decodable>(
        _ path: KeyPath<A, R>, insert instance: A, ignoreKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...
    ) async throws -> R {
        try await insertReturning(instance, .except([ignoreKeys] + rest))[keyPath: path]
    }

    /// Inserts an object and returns it as it is stored. Sets all columns but these.
    public func returning(insert instance: A, ignoreKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...) async throws
        -> A
    {
        try await insertReturning(instance, .except([ignoreKeys] + rest))
    }

    /// Inserts objects, all or none, and returns the values that a column has then, in their order.
    public func returning<R: Decodable>(_ path: KeyPath<A, R>, insert instances: [A]) async throws -> [R] {
        try await insertReturning(instances, .all).map { $0[keyPath: path] }
    }

    /// Inserts objects, all or none, and returns them as they are stored, in their order.
    public func returning(insert instances: [A]) async throws -> [A] {
        try await insertReturning(instances, .all)
    }

    /// Inserts objects, all or none, and returns the values that a column has then, in their order. Sets these columns alone.
    public func returning<R: Decodable>(
        _ path: KeyPath<A, R>, insert instances: [A], setKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...
    ) async throws -> [R] {
        try await insertReturning(instances, .only([setKeys] + rest)).map { $0[keyPath: path] }
    }

    /// Inserts objects, all or none, and returns them as they are stored, in their order. Sets these columns alone.
    public func returning(insert instances: [A], setKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...) async throws
        -> [A]
    {
        try await insertReturning(instances, .only([setKeys] + rest))
    }

    /// Inserts objects, all or none, and returns the values that a column has then, in their order. Sets all columns but these.
    public func returning<R: Decodable>(
        _ path: KeyPath<A, R>, insert instances: [A], ignoreKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...
    ) async throws -> [R] {
        try await insertReturning(instances, .except([ignoreKeys] + rest)).map { $0[keyPath: path] }
    }

    /// Inserts objects, all or none, and returns them as they are stored, in their order. Sets all columns but these.
    public func returning(insert instances: [A], ignoreKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...)
        async throws -> [A]
    {
        try await insertReturning(instances, .except([ignoreKeys] + rest))
    }
}
