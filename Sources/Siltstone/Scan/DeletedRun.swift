/// The deleted records that a scan passes between two entries, or before its first one: how many, and from where to
/// where.
struct DeletedRun {
    /// The number of deleted records after which a scan looks for a known range, and after which it adds what it has
    /// passed to one. Both take a lock, and adding copies keys, which together cost about as much as eight records. So
    /// the two costs of a scan, of passing records and of adding them, are about the same.
    static let fewest = 8

    private let direction: ScanDirection
    /// The number of records that were passed.
    private(set) var count = 0
    /// The position before the first record; nil if there is none.
    private var start: [UInt8]?
    /// The position after the last record, or the one to which the scan has skipped; nil if there is none.
    var end: [UInt8]? { hasEnd ? endKey : nil }
    private var endKey: [UInt8] = []
    private var hasEnd = false
    private var nextLookup = fewest
    private var step = fewest

    /// - Parameter start: the position from which on there is no entry, where it is known: the start of a range.
    init(_ direction: ScanDirection, from start: [UInt8]? = nil) {
        self.direction = direction
        self.start = start
    }

    /// Adds records.
    mutating func pass(_ count: Int, _ first: Bytes, through last: Bytes) {
        self.count += count
        if start == nil { start = direction == .forward ? [UInt8](first) : KeyRange.successor(of: [UInt8](first)) }
        // Not a new array, because the scan of a transaction calls this for each record.
        endKey.removeAll(keepingCapacity: true)
        endKey.append(contentsOf: last)
        if direction == .forward { endKey.append(0) }
        hasEnd = true
    }

    /// Adds the records of a run that a source of the scan has passed. Other sources may have entries between them.
    mutating func absorb(_ run: DeletedRun) {
        count += run.count
        if start == nil { start = run.start }
    }

    /// Whether the scan should look for a known range that begins where it is. After each lookup that finds none, it
    /// passes twice as many records, so that lookups take a small part of its time.
    var isLookupDue: Bool { count >= nextLookup }

    /// Records the result of a lookup.
    /// - Parameter target: the position at which the scan goes on; nil if no range was found.
    mutating func lookedUp(_ target: [UInt8]?) {
        if let target { (endKey, hasEnd) = (target, true) }
        step = target == nil ? 2 * step : Self.fewest
        nextLookup = count + step
    }

    /// The lower bound of a range of keys, and its upper bound, exclusive.
    typealias Bounds = (from: [UInt8], to: [UInt8])

    /// The bounds of the run; nil if no records were passed.
    /// - Parameter position: the position up to which there is no entry; nil for the one after the last record.
    func bounds(upTo position: [UInt8]? = nil) -> Bounds? {
        guard count > 0, let start, let end = position ?? end else { return nil }
        return direction == .forward ? (start, end) : (end, start)
    }
}
