/// The result of a chain as a sequence.
///
/// Each iteration runs the query again, on the data of then, and holds one batch of the result in memory. A sequence cannot
/// throw: an error ends it like its end does, and is in the log. ``all()`` and `first()` throw.
public struct Select<OAF: Codable, A: TableProtocol>: Sequence, FromTableProtocol, Sendable {
    /// The type of the link before.
    public typealias FromTableType = A
    /// The type of the objects.
    public typealias OverAllForm = OAF
    /// The type of the objects.
    public typealias Element = OAF

    /// The link before.
    public let fromTable: A
    let description: QueryDescription

    init(fromTable: A) throws {
        self.fromTable = fromTable
        description = try fromTable.describe()
    }

    /// Runs the query.
    public func makeIterator() -> SelectIterator<OAF> { SelectIterator(Access(engine), description) }

    /// The whole result.
    public func all() throws -> [OAF] { try QueryCursor<OAF>(Access(engine), description).all() }
}

/// An iteration of a ``Select``.
public struct SelectIterator<OAF: Codable>: IteratorProtocol {
    private var cursor: QueryCursor<OAF>?
    /// What is left of the last batch.
    private let items = ItemQueue<OAF>()
    /// The error that comes behind these objects.
    private var failure: (any Error)?

    init(_ access: Access, _ description: QueryDescription) {
        do { cursor = try QueryCursor(access, description) } catch { Self.log(error) }
    }

    /// The next object. Nil at the end, and after an error, which is in the log.
    public mutating func next() -> OAF? {
        if let item = items.popFirst() { return item }
        do { return try nextElement() } catch {
            Self.log(error)
            return nil
        }
    }

    /// The next object, or nil at the end. Throws where ``next()`` ends.
    public mutating func nextElement() throws -> OAF? {
        while true {
            if let item = items.popFirst() { return item }
            if let failure {
                self.failure = nil
                throw failure
            }
            guard let cursor else { return nil }
            do {
                if try !cursor.next(into: items) { self.cursor = nil }
            } catch {
                // The objects before the failure come first.
                failure = error
                self.cursor = nil
            }
        }
    }

    private static func log(_ error: any Error) {
        CRUDLogging.log(.error, "A select of \(OAF.self) ended with an error: \(error)")
    }
}
