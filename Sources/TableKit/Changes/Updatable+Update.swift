extension Updatable where Form == OverAllForm {
    /// Sets the values of an object in all matching rows; nil sets NULL.
    @discardableResult
    public func update(_ instance: OverAllForm) throws -> Update<OverAllForm, Self> {
        Update(fromTable: self, try updateRows(instance, .all))
    }

    /// Sets values of an object in all matching rows; nil sets NULL. Sets these columns only.
    @discardableResult
    public func update(
        _ instance: OverAllForm, setKeys: PartialKeyPath<OverAllForm>, _ rest: PartialKeyPath<OverAllForm>...
    ) throws -> Update<OverAllForm, Self> {
        Update(fromTable: self, try updateRows(instance, .only([setKeys] + rest)))
    }

    /// Sets the values of an object in all matching rows; nil sets NULL. Sets all columns except these.
    @discardableResult
    public func update(
        _ instance: OverAllForm, ignoreKeys: PartialKeyPath<OverAllForm>, _ rest: PartialKeyPath<OverAllForm>...
    ) throws -> Update<OverAllForm, Self> {
        Update(fromTable: self, try updateRows(instance, .except([ignoreKeys] + rest)))
    }
}

// MARK: Async

extension Updatable where Form == OverAllForm {
    /// Sets the values of an object in all matching rows; nil sets NULL.
    @discardableResult
    public func update(_ instance: OverAllForm) async throws -> Update<OverAllForm, Self> {
        Update(fromTable: self, try await updateRows(instance, .all))
    }

    /// Sets values of an object in all matching rows; nil sets NULL. Sets these columns only.
    @discardableResult
    public func update(
        _ instance: OverAllForm, setKeys: PartialKeyPath<OverAllForm>, _ rest: PartialKeyPath<OverAllForm>...
    ) async throws -> Update<OverAllForm, Self> {
        Update(fromTable: self, try await updateRows(instance, .only([setKeys] + rest)))
    }

    /// Sets the values of an object in all matching rows; nil sets NULL. Sets all columns except these.
    @discardableResult
    public func update(
        _ instance: OverAllForm, ignoreKeys: PartialKeyPath<OverAllForm>, _ rest: PartialKeyPath<OverAllForm>...
    ) async throws -> Update<OverAllForm, Self> {
        Update(fromTable: self, try await updateRows(instance, .except([ignoreKeys] + rest)))
    }
}
