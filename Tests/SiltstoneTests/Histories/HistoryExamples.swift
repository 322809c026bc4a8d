/// Small histories of which it is known whether they are right. The time of each operation is written as a range.
enum HistoryExamples {
    private static func operation(_ time: ClosedRange<Int>, _ effect: Effect) -> Operation {
        Operation(thread: 0, invoked: time.lowerBound, returned: time.upperBound, effect: effect)
    }

    private static func write(_ time: ClosedRange<Int>, _ revisions: KeyValuePairs<Int, Revision>) -> Operation {
        operation(time, .write(revisions.map { Change(key: $0.key, revision: $0.value) }))
    }

    private static func saw(_ time: ClosedRange<Int>, _ revisions: KeyValuePairs<Int, Revision>) -> Operation {
        operation(time, .observe(revisions.map { Observation(key: $0.key, seen: .revision($0.value)) }))
    }

    private static func change(
        _ time: ClosedRange<Int>, _ revision: Revision, if condition: KeyCondition, _ held: Bool?
    ) -> Operation {
        operation(time, .conditional(Change(key: 1, revision: revision), condition, held: held))
    }

    /// A write that began at a time, and threw: it may have happened.
    private static func uncertain(_ invoked: Int, _ revisions: KeyValuePairs<Int, Revision>) -> Operation {
        write(invoked...Operation.never, revisions)
    }

    static let right: [HistoryCheckerTests.Example] = [
        .init("nothing at all"),
        .init("a write, then a read of it", write(1...2, [1: 1]), saw(3...4, [1: 1])),
        .init("a read beside a write sees the old value", write(1...4, [1: 1]), saw(2...3, [1: 0])),
        .init("a read beside a write sees the new value", write(1...4, [1: 1]), saw(2...3, [1: 1])),
        .init(
            "two writes at once, seen in the order opposite to that of their calls", write(1...6, [1: 1]),
            write(2...5, [1: 2]), saw(3...4, [1: 2]), saw(7...8, [1: 1])),
        .init("an uncertain write that happened", uncertain(1, [1: 1]), saw(3...4, [1: 1])),
        .init("an uncertain write that did not", uncertain(1, [1: 1]), saw(3...4, [1: 0])),
        .init("an uncertain write that happens late", uncertain(1, [1: 1]), saw(3...4, [1: 0]), saw(5...6, [1: 1])),
        .init(
            "of two inserts at once one wins", change(1...4, 1, if: .absent, true),
            change(2...3, 2, if: .absent, false), saw(5...6, [1: 1])),
        .init(
            "an insert whose outcome is unknown, beside one that lost",
            change(1...Operation.never, 1, if: .absent, nil),
            change(2...3, 2, if: .absent, false), saw(5...6, [1: 1])),
        .init(
            "a batch, seen before and after", write(1...6, [1: 1, 2: 1]), saw(2...3, [1: 0, 2: 0]),
            saw(4...5, [1: 1, 2: 1])),
        .init(
            "two snapshots beside two writes, one after the other", write(1...8, [1: 1]), write(1...8, [2: 2]),
            saw(2...3, [1: 1, 2: 0]), saw(4...5, [1: 1, 2: 2])),
        .init(
            "a compare and set that finds the value of another under way", write(1...6, [1: 1]),
            change(2...5, 2, if: .equals(1), true), saw(7...8, [1: 2])),
    ]

    static let wrong: [HistoryCheckerTests.Example] = [
        .init("a read that misses an acknowledged write", write(1...2, [1: 1]), saw(3...4, [1: 0])),
        .init("a read of what was overwritten", write(1...2, [1: 1]), write(3...4, [1: 2]), saw(5...6, [1: 1])),
        .init("a read from the future", saw(1...2, [1: 1]), write(3...4, [1: 1])),
        .init("a value that nobody wrote", write(1...2, [1: 1]), saw(3...4, [1: 7])),
        .init("a value that goes back", write(1...8, [1: 1]), saw(2...3, [1: 1]), saw(4...5, [1: 0])),
        .init(
            "a removed key that comes back", write(1...2, [1: 1]), write(3...4, [1: 0]), saw(5...6, [1: 0]),
            saw(7...8, [1: 1])),
        .init(
            "an uncertain write that comes and goes", uncertain(1, [1: 1]), saw(3...4, [1: 1]), saw(5...6, [1: 0])),
        .init("two inserts that both win", change(1...4, 1, if: .absent, true), change(2...3, 2, if: .absent, true)),
        .init("an insert that loses to nobody", change(1...2, 1, if: .absent, false)),
        .init(
            "two compare and sets from one value that both win", write(1...2, [1: 1]),
            change(3...6, 2, if: .equals(1), true), change(4...5, 3, if: .equals(1), true)),
        .init(
            "a replacement that wins after a removal", write(1...2, [1: 1]), write(3...4, [1: 0]),
            change(5...6, 2, if: .present, true)),
        .init(
            "an unsuccessful change that left its value", write(1...2, [1: 1]),
            change(3...4, 2, if: .equals(9), false), saw(5...6, [1: 2])),
        .init("half a batch, after it", write(1...2, [1: 1, 2: 1]), saw(3...4, [1: 1, 2: 0])),
        .init("half a batch, beside it", write(1...4, [1: 1, 2: 1]), saw(2...3, [1: 1, 2: 0])),
        .init(
            "half a removed range", write(1...2, [1: 1, 2: 1]), write(3...6, [1: 0, 2: 0]),
            saw(4...5, [1: 1, 2: 0])),
        .init("half an uncertain batch", uncertain(1, [1: 1, 2: 1]), saw(3...4, [1: 0, 2: 1])),
        .init(
            "two snapshots that see two writes in opposite orders", write(1...8, [1: 1]), write(1...8, [2: 2]),
            saw(2...3, [1: 1, 2: 0]), saw(4...5, [1: 0, 2: 2])),
        .init(
            "a snapshot older than one that was taken before it", write(1...8, [1: 1, 2: 1]),
            saw(2...3, [1: 1, 2: 1]), saw(4...5, [1: 0, 2: 0])),
        .init(
            "a snapshot that mixes two moments", write(1...2, [1: 1]), write(3...4, [2: 2]), write(5...6, [1: 3]),
            saw(1...8, [1: 3, 2: 0])),
        .init("a writer that does not read its own write", write(1...2, [3: 5]), saw(3...4, [1: 0, 3: 0])),
        .init(
            "keys that are each right alone, but not together", write(1...2, [1: 1]), saw(3...8, [1: 1, 2: 0]),
            write(1...2, [2: 1])),
    ]
}
