/// A link that `order` can follow.
public protocol Orderable: TableProtocol {}

extension Orderable {
    /// Orders the rows of the table that was named last, ascending. NULL sorts first.
    ///
    /// A later order of the same table takes precedence over an earlier one.
    /// - Parameter by: the columns, the most significant first.
    public func order(by: PartialKeyPath<Form>...) -> Ordering<OverAllForm, Self> {
        Ordering(fromTable: self, keys: by, isDescending: false)
    }

    /// Orders the rows of the table that was named last, descending. NULL sorts last.
    public func order(descending by: PartialKeyPath<Form>...) -> Ordering<OverAllForm, Self> {
        Ordering(fromTable: self, keys: by, isDescending: true)
    }
}

/// A chain with an order.
public struct Ordering<OAF: Codable, A: TableProtocol>: TableProtocol, FromTableProtocol, Joinable, Selectable,
    Whereable, Orderable, Limitable
{
    /// The type of the table that was named last.
    public typealias Form = A.Form
    /// The type of the previous link.
    public typealias FromTableType = A
    /// The type that the chain yields.
    public typealias OverAllForm = OAF

    /// The previous link.
    public let fromTable: A
    private let terms: Result<[OrderTerm], any Error>

    init(fromTable: A, keys: [PartialKeyPath<Form>], isDescending: Bool) {
        self.fromTable = fromTable
        terms = Result {
            try keys.map { OrderTerm(column: try $0.columnNumber(), isDescending: isDescending) }
        }
    }

    /// The description of the previous link with the order added.
    public func describe() throws -> QueryDescription {
        try describe { $0.order(by: try terms.get()) }
    }
}
