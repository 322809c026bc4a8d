import Foundation

/// The tables of ``InMemoryRepository``s.
public final class InMemoryDatabase: Sendable {
    private let tables = Locked<[ByteExactString: InMemoryTable]>([:])

    /// Creates a database without tables.
    public init() {}

    func withTable<R>(_ name: ByteExactString, _ body: (inout InMemoryTable) -> R) -> R {
        tables.withLock { body(&$0[name, default: InMemoryTable()]) }
    }
}

/// Records by identifier.
struct InMemoryTable {
    private var records: [ByteExactString: Data] = [:]
    /// The sorted identifiers, cached until the set of identifiers changes.
    private var ordered: [ByteExactString]?

    var count: Int { records.count }

    subscript(id: ByteExactString) -> Data? {
        get { records[id] }
        set {
            let old = records.updateOrRemove(newValue, forKey: id)
            if (old == nil) != (newValue == nil) { ordered = nil }
        }
    }

    /// A page of identifiers, ascending.
    mutating func page(after identifier: String?, limit: Int) -> ArraySlice<ByteExactString> {
        let ordered = ordered ?? records.keys.sorted()
        self.ordered = ordered
        guard let identifier else { return ordered.prefix(max(0, limit)) }
        let last = ByteExactString(identifier)
        var (low, high) = (0, ordered.count)
        while low < high {
            let middle = (low + high) / 2
            if ordered[middle] <= last { low = middle + 1 } else { high = middle }
        }
        return ordered[low...].prefix(max(0, limit))
    }
}

extension Dictionary {
    /// Sets or removes a value, and returns the previous one.
    fileprivate mutating func updateOrRemove(_ value: Value?, forKey key: Key) -> Value? {
        guard let value else { return removeValue(forKey: key) }
        return updateValue(value, forKey: key)
    }
}
