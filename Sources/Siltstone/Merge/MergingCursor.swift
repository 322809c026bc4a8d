/// Merges sorted sources into one stream, in ascending or descending key order.
///
/// There are two modes. A *read* (`visible` given) takes from each source the newest visible version of a key, and of
/// equal keys the one from the newest source. A *compaction* (`visible` nil) takes all versions, those of one key
/// newest first.
///
/// The sources are kept sorted by their next records. The cursor takes records from the first source up to the next
/// record of the second one, and then reinserts the first source by binary search. With a dozen sources that takes four
/// comparisons. Comparing all next records took eleven. (A loser tree takes as few, but does not know the second
/// source.) The cursor returns records in spans. If no other source has a record before the end of the first source's
/// batch, the span is that batch, without a copy. Otherwise it is a merged copy of records, which ends when one
/// of the batches is used up.
///
/// Cursors are reused, because creating one with its sources takes longer than a short scan.
final class MergingCursor {
    /// The rest of a source's batch.
    private struct Lane: BitwiseCopyable {
        var next: RecordPlace
        var end: RecordPlace
        /// Index of the source. A smaller index is newer.
        let source: Int

        var isEmpty: Bool { next == end }
    }

    /// The parameters that a seek does not change.
    private struct Terms {
        var direction: ScanDirection
        var visible: SequenceNumber?
        /// True if the records need their sequence numbers.
        var isNumbered = true
    }

    private struct State {
        var terms: Terms
        /// Number of lanes that have records left. They come first and are sorted. In a read, no two of them start with
        /// the same key.
        var live = 0
        /// Number of lanes after those whose batches are used up. They are refilled before the next span is taken.
        var ended = 0
        /// Number of records that the caller will probably still read. Records that a scan skips are counted, too.
        var wanted = Int.max
        /// The part of the last span that ``MergingCursor/next()`` has not returned yet.
        var left: RecordPlace?
        var spanEnd: RecordPlace?
    }

    private let sources: [RecordSource]
    /// The same sources as unretained references, because a retain for each access would be measurable.
    private let sourceReferences: HeapArray<Borrowed<RecordSource>>
    private let state: HeapCell<State>
    private let lanes: HeapArray<Lane>
    /// Holds the merged records of several sources.
    private let merged = RecordBatch(capacity: mergedCount)

    /// - Parameters:
    ///   - sources: newest first.
    ///   - visible: the largest sequence number that a read sees; nil for a compaction, which goes forward.
    init(_ sources: [RecordSource], _ direction: ScanDirection = .forward, visible: SequenceNumber? = nil) {
        self.sources = sources
        sourceReferences = HeapArray(count: sources.count)
        for (index, source) in sources.enumerated() { sourceReferences[index] = Borrowed(source) }
        state = HeapCell(State(terms: Terms(direction: direction, visible: visible)))
        // One more than the number of sources, because `enter` moves all lanes by one position.
        lanes = HeapArray(count: sources.count + 1)
    }

    /// Changes direction and visibility. A seek must follow.
    /// - Parameter numbered: true if the records need their sequence numbers.
    func restart(_ direction: ScanDirection, visible: SequenceNumber, numbered: Bool) {
        state.value.terms = Terms(direction: direction, visible: visible, isNumbered: numbered)
    }

    /// Omits the sequence numbers from later batches.
    func stopNumbering() { state.value.terms.isNumbered = false }

    /// Releases pinned memory. The next use must be a seek.
    func rest() {
        (state.value.live, state.value.ended) = (0, 0)
        for index in 0..<sources.count { sourceReferences[index].with { $0.rest() } }
    }

    /// Positions the cursor at `key`. Forward: before the first record that is not smaller. Backward: after the last
    /// record that is smaller.
    /// - Parameters:
    ///   - key: nil for the start, or backward for the end. Must not point into a record that the cursor has returned.
    ///   - limit: the number of records that will be read, if it is known. The cursor then reads few more than these.
    func seek(_ key: Bytes?, limit: Int = .max) throws(StoreError) {
        let terms = state.value.terms
        state.value = State(terms: terms, wanted: limit)
        let hasSeveral = setSizes(limit)
        if let key, hasSeveral {
            // Takes each step of the seek in all sources before the next step, so that the cache misses of the sources
            // overlap.
            try eachSource { source throws(StoreError) in source.approach(key, terms.direction) }
            try eachSource { source throws(StoreError) in try source.narrow(key, terms.direction) }
        }
        try eachSource { source throws(StoreError) in try source.seek(key, terms.direction) }
        for index in 0..<sources.count { enter(try nextBatch(of: index)) }
    }

    /// Sets the first batch size of each source: its probable share of `limit` records, as if the records of all
    /// sources were spread evenly, plus two, so that it need not be refilled soon.
    /// - Returns: true if several sources have records.
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

    /// The next record, valid until the next call; nil at the end.
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

    /// The next records, valid until the next call; empty at the end. After one seek, a caller must not mix it with
    /// ``next()``.
    func nextSpan() throws(StoreError) -> RecordRow {
        while state.value.ended > 0 { try refillEnded() }
        switch state.value.live {
        case 0:
            (state.value.left, state.value.spanEnd) = (nil, nil)
            return .none
        case 1: return takeBatch()
        // The first batch ends before the second source's next record, for example if the key ranges of the sources do
        // not overlap.
        case _ where order(lanes[0].end - 1, lanes[1].next) < 0: return takeBatch()
        default: return merge()
        }
    }

    // MARK: Spans

    /// Returns the rest of the first source's batch.
    @inline(__always)
    private func takeBatch() -> RecordRow {
        var lane = lanes[0]
        let start = lane.next
        lane.next = lane.end
        parkLane(lane)
        return span(start, lane.end)
    }

    /// Merges records of several sources until one of their batches is used up or the span is full.
    private func merge() -> RecordRow {
        let wanted = state.value.wanted
        var room = merged.room(upTo: wanted > 0 ? min(wanted, Self.mergedCount) : Self.mergedCount)
        repeat { takeRow(&room) } while !room.isFull && state.value.ended == 0 && state.value.live > 1
        return span(merged.start, room.place)
    }

    /// Maximum number of records in a merged span.
    private static let mergedCount = RecordSource.greatestBatch

    /// Copies at least one record of the first source, up to the next record of the second one, and reinserts the first
    /// source.
    @inline(__always)
    private func takeRow(_ room: inout RecordBuffer) {
        var lane = lanes[0]
        let other = lanes[1].next
        var order = -1
        repeat {
            room.put(lane.next.record)
            lane.next += 1
            if lane.isEmpty { return parkLane(lane) }
            order = self.order(lane.next, other)
        } while order < 0 && !room.isFull
        if order < 0 {
            lanes[0] = lane
        } else {
            insert(lane, behindSecond: order > 0)
        }
    }

    @inline(__always)
    private func span(_ start: RecordPlace, _ end: RecordPlace) -> RecordRow {
        state.value.wanted &-= end - start
        return RecordRow(start: start, end: end)
    }

    /// Compares two records in the direction of the cursor. Negative, zero or positive if `record` comes before
    /// `other`, has the same key, or comes after it.
    @inline(__always)
    private func order(_ record: RecordPlace, _ other: RecordPlace) -> Int {
        let order = compareKeysByWords(record.key, other.key)
        return state.value.terms.direction == .forward ? order : 0 &- order
    }

    // MARK: Order

    /// Inserts a lane that has records left. The first position must be free. Of equal keys the newest source's record
    /// comes first. A read skips the other records.
    /// - Parameter behindSecond: true if its next record is known to come after that of the lane in the second
    ///   position.
    @inline(__always)
    private func insert(_ entering: Lane, behindSecond: Bool = false) {
        let (terms, live) = (state.value.terms, state.value.live)
        var lane = entering
        var (low, high) = (behindSecond ? 2 : 1, live)
        while low < high {
            // Linear search if few lanes are left, because most lanes move only a short distance.
            let middle = high &- low <= Self.fewLanes ? low : (low &+ high) / 2
            let order = order(lane.next, lanes[middle].next)
            if order == 0 {
                let isNewer = lane.source < lanes[middle].source
                if terms.visible == nil {
                    if isNewer { high = middle } else { low = middle &+ 1 }
                    continue
                }
                // Skips the older record and continues to insert its lane at the following record.
                if isNewer {
                    let older = lanes[middle]
                    lanes[middle] = lane
                    lane = older
                }
                lane.next += 1
                if lane.isEmpty { return parkLane(lane) }
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

    /// Up to this many lanes are searched linearly.
    private static let fewLanes = 2

    /// Moves the `count` lanes after the first one forward by one position.
    @inline(__always)
    private func move(_ count: Int) {
        // A function call to move one or two lanes would take longer than everything else here.
        if count > 0 { lanes[0] = lanes[1] }
        if count > 1 { lanes[1] = lanes[2] }
        if count > 2 { lanes.elements.move(from: 3, to: 2, count: count &- 2) }
    }

    /// Moves a lane without records, taken from the first position, to the lanes that wait for a refill.
    private func parkLane(_ lane: Lane) {
        let last = state.value.live &- 1
        move(last)
        lanes[last] = lane
        state.value.live = last
        state.value.ended &+= 1
    }

    // MARK: Batches

    /// Refills the last lane whose batch is used up. Drops the lane if its source has reached the end.
    private func refillEnded() throws(StoreError) {
        // If the read fails, the lane stays. Otherwise a caller that continues would miss its records.
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

    /// Inserts a lane with a new batch. Drops it if the batch is empty.
    private func enter(_ lane: Lane) {
        guard !lane.isEmpty else { return }
        let (live, ended) = (state.value.live, state.value.ended)
        if ended > 0 { lanes[live + ended] = lanes[live] }
        lanes.elements.move(from: 0, to: 1, count: live)
        state.value.live = live + 1
        insert(lane)
    }
}
