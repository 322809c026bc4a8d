@testable import Siltstone

/// What a subscriber to the whole feed knows: the store's entries, kept up to date by events, and where it stands.
struct FeedFold {
    /// A value, or the length of one that the feed does not carry.
    enum Value: Equatable {
        case whole([UInt8])
        case large(Int)
    }

    private(set) var values: [[UInt8]: Value]
    /// The number of the last change that is taken in.
    private(set) var sequence: UInt64
    /// The number of the commit that each marker of a transaction came with.
    private(set) var commits: [Revision: UInt64] = [:]
    private(set) var eventCount = 0
    /// What no feed may do.
    private(set) var problems: [String] = []
    /// Changes that the feed has lost for this subscriber.
    private(set) var missed = 0

    /// - Parameters:
    ///   - entries: the store's entries at a moment.
    ///   - sequence: the number of the last change before that moment.
    init(_ entries: [Entry] = [], sequence: UInt64 = 0) {
        values = Dictionary(entries.map { ($0.key, .whole($0.value)) }) { $1 }
        self.sequence = sequence
    }

    /// Everything that the logs of a store still hold.
    init(replaying store: KeyValueStore) throws {
        self.init()
        let subscription = try ChangeSubscription(store, KeyRange(from: nil, to: nil), since: 0)
        var cursor = subscription.start
        while case .events(let events) = try cursor.step(store.engine.feed) {
            for event in events { take(event) }
        }
    }

    /// Goes on from what was read anew.
    mutating func resume(with entries: [Entry]) {
        values = Dictionary(entries.map { ($0.key, .whole($0.value)) }) { $1 }
    }

    mutating func take(_ event: ChangeEvent) {
        eventCount += 1
        switch event {
        case .missed(let from, let through):
            missed += Int(through - from) + 1
            if from != sequence + 1 { problems.append("missed from \(from), behind \(sequence)") }
            sequence = through
        case .commit(let changes, let through):
            for (index, change) in changes.enumerated() {
                if change.sequence != sequence + UInt64(index) + 1 {
                    problems.append("change \(change.sequence) is number \(index) behind \(sequence)")
                }
                apply(change)
                if let name = TransactionWorker.name(change) { commits[name] = through }
            }
            if changes.last?.sequence != through { problems.append("a commit through \(through) ends before") }
            sequence = through
        }
    }

    private mutating func apply(_ change: Siltstone.Change) {
        switch change.operation {
        case .put(let value): values[change.key] = .whole(value)
        case .putLarge(let count): values[change.key] = .large(count)
        case .delete: values[change.key] = nil
        case .deleteRange(let end):
            for key in values.keys where compare(change.key, key) <= 0 && compare(key, end) < 0 { values[key] = nil }
        }
    }

    /// In words, a difference from the store's entries; nil where there is none.
    func difference(from entries: [Entry]) -> String? {
        if entries.count != values.count {
            return "the feed has led to \(values.count) keys, there are \(entries.count)"
        }
        for entry in entries {
            switch values[entry.key] {
            case .whole(entry.value), .large(entry.value.count): continue
            case let value:
                return "key \(entry.key) should have \(entry.value.count) bytes, the feed says \(value as Any)"
            }
        }
        return nil
    }
}
