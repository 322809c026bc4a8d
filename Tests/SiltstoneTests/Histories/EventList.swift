/// The calls and returns of a history in the order of time, as a doubly linked list, from which an operation is taken
/// and put back in constant time (Knuth's dancing links). The call of operation `i` is event `2i`, its return `2i + 1`.
struct EventList {
    private var next: [Int]
    private var previous: [Int]
    private let hasReturn: [Bool]
    private let end: Int

    init(_ operations: [Operation]) {
        end = 2 * operations.count
        next = Array(repeating: 0, count: end + 1)
        previous = next
        hasReturn = operations.map(\.isCertain)
        var events: [(time: Int, event: Int)] = []
        for (index, operation) in operations.enumerated() {
            events.append((operation.invoked, 2 * index))
            if operation.isCertain { events.append((operation.returned, 2 * index + 1)) }
        }
        events.sort { ($0.time, $0.event) < ($1.time, $1.event) }
        var last = end
        for (_, event) in events {
            next[last] = event
            previous[event] = last
            last = event
        }
        next[last] = end
        previous[end] = last
    }

    /// The first event that is left; the end where there is none.
    var first: Int { next[end] }

    func after(_ event: Int) -> Int { next[event] }

    /// The operation that is called at an event; nil where it is a return or the end.
    func call(_ event: Int) -> Int? { event != end && event & 1 == 0 ? event >> 1 : nil }

    /// The operation that returns at an event; nil at the end.
    func returned(_ event: Int) -> Int? { event == end ? nil : event >> 1 }

    mutating func remove(_ operation: Int) {
        unlink(2 * operation)
        if hasReturn[operation] { unlink(2 * operation + 1) }
    }

    /// Undoes ``remove(_:)``; the removals in between must have been undone before.
    mutating func putBack(_ operation: Int) {
        if hasReturn[operation] { relink(2 * operation + 1) }
        relink(2 * operation)
    }

    private mutating func unlink(_ event: Int) {
        next[previous[event]] = next[event]
        previous[next[event]] = previous[event]
    }

    private mutating func relink(_ event: Int) {
        next[previous[event]] = event
        previous[next[event]] = event
    }
}
