/// Merges sorted sources into one stream, in key order either way.
///
/// Two uses. A *read* (`visible` given) takes from each source the newest version that it can see, and of equal keys
/// the one from the newest source. A *compaction* (`visible` nil) takes every version, those of one key newest first.
///
/// The sources stand in the order of their next records; the first one's records are taken up to the next record of the
/// second one, and then it is put back into its place by binary search: four comparisons among a dozen sources, where to
/// look at each head took eleven. (A loser tree takes as few, but does not know the second one.) What comes out is handed
/// over in spans: a whole batch of a source without a copy, where no other source has anything before its end, and else
/// copies of records in their order, as far as the batches reach that are there.
///
/// May be used again: to make one, with its sources, takes longer than a short scan.
final class MergingCursor {
    /// What is left of a source's batch.
    private struct Lane: BitwiseCopyable {
        var next: RecordPlace
        var end: RecordPlace
        let source: Int

        var isEmpty: Bool { next == end }
    }

    /// What a seek leaves as it is.
    private struct Terms {
        var direction: ScanDirection
        var visible: SequenceNumber?
        var isNumbered = true
    }

    private struct State {
        var terms: Terms
        /// Lanes that have records left, in the order of these; a read has no two of one key.
        var live = 0
        /// Lanes behind those, whose batches are used up. Nothing is taken before they are refilled.
        var ended = 0
        /// How many records more are likely to be asked for: those that a walk skips are counted, too.
        var wanted = Int.max
        /// The part of the last span that ``MergingCursor/next()`` has left.
        var left: RecordPlace?
        var spanEnd: RecordPlace?
    }

    private let sources: [RecordSource]
    /// The same, without a reference that is counted for each look.
    private let sourceReferences: HeapArray<Borrowed<RecordSource>>
    private let state: HeapCell<State>
    private let lanes: HeapArray<Lane>
    /// Where records of several sources are put in order.
    private let merged = RecordBatch(capacity: mergedCount)

    /// - Parameter sources: newest first.
    init(_ sources: [RecordSource], _ direction: ScanDirection = .forward, visible: SequenceNumber? = nil) {
        self.sources = sources
        sourceReferences = HeapArray(count: sources.count)
        for (index, source) in sources.enumerated() { sourceReferences[index] = Borrowed(source) }
        state = HeapCell(State(terms: Terms(direction: direction, visible: visible)))
        // One more than there are: `enter` moves all of them by one place.
        lanes = HeapArray(count: sources.count + 1)
    }

    /// Changes what is seen, and the direction; to be followed by a seek.
    /// - Parameter numbered: whether the records need their sequence numbers.
    func restart(_ direction: ScanDirection, visible: SequenceNumber, numbered: Bool) {
        state.value.terms = Terms(direction: direction, visible: visible, isNumbered: numbered)
    }

    /// Leaves the sequence numbers out of the batches to come.
    func stopNumbering() { state.value.terms.isNumbered = false }

    /// Gives up what keeps memory alive. To be followed by a seek.
    func rest() {
        (state.value.live, state.value.ended) = (0, 0)
        for index in 0..<sources.count { sourceReferences[index].with { $0.rest() } }
    }

    /// Stands at `key`: forward before the first record not below it, backward behind the last one below it.
    /// - Parameters:
    ///   - key: not one that was handed out.
    ///   - limit: how many records will be asked for, where that is known: none are read that are not likely to be.
    func seek(_ key: Bytes?, limit: Int = .max) throws(StoreError) {
        let terms = state.value.terms
        state.value = State(terms: terms, wanted: limit)
        let hasSeveral = setSizes(limit)
        if let key, hasSeveral {
            // Step by step, each in all sources before the next one: what one of them waits for is loaded meanwhile for all.
            try eachSource { source throws(StoreError) in source.approach(key, terms.direction) }
            try eachSource { source throws(StoreError) in try source.narrow(key, terms.direction) }
        }
        try eachSource { source throws(StoreError) in try source.seek(key, terms.direction) }
        for index in 0..<sources.count { enter(try nextBatch(of: index)) }
    }

    /// Tells each source how many of `limit` records are likely to come from it, as if its records were spread evenly among
    /// all; and two more, so that it need not be asked again at once.
    /// - Returns: whether several have any.
    private func setSizes(_ limit: Int) -> Bool {
        var (all, most) = (0, 0)
        eachSource { source in
            let count = source.recordCount
            all &+= count
            most = max(most, count)
        }
        if limit == .max {
            eachSource { $0.begin(size: RecordSource.usualBatch) }
        } else {
            let part = Double(limit) / Double(max(1, all))
            let greatest = max(1, min(limit, RecordSource.greatestBatch))
            eachSource { $0.begin(size: Int(min(part * Double($0.recordCount) + 2, Double(greatest)))) }
        }
        return most < all
    }

    @inline(__always)
    private func eachSource<E: Error>(_ body: (RecordSource) throws(E) -> Void) throws(E) {
        for index in 0..<sources.count {
            try sourceReferences[index].with { source throws(E) in try body(source) }
        }
    }

    /// The next record, good until the next call; nil at the end.
    @inline(__always)
    func next() throws(StoreError) -> Record? {
        if state.value.left == state.value.spanEnd {
            let span = try nextSpan()
            if span.isEmpty { return nil }
            state.value.left = span.start
            state.value.spanEnd = span.end
        }
        guard let record = state.value.left else { return nil }
        state.value.left = record + 1
        return record.record
    }

    /// The next records, good until the next call; none at the end. After one seek, not to be mixed with ``next()``.
    func nextSpan() throws(StoreError) -> RecordRow {
        while state.value.ended > 0 { try refillEnded() }
        switch state.value.live {
        case 0:
            (state.value.left, state.value.spanEnd) = (nil, nil)
            return .none
        case 1: return takeBatch()
        // As where sources lie one behind the other.
        case _ where order(lanes[0].end - 1, lanes[1].next) < 0: return takeBatch()
        default: return merge()
        }
    }

    // MARK: Spans

    /// What the first source has left of its batch.
    @inline(__always)
    private func takeBatch() -> RecordRow {
        var lane = lanes[0]
        let start = lane.next
        lane.next = lane.end
        setAside(lane)
        return span(start, lane.end)
    }

    /// Records of several sources in their order, as far as their batches reach.
    private func merge() -> RecordRow {
        let wanted = state.value.wanted
        var room = merged.room(upTo: wanted > 0 ? min(wanted, Self.mergedCount) : Self.mergedCount)
        repeat { takeRow(&room) } while !room.isFull && state.value.ended == 0 && state.value.live > 1
        return span(merged.start, room.place)
    }

    /// Records that are put in order at a time.
    private static let mergedCount = RecordSource.greatestBatch

    /// Copies what the first source has before the next record of the second one, one record at least, and puts that
    /// source into its new place.
    @inline(__always)
    private func takeRow(_ room: inout RecordRoom) {
        var lane = lanes[0]
        let other = lanes[1].next
        var order = -1
        repeat {
            room.put(lane.next.record)
            lane.next += 1
            if lane.isEmpty { return setAside(lane) }
            order = self.order(lane.next, other)
        } while order < 0 && !room.isFull
        if order < 0 {
            lanes[0] = lane
        } else {
            settle(lane, behindSecond: order > 0)
        }
    }

    @inline(__always)
    private func span(_ start: RecordPlace, _ end: RecordPlace) -> RecordRow {
        state.value.wanted &-= end - start
        return RecordRow(start: start, end: end)
    }

    /// Below zero, zero or above zero as a record comes before another one, has its key, or comes after it.
    @inline(__always)
    private func order(_ record: RecordPlace, _ other: RecordPlace) -> Int {
        let order = compareKeysByWords(record.key, other.key)
        return state.value.terms.direction == .forward ? order : 0 &- order
    }

    // MARK: Order

    /// Puts a lane that has records left into its place; the first place is free for it. Of equal keys the newest source's
    /// come first; a read passes over the others.
    /// - Parameter behindSecond: whether its next record is known to come after that of the second place.
    @inline(__always)
    private func settle(_ entering: Lane, behindSecond: Bool = false) {
        let (terms, live) = (state.value.terms, state.value.live)
        var lane = entering
        var (low, high) = (behindSecond ? 2 : 1, live)
        while low < high {
            // One after another where they are few: most go not far.
            let middle = high &- low <= Self.fewLanes ? low : (low &+ high) / 2
            let order = order(lane.next, lanes[middle].next)
            if order == 0 {
                let isNewer = lane.source < lanes[middle].source
                if terms.visible == nil {
                    if isNewer { high = middle } else { low = middle &+ 1 }
                    continue
                }
                // The older one goes on behind, with its next record.
                if isNewer {
                    let older = lanes[middle]
                    lanes[middle] = lane
                    lane = older
                }
                lane.next += 1
                if lane.isEmpty { return setAside(lane) }
                (low, high) = (middle &+ 1, live)
            } else if order < 0 {
                high = middle
            } else {
                low = middle &+ 1
            }
        }
        move(low &- 1)
        lanes[low &- 1] = lane
    }

    /// Lanes that are looked at one after another.
    private static let fewLanes = 2

    /// Moves as many lanes one place ahead, into the first one.
    @inline(__always)
    private func move(_ count: Int) {
        // To call for the move of one or two would take longer than all else.
        if count > 0 { lanes[0] = lanes[1] }
        if count > 1 { lanes[1] = lanes[2] }
        if count > 2 { lanes.move(from: 3, to: 2, count: count &- 2) }
    }

    /// Has a lane without records, to which the first place belonged, wait for its next batch.
    private func setAside(_ lane: Lane) {
        let last = state.value.live &- 1
        move(last)
        lanes[last] = lane
        state.value.live = last
        state.value.ended &+= 1
    }

    // MARK: Batches

    /// Replaces the batch of the last lane that has none left; one without a next batch has come to its end.
    private func refillEnded() throws(StoreError) {
        // Where reading fails, the lane stays: nobody who goes on must miss its records.
        let lane = try nextBatch(of: lanes[state.value.live + state.value.ended - 1].source)
        state.value.ended -= 1
        enter(lane)
    }

    private func nextBatch(of index: Int) throws(StoreError) -> Lane {
        let (start, count) = try sourceReferences[index].with { source throws(StoreError) in
            try source.refill(
                state.value.terms.direction, limit: state.value.wanted, visible: state.value.terms.visible,
                numbered: state.value.terms.isNumbered)
            return (source.batch.value.start, source.batch.value.count)
        }
        return Lane(next: start, end: start + count, source: index)
    }

    /// Gives a lane with a new batch its place, if that has records.
    private func enter(_ lane: Lane) {
        guard !lane.isEmpty else { return }
        let (live, ended) = (state.value.live, state.value.ended)
        if ended > 0 { lanes[live + ended] = lanes[live] }
        lanes.move(from: 0, to: 1, count: live)
        state.value.live = live + 1
        settle(lane)
    }
}
