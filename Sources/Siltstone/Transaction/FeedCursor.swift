/// The position of one subscriber: first in the logs, then in the change feed.
struct FeedCursor: Sendable {
    /// The result of one step.
    enum Step {
        /// Events, possibly none. There may be more.
        case events([ChangeEvent])
        /// There are no new events. Wait at position ``FeedCursor/index``.
        case upToDate
        /// The store was closed, and all events were delivered.
        case closed
    }

    private let range: KeyRange
    /// The logs that hold unread changes before the feed; nil if there are none.
    private var replay: LogReplay?
    /// The number of the last change in the logs of ``replay``.
    private let replayEnd: SequenceNumber
    /// The position in the feed.
    private(set) var index: Int
    /// All changes up to this number were delivered, were reported as missed, or are outside the range.
    private var sequence: SequenceNumber
    /// An event to deliver before all others: the store once had the number that the subscriber knows, and has lost the
    /// changes after its present last one. It assigns their numbers again.
    private var firstEvent: ChangeEvent?

    /// - Parameters:
    ///   - since: the number of the last change that the subscriber knows.
    ///   - replayEnd: the number of the last change before the feed's `index`.
    init(range: KeyRange, since: SequenceNumber, replay: LogReplay?, replayEnd: SequenceNumber, index: Int) {
        self.range = range
        self.replay = replay
        self.replayEnd = replayEnd
        self.index = index
        sequence = min(since, replayEnd)
        firstEvent = since > replayEnd ? .missed(from: replayEnd + 1, through: since) : nil
    }

    /// Whether the next step reads from disk.
    var readsFiles: Bool { replay != nil }

    /// Returns the next events, and moves past them.
    mutating func step(_ feed: ChangeFeed) throws(StoreError) -> Step {
        if let event = firstEvent {
            firstEvent = nil
            return .events([event])
        }
        if var logs = replay {
            let records = try logs.next()
            replay = records.isEmpty ? nil : logs
            return .events(try records.isEmpty ? skip(to: replayEnd) : events(of: records))
        }
        switch feed.read(at: index) {
        case .records(let records, let next):
            index = next
            return .events(try events(of: records))
        case .dropped(let next, let first):
            index = next
            return .events(skip(to: first - 1))
        case .upToDate: return .upToDate
        case .closed: return .closed
        }
    }

    /// Returns the events of records, with an event for missed changes before each gap.
    private mutating func events(of records: [CommitRecord]) throws(StoreError) -> [ChangeEvent] {
        var events: [ChangeEvent] = []
        for record in records where record.last > sequence {
            // Sequence numbers have no gaps, so a larger first number means that commits are missing.
            events += skip(to: record.first - 1)
            if let event = try record.event(in: range) { events.append(event) }
            sequence = record.last
        }
        return events
    }

    /// Moves to a sequence number, and returns an event for the changes before it, which are missed.
    private mutating func skip(to last: SequenceNumber) -> [ChangeEvent] {
        guard last > sequence else { return [] }
        defer { sequence = last }
        return [.missed(from: sequence + 1, through: last)]
    }
}
