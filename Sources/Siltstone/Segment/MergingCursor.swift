/// Merges sorted sources into one stream, in key order either way.
///
/// Two uses. A *read* (`visible` given) takes from each source the newest version that it can see, and of equal keys
/// the one from the newest source. A *compaction* (`visible` nil) takes every version, those of one key newest first.
///
/// The heads are compared one by one: there are few sources, and a heap or a loser tree of so few is no faster. What
/// comes out is handed over in spans: a whole batch of a source without a copy, where no other source has anything
/// before its end, and else copies of records in their order, as far as the batches reach that are there.
///
/// May be used again: to make one, with its sources, takes longer than a short scan.
final class MergingCursor {
    /// What is left of a source's batch.
    private struct Head {
        var next: UnsafePointer<Record>
        var end: UnsafePointer<Record>

        var isEmpty: Bool { next == end }
    }

    /// What a seek leaves as it is.
    private struct Terms {
        var direction: ScanDirection
        var visible: SequenceNumber?
        var isNumbered = true
    }

    /// All that changes, behind a pointer: as properties of the class it would cost checks of exclusive access.
    private struct State {
        var terms: Terms
        /// Sources that have records left; the first ones of the order.
        var live = 0
        /// The source with the best head, and the one with the best head among the others, when they were chosen last.
        var current = -1
        var runnerUp = -1
        /// Whether a live source may have come to the end of its batch.
        var needsRefill = false
        /// How many records more are likely to be asked for: those that a walk skips are counted, too.
        var wanted = Int.max
        /// The part of the last span that ``MergingCursor/next()`` has left.
        var left: UnsafePointer<Record>?
        var spanEnd: UnsafePointer<Record>?
        /// Where records of several sources are put in order; made when it is needed.
        var merged: UnsafeMutablePointer<Record>?
    }

    private let sources: [RecordSource]
    /// The same, without a reference that is counted for each look.
    private let sourceReferences: UnsafeMutablePointer<Unmanaged<RecordSource>>
    private let state: UnsafeMutablePointer<State>
    private let heads: UnsafeMutablePointer<Head>
    /// Source numbers, the live ones first, newest first among them.
    private let order: UnsafeMutablePointer<Int>

    /// - Parameter sources: newest first.
    init(_ sources: [RecordSource], _ direction: ScanDirection = .forward, visible: SequenceNumber? = nil) {
        self.sources = sources
        sourceReferences = .allocate(capacity: max(1, sources.count))
        for (index, source) in sources.enumerated() {
            (sourceReferences + index).initialize(to: .passUnretained(source))
        }
        state = .allocate(capacity: 1)
        state.initialize(to: State(terms: Terms(direction: direction, visible: visible)))
        heads = .allocate(capacity: max(1, sources.count))
        order = .allocate(capacity: max(1, sources.count))
    }

    deinit {
        sourceReferences.deallocate()
        state.pointee.merged?.deallocate()
        state.deallocate()
        heads.deallocate()
        order.deallocate()
    }

    /// Changes what is seen, and the direction; to be followed by a seek.
    /// - Parameter numbered: whether the records need their sequence numbers.
    func restart(_ direction: ScanDirection, visible: SequenceNumber, numbered: Bool) {
        state.pointee.terms = Terms(direction: direction, visible: visible, isNumbered: numbered)
    }

    /// Gives up what keeps memory alive. To be followed by a seek.
    func rest() {
        state.pointee.live = 0
        for index in 0..<sources.count { sourceReferences[index]._withUnsafeGuaranteedRef { $0.rest() } }
    }

    /// Stands at `key`: forward before the first record not below it, backward behind the last one below it.
    /// - Parameter limit: how many records will be asked for, where that is known: none are read that are not likely to
    ///   be.
    func seek(_ key: Bytes?, limit: Int = .max) throws(StoreError) {
        let (terms, merged) = (state.pointee.terms, state.pointee.merged)
        state.pointee = State(terms: terms, wanted: limit, merged: merged)
        let all = limit == .max ? 0 : recordCount
        for index in 0..<sources.count {
            let size = limit == .max ? RecordSource.usualBatch : share(index, of: limit, all)
            try sourceReferences[index]._withUnsafeGuaranteedRefThrowing { source throws(StoreError) in
                try source.seek(key, terms.direction, size: size)
            }
            if try refill(index) {
                order[state.pointee.live] = index
                state.pointee.live += 1
            }
        }
    }

    /// Records of all sources.
    private var recordCount: Int {
        (0..<sources.count).reduce(0) { count, index in
            count &+ sourceReferences[index]._withUnsafeGuaranteedRef { $0.recordCount }
        }
    }

    /// How many of `limit` records are likely to come from a source, as if its records were spread evenly among all; and two
    /// more, so that it need not be asked again at once.
    private func share(_ index: Int, of limit: Int, _ all: Int) -> Int {
        let count = sourceReferences[index]._withUnsafeGuaranteedRef { $0.recordCount }
        let expected = Double(limit) * Double(count) / Double(max(1, all)) + 2
        return max(1, min(limit, Int(min(expected, Double(RecordSource.greatestBatch)))))
    }

    /// The next record, good until the next call; nil at the end.
    @inline(__always)
    func next() throws(StoreError) -> Record? {
        if state.pointee.left == state.pointee.spanEnd {
            let span = try nextSpan()
            guard let first = span.baseAddress else { return nil }
            state.pointee.left = first
            state.pointee.spanEnd = first + span.count
        }
        guard let record = state.pointee.left else { return nil }
        state.pointee.left = record + 1
        return record.pointee
    }

    /// The next records, good until the next call; none at the end. After one seek, not to be mixed with ``next()``.
    func nextSpan() throws(StoreError) -> UnsafeBufferPointer<Record> {
        while true {
            if state.pointee.needsRefill { try refillEnded() }
            if state.pointee.live == 0 {
                (state.pointee.left, state.pointee.spanEnd) = (nil, nil)
                return UnsafeBufferPointer(start: nil, count: 0)
            }
            if state.pointee.live == 1 { return takeBatch(order[0]) }
            choose()
            // Else equal keys were passed over up to the end of a batch, and nothing is lent of it.
            if !state.pointee.needsRefill { break }
        }
        let (current, runnerUp) = (state.pointee.current, state.pointee.runnerUp)
        // As where sources lie one behind the other.
        if leads(heads[current].end - 1, heads[runnerUp].next) { return takeBatch(current) }
        return merge()
    }

    // MARK: Spans

    /// What a source has left of its batch.
    @inline(__always)
    private func takeBatch(_ index: Int) -> UnsafeBufferPointer<Record> {
        let head = heads[index]
        heads[index].next = head.end
        state.pointee.needsRefill = true
        return span(head.next, head.end)
    }

    /// Records of several sources in their order, as far as their batches reach. To be called when the best ones are chosen.
    private func merge() -> UnsafeBufferPointer<Record> {
        let merged = state.pointee.merged ?? .allocate(capacity: Self.mergedCount)
        state.pointee.merged = merged
        let wanted = state.pointee.wanted
        let end = merged + (wanted > 0 ? min(wanted, Self.mergedCount) : Self.mergedCount)
        var next = merged
        while true {
            takeRow(&next, end)
            if next == end || state.pointee.needsRefill { break }
            choose()
            if state.pointee.needsRefill { break }
        }
        return span(UnsafePointer(merged), UnsafePointer(next))
    }

    /// Records that are put in order at a time.
    private static let mergedCount = RecordSource.greatestBatch

    /// Copies what the best source has before the head of the runner-up: one record at least.
    @inline(__always)
    private func takeRow(_ place: inout UnsafeMutablePointer<Record>, _ end: UnsafeMutablePointer<Record>) {
        let current = state.pointee.current
        let head = heads[current]
        let other = heads[state.pointee.runnerUp].next
        var record = head.next
        repeat {
            place.initialize(to: record.pointee)
            place += 1
            record += 1
        } while place < end && record < head.end && leads(record, other)
        heads[current].next = record
        if record == head.end { state.pointee.needsRefill = true }
    }

    @inline(__always)
    private func span(_ start: UnsafePointer<Record>, _ end: UnsafePointer<Record>) -> UnsafeBufferPointer<Record> {
        let count = end - start
        state.pointee.wanted &-= count
        return UnsafeBufferPointer(start: start, count: count)
    }

    /// Whether a record comes strictly before another one.
    @inline(__always)
    private func leads(_ record: UnsafePointer<Record>, _ other: UnsafePointer<Record>) -> Bool {
        let order = compareKeysByWords(record.pointee.key, other.pointee.key)
        return state.pointee.terms.direction == .forward ? order < 0 : order > 0
    }

    /// Finds the best head and the second best. Of equal keys the newest source's counts; a read passes over the others,
    /// and has a batch refilled where that takes its last record.
    private func choose() {
        let isForward = state.pointee.terms.direction == .forward
        let isRead = state.pointee.terms.visible != nil
        var best = order[0]
        var second = -1
        for position in 1..<state.pointee.live {
            let candidate = order[position]
            let comparison = compareKeysByWords(heads[candidate].next.pointee.key, heads[best].next.pointee.key)
            if comparison == 0, isRead {
                heads[candidate].next += 1
                if heads[candidate].isEmpty { return state.pointee.needsRefill = true }
            } else if comparison != 0, (comparison < 0) == isForward {
                second = best
                best = candidate
                continue
            }
            // Behind the best one in either case, so that it is only a candidate for the second place.
            if second < 0 || leads(heads[candidate].next, heads[second].next) { second = candidate }
        }
        state.pointee.current = best
        state.pointee.runnerUp = second
    }

    // MARK: Batches

    /// Replaces the batches that are used up, and leaves out the sources that have ended.
    private func refillEnded() throws(StoreError) {
        var live = 0
        for position in 0..<state.pointee.live {
            let index = order[position]
            if heads[index].isEmpty {
                guard try refill(index) else { continue }
            }
            order[live] = index
            live += 1
        }
        state.pointee.live = live
        state.pointee.needsRefill = false
    }

    /// Replaces a source's batch; whether it has records left.
    private func refill(_ index: Int) throws(StoreError) -> Bool {
        let batch = try sourceReferences[index]._withUnsafeGuaranteedRefThrowing { source throws(StoreError) in
            try source.refill(
                state.pointee.terms.direction, limit: state.pointee.wanted, visible: state.pointee.terms.visible,
                numbered: state.pointee.terms.isNumbered)
            return source.batch
        }
        let start = batch.pointee.start
        let count = batch.pointee.count
        heads[index] = Head(next: start, end: start + count)
        return count > 0
    }
}
