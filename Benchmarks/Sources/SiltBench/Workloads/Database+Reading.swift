extension Database {
    /// Gets keys.
    /// - Parameters:
    ///   - operations: in all threads.
    ///   - missing: whether to ask for keys that do not exist.
    ///   - stream: the keys of a thread, given its number.
    func get(
        _ operations: Int, threads: Int, missing: Bool = false, _ stream: @escaping @Sendable (Int) -> IndexStream
    ) throws -> Course {
        try ThreadTeam.run(threads) { [self] thread, gate in
            let count = Self.share(operations, thread: thread, of: threads)
            let session = try engine.makeSession()
            var keys = KeyBatch(keys, missing: missing)
            var stream = stream(thread)
            var tally = Tally()
            var meter = Meter(operations: count, sampling: true)
            gate.pass()
            meter.begin()
            var left = count
            while left > 0 {
                let batch = min(left, KeyBatch.limit)
                for place in 0..<batch { keys.set(place, stream.next()) }
                for place in 0..<batch {
                    try session.get(keys.key(place), of: keys.index(place), &tally)
                    meter.lap()
                }
                left -= batch
            }
            return meter.record(tally)
        }
    }

    /// What ``get(_:threads:missing:_:)`` should have read of existing keys.
    func expectedOfGet(_ operations: Int, threads: Int, _ stream: (Int) -> IndexStream) -> Tally {
        var tally = Tally()
        for thread in 0..<threads {
            var stream = stream(thread)
            for _ in 0..<Self.share(operations, thread: thread, of: threads) {
                if let stamp = model.stamp(stream.next()) { tally.expect(stamp) }
            }
        }
        return tally
    }

    /// Reads all entries once.
    @inline(__always)
    static func scanAll(_ session: E.Session, reverse: Bool) throws -> Tally {
        var tally = Tally()
        try session.scan(from: nil, reverse: reverse, limit: .max, &tally)
        return tally
    }

    /// Walks all entries, not timed one by one, again and again for half a second: one walk may take less than the machine's
    /// hiccups.
    /// - Throws: ``BenchmarkError`` where two walks read different things.
    func walk(reverse: Bool) throws -> Course {
        try ThreadTeam.run(1) { [self] _, gate in
            let session = try engine.makeSession()
            var first: Tally?
            var meter = Meter(operations: 1)
            gate.pass()
            meter.begin()
            repeat {
                let tally = try Self.scanAll(session, reverse: reverse)
                meter.finish(tally.found)
                if let first, first != tally { throw BenchmarkError("two walks have read different things") }
                first = tally
            } while meter.elapsed < 500_000_000
            return meter.record(first ?? Tally())
        }
    }

    /// Seeks keys, and reads on from each.
    /// - Parameters:
    ///   - operations: seeks, in all threads.
    ///   - entries: read for each seek.
    func seek(
        _ operations: Int, threads: Int, entries: Int, _ stream: @escaping @Sendable (Int) -> IndexStream
    ) throws -> Course {
        try ThreadTeam.run(threads) { [self] thread, gate in
            let count = Self.share(operations, thread: thread, of: threads)
            let session = try engine.makeSession()
            let keys = KeyMaker(keys)
            var stream = stream(thread)
            var tally = Tally()
            var meter = Meter(operations: count, sampling: true)
            gate.pass()
            meter.begin()
            for _ in 0..<count {
                let key = keys.key(stream.next())
                try session.scan(from: key, reverse: false, limit: entries, &tally)
                meter.lap()
            }
            return meter.record(tally)
        }
    }

    /// What ``walk(reverse:)`` should have read.
    func expectedOfWalk() -> Tally { Tally.expectScanned(model, (0..<model.count).lazy, keys) }

    /// What ``seek(_:threads:entries:_:)`` should have read, where keys are in the order of their indices.
    func expectedOfSeek(_ operations: Int, threads: Int, entries: Int, _ stream: (Int) -> IndexStream) -> Tally {
        var tally = Tally()
        for thread in 0..<threads {
            var stream = stream(thread)
            for _ in 0..<Self.share(operations, thread: thread, of: threads) {
                let live = (stream.next()..<model.count).lazy.filter { [model] in model.stamp($0) != nil }
                tally = tally + .expectScanned(model, live.prefix(entries), keys)
            }
        }
        return tally
    }
}

extension Tally {
    /// What ``visit(_:_:)`` should find at these indices.
    static func expectScanned(_ model: Model, _ indices: some Sequence<Int>, _ keys: KeySpace) -> Tally {
        let keys = KeyMaker(keys)
        var tally = Tally()
        for index in indices {
            guard let stamp = model.stamp(index) else { continue }
            let key = keys.key(index)
            tally.found += 1
            tally.checksum &+= stamp.rawValue &+ UInt64(key[key.count - 1])
        }
        return tally
    }
}
