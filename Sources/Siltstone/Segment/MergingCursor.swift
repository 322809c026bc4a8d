/// Merges sorted sources into one stream, in key order either way.
///
/// Two uses. A *read* (`visible` given) takes from each source the newest version that it can see, and of equal keys
/// the one from the newest source. A *compaction* (`visible` nil) takes every version, those of one key newest first.
///
/// The heads are compared one by one: there are few sources, and a heap or a loser tree of so few is no faster. What
/// comes out is handed over in spans: all that one source has before the next head of any other, without a copy.
///
/// May be used again: to make one, with its sources, takes longer than a short scan.
final class MergingCursor {
    /// What is left of a source's batch.
    private struct Head {
        var next: UnsafePointer<Record>
        var end: UnsafePointer<Record>

        var span: UnsafeBufferPointer<Record> { UnsafeBufferPointer(start: next, count: end - next) }
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
        /// The source of the span that was handed out last, which is taken off its head at the next call.
        var current = -1
        /// The best head among the other sources; `current` leads as long as it comes before this.
        var runnerUp = -1
        /// Whether the last span was a whole batch: then the next one is likely to be, as where sources lie one behind the
        /// other.
        var isWhole = false
        /// How many records more are likely to be asked for: those that a walk skips are counted, too.
        var wanted = Int.max
        /// The end of the span that was handed out last, and the part of it that ``MergingCursor/next()`` has left.
        var spanEnd: UnsafePointer<Record>?
        var left: UnsafePointer<Record>?
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
        let terms = state.pointee.terms
        state.pointee = State(terms: terms, wanted: limit)
        for index in 0..<sources.count {
            // Of those that turned out to be empty, as memtables often are, none will come.
            let others = state.pointee.live + sources.count - index - 1
            let share = others == 0 ? limit : limit / (others + 1) + 2
            let size = limit == .max ? RecordSource.usualBatch : max(1, min(share, RecordSource.greatestBatch))
            try sourceReferences[index]._withUnsafeGuaranteedRefThrowing { source throws(StoreError) in
                try source.seek(key, terms.direction, size: size)
            }
            if try refill(index) {
                order[state.pointee.live] = index
                state.pointee.live += 1
            }
        }
    }

    /// The next record, good until the next call; nil at the end.
    @inline(__always)
    func next() throws(StoreError) -> Record? {
        if state.pointee.left == state.pointee.spanEnd {
            let span = try nextSpan()
            guard let first = span.baseAddress else { return nil }
            state.pointee.left = first
        }
        guard let record = state.pointee.left else { return nil }
        state.pointee.left = record + 1
        return record.pointee
    }

    /// The next records that one source has in a row, good until the next call; none at the end.
    func nextSpan() throws(StoreError) -> UnsafeBufferPointer<Record> {
        try takeOffSpan()
        if state.pointee.live == 0 {
            state.pointee.left = nil
            return UnsafeBufferPointer(start: nil, count: 0)
        }
        if state.pointee.live == 1 {
            state.pointee.current = order[0]
            state.pointee.spanEnd = heads[order[0]].end
            return heads[order[0]].span
        }
        let (current, runnerUp) = (state.pointee.current, state.pointee.runnerUp)
        if current < 0 || runnerUp < 0 || !leads(heads[current].next, runnerUp) { try choose() }
        return spanOfCurrent()
    }

    /// Takes the span that was handed out last off its source.
    @inline(__always)
    private func takeOffSpan() throws(StoreError) {
        let current = state.pointee.current
        guard current >= 0, let end = state.pointee.spanEnd else { return }
        state.pointee.spanEnd = nil
        state.pointee.wanted -= end - heads[current].next
        heads[current].next = end
        if end == heads[current].end, try !refill(current) {
            drop(current)
            state.pointee.current = -1
        }
    }

    /// What the current source has before the head of the runner-up.
    @inline(__always)
    private func spanOfCurrent() -> UnsafeBufferPointer<Record> {
        let (current, runnerUp) = (state.pointee.current, state.pointee.runnerUp)
        let head = heads[current]
        var end = head.next + 1
        if runnerUp < 0 || (state.pointee.isWhole && leads(head.end - 1, runnerUp)) {
            end = head.end
        } else {
            while end < head.end, leads(end, runnerUp) { end += 1 }
        }
        state.pointee.isWhole = end == head.end
        state.pointee.spanEnd = end
        return UnsafeBufferPointer(start: head.next, count: end - head.next)
    }

    /// Whether a record comes strictly before the head of source `other`.
    @inline(__always)
    private func leads(_ record: UnsafePointer<Record>, _ other: Int) -> Bool {
        let order = compareKeysByWords(record.pointee.key, heads[other].next.pointee.key)
        return state.pointee.terms.direction == .forward ? order < 0 : order > 0
    }

    /// Finds the best head and the second best. Of equal keys the newest source's counts; a read drops the others.
    private func choose() throws(StoreError) {
        let isForward = state.pointee.terms.direction == .forward
        var best = order[0]
        var second = -1
        var position = 1
        while position < state.pointee.live {
            let candidate = order[position]
            let comparison = compareKeysByWords(heads[candidate].next.pointee.key, heads[best].next.pointee.key)
            if comparison == 0 {
                if state.pointee.terms.visible != nil {
                    heads[candidate].next += 1
                    if heads[candidate].next == heads[candidate].end, try !refill(candidate) {
                        drop(candidate)
                        continue
                    }
                    // Its new head lies beyond the best one, so it is only a candidate for the second place.
                    if second < 0 || leads(heads[candidate].next, second) { second = candidate }
                } else if second < 0 || leads(heads[candidate].next, second) {
                    second = candidate
                }
            } else if (comparison < 0) == isForward {
                second = best
                best = candidate
            } else if second < 0 || leads(heads[candidate].next, second) {
                second = candidate
            }
            position += 1
        }
        state.pointee.current = best
        state.pointee.runnerUp = second
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

    /// Leaves a source that has ended out of the comparisons.
    private func drop(_ index: Int) {
        var to = 0
        for from in 0..<state.pointee.live where order[from] != index {
            order[to] = order[from]
            to += 1
        }
        state.pointee.live = to
        state.pointee.runnerUp = -1
    }
}
