import Synchronization

extension ReadPath {
    /// Looks up keys, a group at a time, all on one view: what the keys of a group wait for is loaded for all of them at once,
    /// where single reads overlap as far as the processor looks ahead.
    ///
    /// The view is kept until the end, so `body` should be short.
    /// - Parameters:
    ///   - sequence: what is seen; nil for what is visible now.
    ///   - fill: puts the next keys into an empty group; none at the end.
    ///   - postpone: where given, is told the index of each key that would wait for the disk, instead of a wait.
    ///   - body: gets the index of a key and its value, good until it returns; returns false to stop.
    func readGroups(
        at sequence: SequenceNumber?, _ fill: (KeyGroup) -> Void, postpone: ((Int) -> Void)? = nil,
        _ body: (Int, RawSpan?) -> Bool
    ) throws(StoreError) {
        try status.checkOpen()
        let (reading, visible) = enterSteadily(at: sequence)
        defer { superVersions.leave(reading) }
        try reading.view.with { superVersion throws(StoreError) in
            let group = KeyGroup()
            var base = 0
            while true {
                group.removeAll()
                fill(group)
                if group.count == 0 { return }
                try status.checkOpen()
                if superVersion.plan.isQuick { superVersion.plan.prefetch(group) }
                if _slowPath(directory.pageCache.isTight) { beginReading(group, superVersion, visible) }
                for index in 0..<group.count {
                    let goesOn = try readOne(
                        group, index, superVersion, visible, postpone.map { postpone in { postpone(base + index) } }
                    ) { value in body(base + index, value) }
                    if !goesOn { return }
                }
                base += group.count
            }
        }
    }

    /// - Returns: what `body` says, and true where the key was put off.
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
        return try readLong(key, superVersion, visible, postpone, body)
    }

    /// The long look, as ``read(_:at:_:)`` has it.
    @inline(never)
    private func readLong(
        _ key: Bytes, _ superVersion: SuperVersion, _ visible: SequenceNumber, _ postpone: (() -> Void)?,
        _ body: (RawSpan?) -> Bool
    ) throws(StoreError) -> Bool {
        noteLongRead(superVersion)
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

    /// Starts to read from the disk what the look-ups of a group will touch, so that the disk works on all of them at once.
    @inline(never)
    private func beginReading(_ group: KeyGroup, _ superVersion: SuperVersion, _ visible: SequenceNumber) {
        guard directory.configuration.access == .mapped else { return }
        for index in 0..<group.count { _ = superVersion.isReady(group[index], visible: visible) }
    }

    /// Enters a view in which all is found that the number sees which is returned, however long it is kept: the view is that of
    /// a moment after the number was asked for (``current()``).
    private func enterSteadily(at sequence: SequenceNumber?) -> (EpochReclaimer.Guard, SequenceNumber) {
        while true {
            let reading = superVersions.enter()
            if let sequence { return (reading, sequence) }
            let visible = visible.load(ordering: .acquiring)
            if superVersions.isCurrent(reading.view) { return (reading, visible) }
            superVersions.abandon(reading)
        }
    }
}
