extension Table {
    /// Inserts an object. Omits columns that it does not encode, and array properties of other tables.
    @discardableResult
    public func insert(_ instance: A) throws -> Insert<A, Table> {
        Insert(fromTable: self, try insertRows([instance], .all))
    }

    /// Inserts an object. Sets these columns only; the others get their default, or NULL.
    @discardableResult
    public func insert(_ instance: A, setKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...) throws -> Insert<
        A, Table
    > {
        Insert(fromTable: self, try insertRows([instance], .only([setKeys] + rest)))
    }

    /// Inserts an object. Sets all columns except these, which get their default, or NULL.
    @discardableResult
    public func insert(_ instance: A, ignoreKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...) throws -> Insert<
        A, Table
    > {
        Insert(fromTable: self, try insertRows([instance], .except([ignoreKeys] + rest)))
    }

    /// Inserts objects, all or none. An empty array does nothing.
    @discardableResult
    public func insert(_ instances: [A]) throws -> Insert<A, Table> {
        Insert(fromTable: self, try insertRows(instances, .all))
    }

    /// Inserts objects, all or none. Sets these columns only; the others get their default, or NULL.
    @discardableResult
    public func insert(_ instances: [A], setKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...) throws -> Insert<
        A, Table
    > {
        Insert(fromTable: self, try insertRows(instances, .only([setKeys] + rest)))
    }

    /// Inserts objects, all or none. Sets all columns except these, which get their default, or NULL.
    @discardableResult
    public func insert(_ instances: [A], ignoreKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...) throws -> Insert<
        A, Table
    > {
        Insert(fromTable: self, try insertRows(instances, .except([ignoreKeys] + rest)))
    }

    /// Inserts an object, or replaces the row with its key. Throws on a conflict in another unique index.
    @discardableResult
    public func upsert(_ instance: A) throws -> Insert<A, Table> {
        Insert(fromTable: self, try insertRows([instance], .all, onConflict: .replace))
    }

    /// Inserts objects, or replaces the rows with their keys. Throws on a conflict in another unique index.
    @discardableResult
    public func upsert(_ instances: [A]) throws -> Insert<A, Table> {
        Insert(fromTable: self, try insertRows(instances, .all, onConflict: .replace))
    }
}

// MARK: Async

extension Table {
    /// Inserts an object. Omits columns that it does not encode, and array properties of other tables.
    @discardableResult
    public func insert(_ instance: A) async throws -> Insert<A, Table> {
        Insert(fromTable: self, try await insertRows([instance], .all))
    }

    /// Inserts an object. Sets these columns only; the others get their default, or NULL.
    @discardableResult
    public func insert(_ instance: A, setKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...) async throws -> Insert<
        A, Table
    > {
        Insert(fromTable: self, try await insertRows([instance], .only([setKeys] + rest)))
    }

    /// Inserts an object. Sets all columns except these, which get their default, or NULL.
    @discardableResult
    public func insert(_ instance: A, ignoreKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...) async throws
        -> Insert<A, Table>
    {
        Insert(fromTable: self, try await insertRows([instance], .except([ignoreKeys] + rest)))
    }

    /// Inserts objects, all or none. An empty array does nothing.
    @discardableResult
    public func insert(_ instances: [A]) async throws -> Insert<A, Table> {
        Insert(fromTable: self, try await insertRows(instances, .all))
    }

    /// Inserts objects, all or none. Sets these columns only; the others get their default, or NULL.
    @discardableResult
    public func insert(_ instances: [A], setKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...) async throws
        -> Insert<A, Table>
    {
        Insert(fromTable: self, try await insertRows(instances, .only([setKeys] + rest)))
    }

    /// Inserts objects, all or none. Sets all columns except these, which get their default, or NULL.
    @discardableResult
    public func insert(_ instances: [A], ignoreKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...) async throws
        -> Insert<A, Table>
    {
        Insert(fromTable: self, try await insertRows(instances, .except([ignoreKeys] + rest)))
    }

    /// Inserts an object, or replaces the row with its key. Throws on a conflict in another unique index.
    @discardableResult
    public func upsert(_ instance: A) async throws -> Insert<A, Table> {
        Insert(fromTable: self, try await insertRows([instance], .all, onConflict: .replace))
    }

    /// Inserts objects, or replaces the rows with their keys. Throws on a conflict in another unique index.
    @discardableResult
    public func upsert(_ instances: [A]) async throws -> Insert<A, Table> {
        Insert(fromTable: self, try await insertRows(instances, .all, onConflict: .replace))
    }
}
