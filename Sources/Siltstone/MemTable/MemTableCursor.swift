/// A position in a memtable for one reader, concurrent with the writer.
///
/// The cursor copies the references of one leaf at a time and iterates over the copy. Forward, it then follows the link
/// to the next leaf. Backward, it descends again to the keys below the first one of its copy, because splits could not
/// keep a backward link correct. It sees every change inserted before its last seek, and possibly some later ones.
struct MemTableCursor: ~Copyable, Sendable {
    let table: MemTable
    /// The references of a leaf. The keys are those of one instant. The version of a key may be newer than that
    /// instant.
    private let slots: HeapArray<ArenaReference>
    /// The headers of the entries that the current fill looks at.
    let headers: HeapArray<MemTableEntry.Header>
    /// Number of copied references.
    private(set) var slotCount = 0
    /// The leaf after the copied one; 0 if there is none.
    private(set) var next: ArenaReference = 0
    /// Forward: the index of the next slot. Backward: one more than the index of the next slot.
    var index = 0
    /// Forward, all versions: the next older version of the last appended key; 0 if there is none.
    var older: ArenaReference = 0

    /// Creates a cursor at the end. A seek must move it first.
    init(_ table: MemTable) {
        self.table = table
        slots = HeapArray(count: TreeNode.capacity)
        headers = HeapArray(count: TreeNode.capacity)
    }

    /// Returns the newest version of the key in a copied slot.
    @inline(__always)
    func slot(_ index: Int) -> MemTableEntry { table.entry(slots[index]) }

    // MARK: Seeks

    /// Prefetches the leaf of a key, for a seek that follows. A caller that seeks in several sources thereby waits for
    /// all of them at once.
    /// - Parameter before: true for a seek backward.
    func approach(_ key: Bytes, before: Bool) {
        guard !table.tree.isEmpty, let leaf = table.tree.descend(SearchKey(key), before: before) else { return }
        table.node(leaf).prefetch()
    }

    /// Prefetches the starts of the next `count` entries, if they are in the copied leaf.
    func prefetch(_ count: Int, _ direction: ScanDirection) {
        let start = direction == .forward ? index : max(0, index &- count)
        let end = direction == .forward ? min(slotCount, index &+ count) : index
        for slot in start..<end { self.slot(slot).prefetch() }
    }

    /// Forward, moves before the first record whose key is at least `key`; before all records if `key` is nil.
    /// Backward, moves after the last record whose key is less than `key`; after all records if `key` is nil.
    /// - Complexity: O(log *n*) in the number of keys
    mutating func seek(_ key: Bytes?, _ direction: ScanDirection = .forward) {
        older = 0
        if table.tree.isEmpty {
            (slotCount, index, next) = (0, 0, 0)
        } else if let key {
            seek(SearchKey(key), before: direction == .backward)
        } else if direction == .forward {
            load(leaf: table.firstLeaf)
        } else {
            seekLast()
        }
    }

    /// Copies the leaf of `key`, or of the largest key below it if `before` is true. Sets `index` to the first slot
    /// that is not less than `key`.
    @inline(never)
    mutating func seek(_ key: SearchKey, before: Bool) {
        var backoff = Backoff()
        while true {
            let structure = table.tree.structureVersion
            if let reference = table.tree.descend(key, before: before) {
                let leaf = table.node(reference)
                let version = leaf.version
                if version & 1 == 0 {
                    index = leaf.search(key, in: table.base).index
                    copy(leaf)
                    if leaf.isUnchanged(since: version), table.tree.isStructureUnchanged(since: structure) { return }
                }
            }
            backoff.pause()
        }
    }

    /// Moves after the last record of the tree.
    private mutating func seekLast() {
        var backoff = Backoff()
        while true {
            let structure = table.tree.structureVersion
            if let reference = table.tree.descendToLast() {
                load(leaf: reference)
                index = slotCount
                if table.tree.isStructureUnchanged(since: structure) { return }
            }
            backoff.pause()
        }
    }

    /// Copies a leaf and moves before its first slot.
    @inline(never)
    mutating func load(leaf reference: ArenaReference) {
        let leaf = table.node(reference)
        var backoff = Backoff()
        index = 0
        while true {
            let version = leaf.version
            if version & 1 == 0 {
                copy(leaf)
                if leaf.isUnchanged(since: version) { return }
            }
            backoff.pause()
        }
    }

    /// Moves to the next leaf, and prefetches the references of the leaf after it.
    mutating func loadNext() {
        load(leaf: next)
        if next != 0 { table.node(next).prefetchReferences() }
    }

    /// Copies the references of a leaf. The caller validates the copy with the leaf's seqlock.
    @inline(__always)
    private mutating func copy(_ leaf: TreeNode) {
        slotCount = leaf.count
        for index in 0..<slotCount { slots[index] = leaf.reference(index) }
        next = leaf.next
    }
}

extension MemTableCursor {
    /// Appends the next records in a direction to a batch. If it appends none with a positive limit and free capacity,
    /// the end is reached.
    /// - Parameters:
    ///   - limit: largest number of records to append; the batch's free capacity is a limit too.
    ///   - visible: the largest visible sequence number. For each key the newest visible version is appended,
    ///     tombstones included; a key without a visible version is skipped. Nil, forward: all versions, newest first.
    ///     Nil, backward: the newest version of each key.
    /// - Complexity: O(*n*) in the appended records and the versions newer than `visible`.
    mutating func fill(
        _ batch: inout RecordBatch, _ direction: ScanDirection = .forward, limit: Int, visible: SequenceNumber?
    ) {
        let target = batch.count &+ min(limit, batch.capacity &- batch.count)
        switch (direction, visible) {
        case (.forward, nil): fillAllVersions(&batch, upTo: target)
        case (.forward, let visible?): fillForward(&batch, upTo: target, visible: visible)
        case (.backward, _): fillBackward(&batch, upTo: target, visible: visible ?? .greatest)
        }
    }

    private mutating func fillBackward(_ batch: inout RecordBatch, upTo target: Int, visible: SequenceNumber) {
        while batch.count < target {
            if index == 0 {
                // Copies the leaf of the largest key below the first one of this copy.
                if slotCount == 0 { return }
                seek(slot(0).key, before: true)
                if index == 0 { return }
            }
            let end = index
            let start = max(0, end &- (target &- batch.count))
            index = start
            var current = end
            if copyHeaders(start, end) <= visible {
                while current > start {
                    current &-= 1
                    batch.append(slot(current).record(headers[current]))
                }
            } else {
                while current > start {
                    current &-= 1
                    if let entry = table.tree.version(slot(current), visible: visible) { batch.append(entry.record) }
                }
            }
        }
    }

    private mutating func fillForward(_ batch: inout RecordBatch, upTo target: Int, visible: SequenceNumber) {
        while batch.count < target {
            if index >= slotCount {
                if next == 0 { return }
                loadNext()
            }
            var current = index
            let end = min(slotCount, current &+ (target &- batch.count))
            index = end
            if copyHeaders(current, end) <= visible {
                while current < end {
                    batch.append(slot(current).record(headers[current]))
                    current &+= 1
                }
            } else {
                while current < end {
                    if let entry = table.tree.version(slot(current), visible: visible) { batch.append(entry.record) }
                    current &+= 1
                }
            }
        }
    }

    /// Appends all versions of each key, newest first. ``older`` keeps the position inside a key between two calls.
    private mutating func fillAllVersions(_ batch: inout RecordBatch, upTo target: Int) {
        appendOlder(&batch, upTo: target)
        while batch.count < target {
            if index >= slotCount {
                if next == 0 { return }
                loadNext()
            }
            var current = index
            let end = min(slotCount, current &+ (target &- batch.count))
            _ = copyHeaders(current, end)
            prefetchEnds(current, end)
            while current < end, batch.count < target {
                let entry = slot(current)
                batch.append(entry.record(headers[current]))
                older = entry.previous
                current &+= 1
                appendOlder(&batch, upTo: target)
            }
            index = current
        }
    }

    /// Appends the older versions of the last appended key, newest first.
    @inline(__always)
    private mutating func appendOlder(_ batch: inout RecordBatch, upTo target: Int) {
        while older != 0, batch.count < target {
            let entry = table.entry(older)
            batch.append(entry.record)
            older = entry.previous
        }
    }

    /// Prefetches the rest of the entries `[start, end)`, up to 512 bytes of each; ``copyHeaders(_:_:)`` has prefetched
    /// their first lines. For a scan of all versions, because a flush copies complete entries. They lie in the order of
    /// their insertion, which the processor's own prefetching cannot follow.
    @inline(__always)
    private func prefetchEnds(_ start: Int, _ end: Int) {
        for index in start..<end {
            let lengths = headers[index].lengths
            let size = MemTableEntry.headerSize &+ Int(lengths & 0xffff_ffff) &+ Int(lengths &>> 32)
            slot(index).prefetchRest(min(size, 512))
        }
    }

    /// Copies the headers of the entries `[start, end)`.
    ///
    /// This runs in short loops of its own, so that the cache misses of many entries overlap. In the loop that fills a
    /// batch, only a dozen would fit the processor's instruction window. The line after the header is prefetched too,
    /// because most values start there.
    /// - Returns: the largest of their sequence numbers.
    @inline(__always)
    private func copyHeaders(_ start: Int, _ end: Int) -> SequenceNumber {
        for index in start..<end { slot(index).prefetch() }
        var greatest: UInt64 = 0
        for index in start..<end {
            let header = slot(index).header
            headers[index] = header
            greatest = max(greatest, header.tag)
        }
        return greatest &>> 8
    }
}
