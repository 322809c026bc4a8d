import Synchronization

extension Database {
    /// Reads with one thread while another overwrites, both at full speed, until the reads are done and a second has
    /// passed: in less, the two would hardly meet.
    /// - Parameter operations: reads at least.
    /// - Returns: the course of the reader, thread 0, and of the writer, thread 1.
    func getWhilePutting(_ operations: Int) throws -> Course {
        let done = Flag()
        let range = model.count
        let course = try ThreadTeam.run(2) { [self] thread, gate in
            // Whichever fails, the other one shall end.
            defer { done.raise() }
            let session = try engine.makeSession()
            let keys = KeyMaker(keys)
            var meter = Meter(operations: operations, sampling: thread == 0)
            guard thread == 0 else {
                var stream = IndexStream.uniform(range, .besideReader)
                let values = ValueMaker(byteCount: settings.valueBytes)
                var count = 0
                gate.pass()
                meter.begin()
                while !done.isRaised {
                    let index = stream.next()
                    try session.put(keys.key(index), values.value(model.nextStamp(index)))
                    meter.lap()
                    count += 1
                }
                return meter.record(userBytes: count * (self.keys.keyBytes + settings.valueBytes))
            }
            var stream = IndexStream.uniform(range, .besideWriter)
            var tally = Tally()
            gate.pass()
            meter.begin()
            var left = operations
            while left > 0 || meter.elapsed < 1_000_000_000 {
                left -= 1
                let index = stream.next()
                try session.get(keys.key(index), of: index, &tally)
                meter.lap()
            }
            return meter.record(tally)
        }
        model.isReproducible = false
        return course
    }
}

/// Something that threads wait for by asking.
private final class Flag: Sendable {
    private let value = Atomic(false)

    var isRaised: Bool { value.load(ordering: .relaxed) }

    func raise() { value.store(true, ordering: .relaxed) }
}
