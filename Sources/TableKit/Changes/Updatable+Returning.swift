extension Updatable where Form == OverAllForm {
    /// Updates every row that matches and returns the values that a column has then.
    public func returning<R: Decodable>(_ path: KeyPath<OverAllForm, R>, update instance: OverAllForm) throws -> [R] {
        try updateReturning(instance, .all).map { $0[keyPath: path] }
    }

    /// Updates every row that matches and returns the rows as they are then.
    public func returning(update instance: OverAllForm) throws -> [OverAllForm] {
        try updateReturning(instance, .all)
    }

    /// Updates every row that matches and returns the values that a column has then. Sets these columns alone.
    public func returning<R: Decodable>(
        _ path: KeyPath<OverAllForm, R>, update instance: OverAllForm, setKeys: PartialKeyPath<OverAllForm>,
        _ rest: PartialKeyPath<OverAllForm>...
    ) throws -> [R] {
        try updateReturning(instance, .only([setKeys] + rest)).map { $0[keyPath: path] }
    }

    /// Updates every row that matches and returns the rows as they are then. Sets these columns alone.
    public func returning(
        update instance: OverAllForm, setKeys: PartialKeyPath<OverAllForm>, _ rest: PartialKeyPath<OverAllForm>...
    ) throws -> [OverAllForm] {
        try updateReturning(instance, .only([setKeys] + rest))
    }

    /// Updates every row that matches and returns the values that a column has then. Sets all columns but these.
    public func returning<R: Decodable>(
        _ path: KeyPath<OverAllForm, R>, update instance: OverAllForm, ignoreKeys: PartialKeyPath<OverAllForm>,
        _ rest: PartialKeyPath<OverAllForm>...
    ) throws -> [R] {
        try updateReturning(instance, .except([ignoreKeys] + rest)).map { $0[keyPath: path] }
    }

    /// Updates every row that matches and returns the rows as they are then. Sets all columns but these.
    public func returning(
        update instance: OverAllForm, ignoreKeys: PartialKeyPath<OverAllForm>, _ rest: PartialKeyPath<OverAllForm>...
    ) throws -> [OverAllForm] {
        try updateReturning(instance, .except([ignoreKeys] + rest))
    }
}

// MARK: Async

extension Updatable where Form == OverAllForm {
    /// Updates every row that matches and returns the values that a column has then.
    public func returning<R: Decodable>(_ path: KeyPath<OverAllForm, R>, update instance: OverAllForm) async throws
        -> [R]
    {
        try await updateReturning(instance, .all).map { $0[keyPath: path] }
    }

    /// Updates every row that matches and returns the rows as they are then.
    public func returning(update instance: OverAllForm) async throws -> [OverAllForm] {
        try await updateReturning(instance, .all)
    }

    /// Updates every row that matches and returns the values that a column has then. Sets these columns alone.
    public func returning<R: Decodable>(
        _ path: KeyPath<OverAllForm, R>, update instance: OverAllForm, setKeys: PartialKeyPath<OverAllForm>,
        _ rest: PartialKeyPath<OverAllForm>...
    ) async throws -> [R] {
        try await updateReturning(instance, .only([setKeys] + rest)).map { $0[keyPath: path] }
    }

    /// Updates every row that matches and returns the rows as they are then. Sets these columns alone.
    public func returning(
        update instance: OverAllForm, setKeys: PartialKeyPath<OverAllForm>, _ rest: PartialKeyPath<OverAllForm>...
    ) async throws -> [OverAllForm] {
        try await updateReturning(instance, .only([setKeys] + rest))
    }

    /// Updates every row that matches and returns the values that a column has then. Sets all columns but these.
    public func returning<R: Decodable>(
        _ path: KeyPath<OverAllForm, R>, update instance: OverAllForm, ignoreKeys: PartialKeyPath<OverAllForm>,
        _ rest: PartialKeyPath<OverAllForm>...
    ) async throws -> [R] {
        try await updateReturning(instance, .except([ignoreKeys] + rest)).map { $0[keyPath: path] }
    }

    /// Updates every row that matches and returns the rows as they are then. Sets all columns but these.
    public func returning(
        update instance: OverAllForm, ignoreKeys: PartialKeyPath<OverAllForm>, _ rest: PartialKeyPath<OverAllForm>...
    ) async throws -> [OverAllForm] {
        try await updateReturning(instance, .except([ignoreKeys] + rest))
    }
}
