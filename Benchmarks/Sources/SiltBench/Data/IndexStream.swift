/// The indices of the keys that a thread visits, in order. Run again, it gives the same: that is how results are checked.
struct IndexStream: Sendable {
    private enum Order { case ascending, listed, uniform }

    private let order: Order
    private var position = 0
    private var list: [UInt32] = []
    private var random = RandomSource(.reading)
    private var choices = 0
    private var stride = 1
    private var offset = 0

    private init(_ order: Order) { self.order = order }

    /// One after another, from `start`.
    static func ascending(from start: Int) -> IndexStream {
        var stream = IndexStream(.ascending)
        stream.position = start
        return stream
    }

    /// As listed, from a position of the list.
    static func listed(_ list: [UInt32], from start: Int) -> IndexStream {
        var stream = IndexStream(.listed)
        stream.list = list
        stream.position = start
        return stream
    }

    /// With replacement from `0..<count`, so that threads never meet: each draws from an equal share of its own.
    static func uniform(
        _ count: Int, _ purpose: RandomSource.Purpose, thread: Int = 0, of threads: Int = 1
    ) -> IndexStream {
        var stream = IndexStream(.uniform)
        stream.random = RandomSource(purpose, stream: thread)
        stream.choices = max(1, count / threads)
        stream.stride = threads
        stream.offset = thread
        return stream
    }

    @inline(__always)
    mutating func next() -> Int {
        switch order {
        case .ascending:
            position &+= 1
            return position &- 1
        case .listed:
            position &+= 1
            return Int(list[position &- 1])
        case .uniform:
            return offset &+ stride &* random.below(choices)
        }
    }

    /// Every index in `0..<count` once, in random order.
    static func permutation(_ count: Int, _ purpose: RandomSource.Purpose) -> [UInt32] {
        var order = (0..<UInt32(count)).map { $0 }
        var random = RandomSource(purpose)
        for i in Swift.stride(from: count - 1, to: 0, by: -1) { order.swapAt(i, random.below(i + 1)) }
        return order
    }
}
