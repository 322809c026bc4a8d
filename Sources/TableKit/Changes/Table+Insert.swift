extension Table {
    /// Inserts an object. Columns that it does not encode, and array properties of other tables, are left out.
    @discardableResult
    public func insert(_ instance: A) throws -> Insert<A, Table> {
        Insert(fromTable: self, try insertRows([instance], .all))
    }

    /// Inserts an object. Columns that it does not encode, and array properties of other tables, are left out. Sets these columns alone; the others take their default, or NULL.
    @discardableResult
    public func insert(_ instance: A, setKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...) throws -> Insert<
        A, Table
    > {
        Insert(fromTable: self, try insertRows([instance], .only([setKeys] + rest)))
    }

    /// Inserts an object. Columns that it does not encode, and array properties of other tables, are left out. Sets all columns but these, which take their default, or NULL.
    @discardableResult
    public func insert(_ instance: A, ignoreKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...) throws -> Insert<
        A, Table
    > {
        Insert(fromTable: self, try insertRows([instance], .except([ignoreKeys] + rest)))
    }

    /// Inserts objects, all or none. Of none: does nothing.
    @discardableResult
    public func insert(_ instances: [A]) throws -> Insert<A, Table> {
        Insert(fromTable: self, try insertRows(instances, .all))
    }

    /// Inserts objects, all or none. Of none: does nothing. Sets these columns alone; the others take their default, or NULL.
    @discardableResult
    public func insert(_ instances: [A], setKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...) throws -> Insert<
        A, Table
    > {
        Insert(fromTable: self, try insertRows(instances, .only([setKeys] + rest)))
    }

    /// Inserts objects, all or none. Of none: does nothing. Sets all columns but these, which take their default, or NULL.
    @discardableResult
    public func insert(_ instances: [A], ignoreKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...) throws -> Insert<
        A, Table
    > {
        Insert(fromTable: self, try insertRows(instances, .except([ignoreKeys] + rest)))
    }

    /// Inserts an object, in place of the row with its key where there is one. Another unique index still refuses it.
    @discardableResult
    public func upsert(_ instance: A) throws -> Insert<A, Table> {
        Insert(fromTable: self, try insertRows([instance], .all, onConflict: .replace))
    }

    /// Inserts objects, each in place of the row with its key where there is one. Another unique index still refuses it.
    @discardableResult
    public func upsert(_ instances: [A]) throws -> Insert<A, Table> {
        Insert(fromTable: self, try insertRows(instances, .all, onConflict: .replace))
    }
}

// MARK: Async

extension Table {
    /// Inserts an object. Columns that it does not encode, and array properties of other tables, are left out.
    @discardableResult
    public func insert(_ instance: A) async throws -> Insert<A, Table> {
        Insert(fromTable: self, try await insertRows([instance], .all))
    }

    /// Inserts an object. Columns that it does not encode, and array properties of other tables, are left out. Sets these columns alone; the others take their default, or NULL.
    @discardableResult
    public func insert(_ instance: A, setKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...) async throws -> Insert<
        A, Table
    > {
        Insert(fromTable: self, try await insertRows([instance], .only([setKeys] + rest)))
    }

    /// Inserts an object. Columns that it does not encode, and array properties of other tables, are left out. Sets all columns but these, which take their default, or NULL.
    @discardableResult
    public func insert(_ instance: A, ignoreKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...) async throws
        -> Insert<A, Table>
    {
        Insert(fromTable: self, try await insertRows([instance], .except([ignoreKeys] + rest)))
    }

    /// Inserts objects, all or none. Of none: does nothing.
    @discardableResult
    public func insert(_ instances: [A]) async throws -> Insert<A, Table> {
        Insert(fromTable: self, try await insertRows(instances, .all))
    }

    /// Inserts objects, all or none. Of none: does nothing. Sets these columns alone; the others take their default, or NULL.
    @discardableResult
    public func insert(_ instances: [A], setKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...) async throws
        -> Insert<A, Table>
    {
        Insert(fromTable: self, try await insertRows(instances, .only([setKeys] + rest)))
    }

    /// Inserts objects, all or none. Of none: does nothing. Sets all columns but these, which take their default, or NULL.
    @discardableResult
    public func insert(_ instances: [A], ignoreKeys: PartialKeyPath<A>, _ rest: PartialKeyPath<A>...) async throws
        -> Insert<A, Table>
    {
        Insert(fromTable: self, try await insertRows(instances, .except([ignoreKeys] + rest)))
    }

    /// Inserts an object, in place of the row with its key where there is one. Another unique index still refuses it.
    @discardableResult
    public func upsert(_ instance: A) async throws -> Insert<A, Table> {
        Insert(fromTable: self, try await insertRows([instance], .all, onConflict: .replace))
    }

    /// Inserts objects, each in place of the row with its key where there is one. Another unique index still refuses it.
    @discardableResult
    public func upsert(_ instances: [A]) async throws -> Insert<A, Table> {
        Insert(fromTable: self, try await insertRows(instances, .all, onConflict: .replace))
    }
}
