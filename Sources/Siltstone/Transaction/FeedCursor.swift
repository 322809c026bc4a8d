/// One subscriber's way through the changes: first what the logs hold, then the feed.
struct FeedCursor: Sendable {
    /// The result of one step.
    enum Step {
        /// Events, perhaps none; there may be more.
        case events([ChangeEvent])
        /// Nothing is new: wait for ``FeedCursor/index``.
        case upToDate
        case closed
    }

    private let range: KeyRange
    private var replay: LogReplay?
    /// The number of the last change that the logs of ``replay`` hold.
    private let replayEnd: SequenceNumber
    /// The position in the feed.
    private(set) var index: Int
    /// All changes up to this number were handed out, or do not concern the range.
    private var sequence: SequenceNumber
    /// An event to hand out before all others.
    private var firstEvent: ChangeEvent?

    /// - Parameters:
    ///   - since: the number behind which the subscriber begins.
    ///   - replayEnd: the number of the last change before the feed's `index`.
    init(range: KeyRange, since: SequenceNumber, replay: LogReplay?, replayEnd: SequenceNumber, index: Int) {
        self.range = range
        self.replay = replay
        self.replayEnd = replayEnd
        self.index = index
        sequence = since
    }

    /// Has the subscriber told first that the store has lost changes that the subscriber has seen. Their numbers are given
    /// out again.
    mutating func report(lostAfter last: SequenceNumber, through seen: SequenceNumber) {
        firstEvent = .missed(from: last + 1, through: seen)
    }

    /// Whether the next step reads from disk.
    var readsFiles: Bool { replay != nil }

    /// Takes the next step.
    mutating func step(_ feed: ChangeFeed) throws(StoreError) -> Step {
        if let event = firstEvent {
            firstEvent = nil
            return .events([event])
        }
        if var logs = replay {
            let records = try logs.next()
            replay = records.isEmpty ? nil : logs
            if records.isEmpty { return .events(skip(to: replayEnd)) }
            return .events(try events(of: records))
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

    private mutating func events(of records: [CommitRecord]) throws(StoreError) -> [ChangeEvent] {
        var events: [ChangeEvent] = []
        for record in records where record.last > sequence {
            // Sequence numbers leave no gap, so a greater one tells of commits that are not there.
            events += skip(to: record.first - 1)
            if let event = try record.event(in: range) { events.append(event) }
            sequence = record.last
        }
        return events
    }

    private mutating func skip(to last: SequenceNumber) -> [ChangeEvent] {
        guard last > sequence else { return [] }
        defer { sequence = last }
        return [.missed(from: sequence + 1, through: last)]
    }
}
