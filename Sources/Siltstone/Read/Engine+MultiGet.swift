import Synchronization

extension Engine {
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
        try checkOpen()
        let (reading, visible) = enterSteadily(at: sequence)
        defer { views.leave(reading) }
        try reading.view._withUnsafeGuaranteedRefThrowing { view throws(StoreError) in
            let group = KeyGroup()
            var base = 0
            while true {
                group.removeAll()
                fill(group)
                if group.count == 0 { return }
                try checkOpen()
                if view.plan.isQuick { view.plan.prefetch(group) }
                if _slowPath(pageCache.isTight) { beginReading(group, view, visible) }
                for index in 0..<group.count {
                    let goesOn = try readOne(
                        group, index, view, visible, postpone.map { postpone in { postpone(base + index) } }
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
        _ group: KeyGroup, _ index: Int, _ view: ReadView, _ visible: SequenceNumber, _ postpone: (() -> Void)?,
        _ body: (RawSpan?) -> Bool
    ) throws(StoreError) -> Bool {
        let key = group[index]
        if _fastPath(view.plan.isQuick) {
            let found = view.plan.find(SearchKey(key), hash: group.hash(index), visible: visible)
            if let address = found.address {
                return body(Bytes(start: address, count: found.count).buffer.bytes)
            }
            if !found.isUnclear { return body(nil) }
        }
        return try readLong(key, view, visible, postpone, body)
    }

    /// The long look, as ``read(_:at:_:)`` has it.
    @inline(never)
    private func readLong(
        _ key: Bytes, _ view: ReadView, _ visible: SequenceNumber, _ postpone: (() -> Void)?, _ body: (RawSpan?) -> Bool
    ) throws(StoreError) -> Bool {
        noteLongRead(view)
        if let postpone, !isReady(key, view, visible) {
            postpone()
            return true
        }
        var pin = BlockPin()
        defer { withExtendedLifetime(pin) {} }
        guard let record = try view.lookup(key, visible: visible, pin: &pin) else { return body(nil) }
        if let postpone, record.kind == .pointer {
            postpone()
            return true
        }
        return try withResolvedValue(record, view.version) { value in body(value.buffer.bytes) }
    }

    /// Starts to read from the disk what the look-ups of a group will touch, so that the disk works on all of them at once.
    @inline(never)
    private func beginReading(_ group: KeyGroup, _ view: ReadView, _ visible: SequenceNumber) {
        guard configuration.access == .mapped else { return }
        for index in 0..<group.count { _ = view.isReady(group[index], visible: visible) }
    }

    /// Enters a view in which all is found that the number sees which is returned, however long it is kept: the view is that of
    /// a moment after the number was asked for (``currentView()``).
    private func enterSteadily(at sequence: SequenceNumber?) -> (ViewPublisher.Guard, SequenceNumber) {
        while true {
            let reading = views.enter()
            if let sequence { return (reading, sequence) }
            let visible = visible.load(ordering: .acquiring)
            if views.isCurrent(reading.view) { return (reading, visible) }
            views.abandon(reading)
        }
    }

    // MARK: Without blocking a thread of the cooperative pool

    /// The values of keys, copied: on this thread those that are there, and the others together on one that may wait.
    func copyValues(of keys: [[UInt8]], at sequence: SequenceNumber) async throws(StoreError) -> [[UInt8]?] {
        var (values, postponed) = try copyValues(of: keys, at: sequence, mayWait: false)
        if postponed.isEmpty { return values }
        let missing = postponed.map { keys[$0] }
        let (found, _) = try await onBlockingQueue { () throws(StoreError) in
            try self.copyValues(of: missing, at: sequence, mayWait: true)
        }
        for (index, value) in zip(postponed, found) { values[index] = value }
        return values
    }

    /// - Returns: the values that were read, and the indices of keys that would have waited for the disk.
    private func copyValues(
        of keys: [[UInt8]], at sequence: SequenceNumber, mayWait: Bool
    ) throws(StoreError) -> ([[UInt8]?], [Int]) {
        var values = [[UInt8]?](repeating: nil, count: keys.count)
        var postponed: [Int] = []
        var next = 0
        let fill = { (group: KeyGroup) in
            while next < keys.count, !group.isFull {
                withContiguousBytes(keys[next]) { group.append($0) }
                next += 1
            }
        }
        try readGroups(at: sequence, fill, postpone: mayWait ? nil : { postponed.append($0) }) { index, value in
            if let value { values[index] = value.withBytes { [UInt8]($0) } }
            return true
        }
        return (values, postponed)
    }
}
