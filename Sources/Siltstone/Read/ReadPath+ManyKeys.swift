import Synchronization

extension ReadPath {
    /// Looks up keys in groups, all on one super version. It prefetches for a complete group at once, so the cache
    /// misses of all its keys overlap. In single reads, they overlap only as far as the processor looks ahead.
    ///
    /// Uses one super version until the end, and so keeps its memtables and files.
    /// - Parameters:
    ///   - sequence: the newest change that the reads see; nil for the newest visible one.
    ///   - fill: appends the next keys to an empty group. If it appends none, the read ends.
    ///   - skips: if given, it says from the index of a key that the key is not looked up. `body` then gets nil for it.
    ///   - postpone: if given, it gets the index of each key that is skipped: those whose lookup may wait for the disk,
    ///     and those whose value is in a value file.
    ///   - body: gets the index of a key and its value, nil if it has none. The value is valid until `body` returns.
    ///     `body` returns false to stop.
    func readGroups(
        at sequence: SequenceNumber?, _ fill: (KeyGroup) -> Void, skips: ((Int) -> Bool)? = nil,
        postpone: ((Int) -> Void)? = nil, _ body: (Int, RawSpan?) -> Bool
    ) throws(StoreError) {
        try status.checkOpen()
        let (reading, visible) = enterSteadily(at: sequence)
        defer { superVersions.leave(reading) }
        try reading.superVersion.with { superVersion throws(StoreError) in
            let group = KeyGroup()
            var base = 0
            while true {
                group.removeAll()
                fill(group)
                if group.count == 0 { return }
                try status.checkOpen()
                if superVersion.plan.isQuick { superVersion.plan.prefetch(group) }
                if _slowPath(directory.pageCache.isTight) { beginReading(group, base, skips, superVersion, visible) }
                for index in 0..<group.count {
                    if let skips, skips(base + index) {
                        if !body(base + index, nil) { return }
                        continue
                    }
                    let goesOn = try readOne(
                        group, index, superVersion, visible, postpone.map { postpone in { postpone(base + index) } }
                    ) { value in body(base + index, value) }
                    if !goesOn { return }
                }
                base += group.count
            }
        }
    }

    /// Looks up the key at `index` of a group.
    /// - Returns: the result of `body`; true if the key was postponed.
    @inline(__always)
    private func readOne(
        _ group: KeyGroup, _ index: Int, _ superVersion: SuperVersion, _ visible: SequenceNumber,
        _ postpone: (() -> Void)?,
        _ body: (RawSpan?) -> Bool
    ) throws(StoreError) -> Bool {
        let key = group[index]
        if _fastPath(superVersion.plan.isQuick) {
            let found = superVersion.plan.find(SearchKey(key), hash: group.hash(index), visible: visible)
            if let value = found.value { return unsafe body(value.buffer.bytes) }
            if !found.isUnclear { return body(nil) }
        }
        return try readSlowly(key, superVersion, visible, postpone, body)
    }

    /// Takes the slow path, like ``read(_:at:_:)``.
    @inline(never)
    private func readSlowly(
        _ key: Bytes, _ superVersion: SuperVersion, _ visible: SequenceNumber, _ postpone: (() -> Void)?,
        _ body: (RawSpan?) -> Bool
    ) throws(StoreError) -> Bool {
        noteSlowRead(superVersion)
        if let postpone, !isReady(key, superVersion, visible) {
            postpone()
            return true
        }
        var pin = BlockPin()
        defer { withExtendedLifetime(pin) {} }
        guard let record = try superVersion.lookup(key, visible: visible, pin: &pin) else { return body(nil) }
        if let postpone, record.kind == .pointer {
            postpone()
            return true
        }
        return try withResolvedValue(record, superVersion.version) { value in unsafe body(value.buffer.bytes) }
    }

    /// Starts disk reads for all lookups of a group, so that the disk works on them in parallel.
    /// - Parameters:
    ///   - base: the index of the group's first key.
    ///   - skips: see ``readGroups(at:_:skips:postpone:_:)``.
    @inline(never)
    private func beginReading(
        _ group: KeyGroup, _ base: Int, _ skips: ((Int) -> Bool)?, _ superVersion: SuperVersion,
        _ visible: SequenceNumber
    ) {
        guard directory.configuration.access == .mapped else { return }
        for index in 0..<group.count where skips?(base + index) != true {
            _ = superVersion.isReady(group[index], visible: visible)
        }
    }

    /// Enters a super version that shows every change up to the returned number for as long as the read lasts. To
    /// ensure this, the super version must still be current after the number was loaded; ``current()`` explains why.
    private func enterSteadily(at sequence: SequenceNumber?) -> (HazardPointers.Guard, SequenceNumber) {
        while true {
            let reading = superVersions.enter()
            if let sequence { return (reading, sequence) }
            let visible = self.visible
            if superVersions.isCurrent(reading.superVersion) { return (reading, visible) }
            superVersions.abandon(reading)
        }
    }
}
