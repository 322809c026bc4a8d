/// The result of a chain as a sequence.
///
/// Each iteration runs the query again on current data, and holds one batch of the result in memory.
///
/// A sequence cannot throw: an error is logged and ends the iteration, and a `for` cannot tell it from the end of the
/// result. ``all()``, `first()`, `rows()` and ``SelectIterator/nextElement()`` throw the error.
public struct Select<OAF: Codable, A: TableProtocol>: Sequence, FromTableProtocol, Sendable {
    /// The type of the previous link.
    public typealias FromTableType = A
    /// The type of the objects.
    public typealias OverAllForm = OAF
    /// The type of the objects.
    public typealias Element = OAF

    /// The previous link.
    public let fromTable: A
    let description: QueryDescription

    init(fromTable: A) throws {
        self.fromTable = fromTable
        description = try fromTable.describe()
    }

    /// Runs the query.
    public func makeIterator() -> SelectIterator<OAF> { SelectIterator(Access(engine), description) }

    /// Returns the whole result.
    public func all() throws -> [OAF] { try QueryCursor<OAF>(Access(engine), description).all() }
}

/// An iteration of a ``Select``.
public struct SelectIterator<OAF: Codable>: IteratorProtocol {
    private var cursor: QueryCursor<OAF>?
    /// The objects of the current batch that were not yet returned.
    private let items = ItemQueue<OAF>()
    /// An error to throw after the objects in `items`.
    private var failure: (any Error)?

    init(_ access: Access, _ description: QueryDescription) {
        do { cursor = try QueryCursor(access, description) } catch { Self.log(error) }
    }

    /// The next object. Returns nil at the end and after an error, which is logged.
    public mutating func next() -> OAF? {
        if let item = items.popFirst() { return item }
        do { return try nextElement() } catch {
            Self.log(error)
            return nil
        }
    }

    /// The next object, or nil at the end. Throws the errors that ``next()`` logs.
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
                // The objects decoded before the failure are returned first.
                failure = error
                self.cursor = nil
            }
        }
    }

    private static func log(_ error: any Error) {
        CRUDLogging.log(.error, "A select of \(OAF.self) ended with an error: \(error)")
    }
}
