/// What engines do badly that mark what was deleted and clean up later: to walk over it.
extension Database {
    /// Uses the database as a queue: puts a key at its end, scans for the first there is, deletes that.
    ///
    /// The scan begins at the beginning, as one does that does not know what was deleted.
    /// - Parameters:
    ///   - operations: how often, timed as one.
    ///   - backlog: entries that wait in it, put before the clock starts.
    func queue(_ operations: Int, backlog: Int) throws -> Course {
        try ThreadTeam.run(1) { [self] _, gate in
            let session = try engine.makeSession()
            let keys = KeyMaker(keys)
            let values = ValueMaker(byteCount: settings.valueBytes)
            for index in 0..<backlog { try session.put(keys.key(index), values.value(model.nextStamp(index))) }
            var tally = Tally()
            var bytes = 0
            var meter = Meter(operations: operations)
            gate.pass()
            meter.begin()
            for head in 0..<operations {
                let tail = backlog + head
                let key = keys.key(tail)
                try session.put(key, values.value(model.nextStamp(tail)))
                bytes += key.count * 2 + settings.valueBytes
                var visitor = HeadVisitor(head: head, tally: tally)
                try session.scan(from: nil, reverse: false, limit: 1, &visitor)
                tally = visitor.tally
                try session.delete(keys.key(head))
                model.remove(head)
                meter.lap()
            }
            return meter.record(tally, userBytes: bytes)
        }
    }

    /// What ``queue(_:backlog:)`` should have read: each of the first keys, once, in their order.
    func expectedOfQueue(_ operations: Int) -> Tally {
        var tally = Tally()
        for index in 0..<operations { tally.expect(Stamp(index: index, generation: 1)) }
        return tally
    }

    /// Reads the first entries again and again, for a quarter of a second.
    /// - Parameter scans: how often at least.
    /// - Returns: the course, and what one of the scans has read.
    /// - Throws: ``BenchmarkError`` where two of them have read different things.
    func scanHead(atLeast scans: Int, entries: Int) throws -> Course {
        try ThreadTeam.run(1) { [self] _, gate in
            let session = try engine.makeSession()
            var first: Tally?
            var meter = Meter(operations: scans)
            gate.pass()
            meter.begin()
            var left = scans
            while left > 0 || meter.elapsed < 250_000_000 {
                var tally = Tally()
                try session.scan(from: nil, reverse: false, limit: entries, &tally)
                meter.lap()
                if let first, first != tally { throw BenchmarkError("two scans have read different things") }
                first = tally
                left -= 1
            }
            return meter.record(first ?? Tally())
        }
    }

    /// What a scan of ``scanHead(atLeast:entries:)`` should have read.
    func expectedOfHead(entries: Int) -> Tally {
        let first = (0..<model.count).lazy.filter { [model] in model.stamp($0) != nil }.prefix(entries)
        return .expectScanned(model, Array(first), keys)
    }
}

/// Counts the first entry of a queue.
private struct HeadVisitor: EntryVisitor {
    let head: Int
    var tally: Tally

    @inline(__always)
    mutating func visit(_ key: Bytes, _ value: Bytes) { tally.add(value, of: head) }
}
