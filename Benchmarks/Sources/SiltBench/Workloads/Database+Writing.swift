extension Database {
    /// How many operations a thread has of all, the first ones taking what is left over.
    static func share(_ operations: Int, thread: Int, of threads: Int) -> Int {
        operations / threads + (thread < operations % threads ? 1 : 0)
    }

    /// Puts keys, one in a transaction.
    /// - Parameters:
    ///   - operations: in all threads.
    ///   - stream: the keys of a thread, given its number; no two threads share any.
    func put(
        _ operations: Int, threads: Int, _ stream: @escaping @Sendable (Int) -> IndexStream
    ) throws -> Course {
        try ThreadTeam.run(threads) { [self] thread, gate in
            let count = Self.share(operations, thread: thread, of: threads)
            let session = try engine.makeSession()
            let keys = KeyMaker(keys)
            let values = ValueMaker(byteCount: settings.valueBytes)
            var stream = stream(thread)
            var meter = Meter(operations: count)
            var keyBytes = 0
            gate.pass()
            meter.begin()
            for _ in 0..<count {
                let index = stream.next()
                let key = keys.key(index)
                keyBytes &+= key.count
                try session.put(key, values.value(model.nextStamp(index)))
                meter.lap()
            }
            return meter.record(userBytes: keyBytes + count * settings.valueBytes)
        }
    }

    /// Puts keys, many in a transaction.
    func putBatches(_ operations: Int, batch: Int, _ stream: IndexStream) throws -> Course {
        try ThreadTeam.run(1) { [self] _, gate in
            let session = try engine.makeSession()
            let keys = KeyMaker(keys)
            let values = ValueMaker(byteCount: settings.valueBytes)
            var stream = stream
            var meter = Meter(operations: operations, step: batch)
            gate.pass()
            meter.begin()
            var (left, keyBytes) = (operations, 0)
            while left > 0 {
                let count = min(batch, left)
                try session.putAll(count) { _ in
                    let index = stream.next()
                    let key = keys.key(index)
                    keyBytes &+= key.count
                    return (key, values.value(model.nextStamp(index)))
                }
                meter.lap(count)
                left -= count
            }
            return meter.record(userBytes: keyBytes + operations * settings.valueBytes)
        }
    }

    /// Deletes keys, one in a transaction.
    func delete(
        _ operations: Int, threads: Int, _ stream: @escaping @Sendable (Int) -> IndexStream
    ) throws -> Course {
        try ThreadTeam.run(threads) { [self] thread, gate in
            let count = Self.share(operations, thread: thread, of: threads)
            let session = try engine.makeSession()
            let keys = KeyMaker(keys)
            var stream = stream(thread)
            var meter = Meter(operations: count)
            var keyBytes = 0
            gate.pass()
            meter.begin()
            for _ in 0..<count {
                let index = stream.next()
                let key = keys.key(index)
                keyBytes &+= key.count
                try session.delete(key)
                model.remove(index)
                meter.lap()
            }
            return meter.record(userBytes: keyBytes)
        }
    }
}
