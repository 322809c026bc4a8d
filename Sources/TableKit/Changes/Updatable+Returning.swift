// The public overloads: one or all columns, and each choice of columns. All end in `updateReturning`.

extension Updatable where Form == OverAllForm {
    /// Updates all matching rows and returns the new values of a column.
    public func returning<R: Decodable>(_ path: KeyPath<OverAllForm, R>, update instance: OverAllForm) throws -> [R] {
        try updateReturning(instance, .all).map { $0[keyPath: path] }
    }

    /// Updates all matching rows and returns the updated rows.
    public func returning(update instance: OverAllForm) throws -> [OverAllForm] {
        try updateReturning(instance, .all)
    }

    /// Updates all matching rows and returns the new values of a column. Sets these columns only.
    public func returning<R: Decodable>(
        _ path: KeyPath<OverAllForm, R>, update instance: OverAllForm, setKeys: PartialKeyPath<OverAllForm>,
        _ rest: PartialKeyPath<OverAllForm>...
    ) throws -> [R] {
        try updateReturning(instance, .only([setKeys] + rest)).map { $0[keyPath: path] }
    }

    /// Updates all matching rows and returns the updated rows. Sets these columns only.
    public func returning(
        update instance: OverAllForm, setKeys: PartialKeyPath<OverAllForm>, _ rest: PartialKeyPath<OverAllForm>...
    ) throws -> [OverAllForm] {
        try updateReturning(instance, .only([setKeys] + rest))
    }

    /// Updates all matching rows and returns the new values of a column. Sets all columns except these.
    public func returning<R: Decodable>(
        _ path: KeyPath<OverAllForm, R>, update instance: OverAllForm, ignoreKeys: PartialKeyPath<OverAllForm>,
        _ rest: PartialKeyPath<OverAllForm>...
    ) throws -> [R] {
        try updateReturning(instance, .except([ignoreKeys] + rest)).map { $0[keyPath: path] }
    }

    /// Updates all matching rows and returns the updated rows. Sets all columns except these.
    public func returning(
        update instance: OverAllForm, ignoreKeys: PartialKeyPath<OverAllForm>, _ rest: PartialKeyPath<OverAllForm>...
    ) throws -> [OverAllForm] {
        try updateReturning(instance, .except([ignoreKeys] + rest))
    }
}

// MARK: Async

extension Updatable where Form == OverAllForm {
    /// Updates all matching rows and returns the new values of a column.
    public func returning<R: Decodable>(_ path: KeyPath<OverAllForm, R>, update instance: OverAllForm) async throws
        -> [R]
    {
        try await updateReturning(instance, .all).map { $0[keyPath: path] }
    }

    /// Updates all matching rows and returns the updated rows.
    public func returning(update instance: OverAllForm) async throws -> [OverAllForm] {
        try await updateReturning(instance, .all)
    }

    /// Updates all matching rows and returns the new values of a column. Sets these columns only.
    public func returning<R: Decodable>(
        _ path: KeyPath<OverAllForm, R>, update instance: OverAllForm, setKeys: PartialKeyPath<OverAllForm>,
        _ rest: PartialKeyPath<OverAllForm>...
    ) async throws -> [R] {
        try await updateReturning(instance, .only([setKeys] + rest)).map { $0[keyPath: path] }
    }

    /// Updates all matching rows and returns the updated rows. Sets these columns only.
    public func returning(
        update instance: OverAllForm, setKeys: PartialKeyPath<OverAllForm>, _ rest: PartialKeyPath<OverAllForm>...
    ) async throws -> [OverAllForm] {
        try await updateReturning(instance, .only([setKeys] + rest))
    }

    /// Updates all matching rows and returns the new values of a column. Sets all columns except these.
    public func returning<R: Decodable>(
        _ path: KeyPath<OverAllForm, R>, update instance: OverAllForm, ignoreKeys: PartialKeyPath<OverAllForm>,
        _ rest: PartialKeyPath<OverAllForm>...
    ) async throws -> [R] {
        try await updateReturning(instance, .except([ignoreKeys] + rest)).map { $0[keyPath: path] }
    }

    /// Updates all matching rows and returns the updated rows. Sets all columns except these.
    public func returning(
        update instance: OverAllForm, ignoreKeys: PartialKeyPath<OverAllForm>, _ rest: PartialKeyPath<OverAllForm>...
    ) async throws -> [OverAllForm] {
        try await updateReturning(instance, .except([ignoreKeys] + rest))
    }
}
