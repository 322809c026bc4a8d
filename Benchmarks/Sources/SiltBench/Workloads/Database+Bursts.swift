import Foundation

/// What programs do that are not busy all the time.
extension Database {
    /// Overwrites keys, pauses, and seeks keys and reads on from each; again and again.
    /// - Parameters:
    ///   - pause: seconds between the puts and the seeks.
    ///   - entries: read for each seek.
    /// - Returns: the course of the puts, then that of the seeks, without the pauses; and what the seeks should have read.
    func bursts(
        _ rounds: Int, puts: Int, pause: Double, seeks: Int, entries: Int
    ) throws -> (course: Course, expected: Tally) {
        let before = ProcessUsage.now()
        let session = try engine.makeSession()
        let values = ValueMaker(byteCount: settings.valueBytes)
        let maker = KeyMaker(keys)
        let range = model.count
        var (written, sought) = (IndexStream.uniform(range, .overwrite), IndexStream.uniform(range, .seeking))
        var (tally, expected) = (Tally(), Tally())
        var putting = Meter(operations: rounds * puts)
        var seeking = Meter(operations: rounds * seeks, sampling: true)
        putting.begin()
        putting.pause()
        seeking.begin()
        seeking.pause()
        for _ in 0..<rounds {
            putting.resume()
            for _ in 0..<puts {
                let index = written.next()
                try session.put(maker.key(index), values.value(model.nextStamp(index)))
                putting.lap()
            }
            putting.pause()
            Thread.sleep(forTimeInterval: pause)
            let found = sought
            seeking.resume()
            for _ in 0..<seeks {
                try session.scan(from: maker.key(sought.next()), reverse: false, limit: entries, &tally)
                seeking.lap()
            }
            seeking.pause()
            expected = expected + expectedOfSeek(seeks, threads: 1, entries: entries) { _ in found }
        }
        let records = [
            putting.record(userBytes: rounds * puts * (keys.keyBytes + settings.valueBytes)), seeking.record(tally),
        ]
        return (Course(records: records, before: before, after: .now()), expected)
    }

    /// Opens the closed database, gets keys, seeks keys and reads on from each, puts a key, and closes it; again and again.
    /// - Returns: the course, of which an operation is all of that, and what should have been read.
    func sessions(
        _ rounds: Int, gets: Int, seeks: Int, entries: Int
    ) throws -> (course: Course, expected: Tally) {
        try close()
        let before = ProcessUsage.now()
        let values = ValueMaker(byteCount: settings.valueBytes)
        let maker = KeyMaker(keys)
        let range = model.count
        var (read, sought) = (IndexStream.uniform(range, .reading), IndexStream.uniform(range, .seeking))
        var written = IndexStream.uniform(range, .overwrite)
        var (tally, expected) = (Tally(), Tally())
        var meter = Meter(operations: rounds)
        meter.begin()
        for _ in 0..<rounds {
            meter.pause()
            let (found, next) = (read, sought)
            expected = expected + expectedOfGet(gets, threads: 1) { _ in found }
            expected = expected + expectedOfSeek(seeks, threads: 1, entries: entries) { _ in next }
            meter.resume()
            try reopen()
            do {
                let session = try engine.makeSession()
                for _ in 0..<gets {
                    let index = read.next()
                    try session.get(maker.key(index), of: index, &tally)
                }
                for _ in 0..<seeks {
                    try session.scan(from: maker.key(sought.next()), reverse: false, limit: entries, &tally)
                }
                let index = written.next()
                try session.put(maker.key(index), values.value(model.nextStamp(index)))
            }
            try close()
            meter.lap()
        }
        let record = meter.record(tally, userBytes: rounds * (keys.keyBytes + settings.valueBytes))
        let course = Course(records: [record], before: before, after: .now())
        try reopen()
        return (course, expected)
    }
}
