/// Merges sorted sources into one stream, in key order either way.
///
/// Two uses. A *read* (`visible` given) takes from each source the newest version that it can see, and of equal keys
/// the one from the newest source. A *compaction* (`visible` nil) takes every version, those of one key newest first.
///
/// The heads are compared one by one: there are few sources, and a heap or a loser tree of so few is no faster. While
/// one source stays ahead of all others, as with runs that hardly overlap, a record costs one comparison.
final class MergingCursor {
    /// What is left of a source's batch.
    private struct Head {
        var next: UnsafePointer<Record>
        var end: UnsafePointer<Record>
    }

    private let sources: [RecordSource]
    private let heads: UnsafeMutablePointer<Head>
    private let direction: ScanDirection
    private let visible: SequenceNumber?
    /// Records that each source hands over first.
    private let firstBatch: Int
    /// Sources that have records left; the first ones of `order`.
    private var live: Int
    /// Source numbers, the live ones first, newest first among them.
    private let order: UnsafeMutablePointer<Int>
    /// The source of the record that was handed out last, which is taken off its head at the next call.
    private var current = -1
    /// The best head among the other sources; `current` leads as long as it comes before this.
    private var runnerUp = -1

    /// - Parameters:
    ///   - sources: newest first.
    ///   - limit: how many records will be asked for, where that is known: none are read that are not likely to be.
    init(_ sources: [RecordSource], _ direction: ScanDirection, visible: SequenceNumber?, limit: Int = .max) {
        let share = sources.count < 2 ? limit : limit / sources.count + 2
        firstBatch = limit == .max ? RecordSource.usualBatch : max(1, min(share, RecordSource.greatestBatch))
        self.sources = sources
        self.direction = direction
        self.visible = visible
        heads = .allocate(capacity: max(1, sources.count))
        order = .allocate(capacity: max(1, sources.count))
        live = 0
    }

    deinit {
        heads.deallocate()
        order.deallocate()
    }

    /// Stands at `key`: forward before the first record not below it, backward behind the last one below it.
    func seek(_ key: Bytes?) throws(StoreError) {
        current = -1
        runnerUp = -1
        live = 0
        for (index, source) in sources.enumerated() {
            try source.seek(key, direction, size: firstBatch)
            if try refill(index) {
                order[live] = index
                live += 1
            }
        }
    }

    /// The next record, good until the next call; nil at the end.
    func next() throws(StoreError) -> Record? {
        if current >= 0 { try advanceCurrent() }
        if live == 0 { return nil }
        if live == 1 {
            current = order[0]
        } else if current < 0 || runnerUp < 0 || !leads(current, runnerUp) {
            try choose()
        }
        return heads[current].next.pointee
    }

    /// Takes the record that was handed out last off its source.
    @inline(__always)
    private func advanceCurrent() throws(StoreError) {
        heads[current].next += 1
        if heads[current].next == heads[current].end, try !refill(current) {
            drop(current)
            current = -1
            runnerUp = -1
        }
    }

    /// Whether the head of source `a` comes strictly before that of `b`.
    @inline(__always)
    private func leads(_ a: Int, _ b: Int) -> Bool {
        let order = compareKeysByWords(heads[a].next.pointee.key, heads[b].next.pointee.key)
        return direction == .forward ? order < 0 : order > 0
    }

    /// Finds the best head and the second best. Of equal keys the newest source's counts; a read drops the others.
    private func choose() throws(StoreError) {
        var best = order[0]
        var second = -1
        var position = 1
        while position < live {
            let candidate = order[position]
            let comparison = compareKeysByWords(heads[candidate].next.pointee.key, heads[best].next.pointee.key)
            if comparison == 0 {
                if visible != nil {
                    heads[candidate].next += 1
                    if heads[candidate].next == heads[candidate].end, try !refill(candidate) {
                        drop(candidate)
                        continue
                    }
                    // Its new head lies beyond the best one, so it is only a candidate for the second place.
                    if second < 0 || leads(candidate, second) { second = candidate }
                } else if second < 0 || leads(candidate, second) {
                    second = candidate
                }
            } else if (comparison < 0) == (direction == .forward) {
                second = best
                best = candidate
            } else if second < 0 || leads(candidate, second) {
                second = candidate
            }
            position += 1
        }
        current = best
        runnerUp = second
    }

    /// Replaces a source's batch; whether it has records left.
    private func refill(_ index: Int) throws(StoreError) -> Bool {
        let source = sources[index]
        try source.refill(direction, visible: visible)
        heads[index] = Head(next: source.batch.start, end: source.batch.start + source.batch.count)
        return source.batch.count > 0
    }

    /// Leaves a source that has ended out of the comparisons.
    private func drop(_ index: Int) {
        var to = 0
        for from in 0..<live where order[from] != index {
            order[to] = order[from]
            to += 1
        }
        live = to
        runnerUp = -1
    }
}
