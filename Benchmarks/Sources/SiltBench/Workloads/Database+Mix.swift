extension Database {
    /// Runs the operations of a ``Mix``, a thread for each of its lists.
    ///
    /// An update writes the whole record. Threads may update the same record, and which comes last is left open: the
    /// model is not exact any more after more than one thread has written.
    func run(_ mix: Mix) throws -> Course {
        let operations = mix.operations
        // An operation is 8 bytes, two entries of a list.
        reserve(mix.records, listed: operations.reduce(0) { $0 + $1.count } * 2)
        let isAlone = operations.count == 1
        let course = try ThreadTeam.run(operations.count) { [self] thread, gate in
            let session = try engine.makeSession()
            let keys = KeyMaker(keys)
            let values = ValueMaker(byteCount: settings.valueBytes)
            let list = operations[thread]
            var (tally, written) = (Tally(), 0)
            var meter = Meter(operations: list.count)
            gate.pass()
            meter.begin()
            for (i, operation) in list.enumerated() {
                let index = Int(operation.index)
                let key = keys.key(index)
                switch operation.kind {
                case .scan:
                    try session.scan(from: key, reverse: false, limit: Int(operation.length), &tally)
                case .read:
                    try session.get(key, of: index, &tally)
                case .update, .insert, .readModifyWrite:
                    if operation.kind == .readModifyWrite { try session.get(key, of: index, &tally) }
                    let stamp = isAlone ? model.nextStamp(index) : Stamp(index: index, generation: UInt32(i + 2))
                    try session.put(key, values.value(stamp))
                    written += 1
                }
                meter.lap()
            }
            return meter.record(tally, userBytes: written * (self.keys.keyBytes + settings.valueBytes))
        }
        if !isAlone { noteWrites(of: mix) }
        return course
    }

    /// Brings the model up to what threads have written side by side.
    private func noteWrites(of mix: Mix) {
        for operation in mix.operations.joined() where operation.kind != .read && operation.kind != .scan {
            (model.isExact, model.isReproducible) = (false, false)
            _ = model.nextStamp(Int(operation.index))
        }
    }

    /// How many of the reads of a mix should have found a value: all, since it reads only what exists.
    func expectedReads(_ mix: Mix) -> Int {
        mix.operations.joined().reduce(0) { $0 + ($1.kind == .read || $1.kind == .readModifyWrite ? 1 : 0) }
    }

    /// How many entries the scans of a mix should have read: as many as they ask for, but for those that begin among the last
    /// hundred keys, which is the most that one asks for.
    /// - Parameter count: keys that were there before; others may be there or not when a scan passes.
    func expectedScanned(_ mix: Mix, of count: Int) -> ClosedRange<Int> {
        let maker = KeyMaker(keys)
        let sorted = (0..<count).map { [UInt8](maker.key($0)) }.sorted { $0.lexicographicallyPrecedes($1) }
        let last = sorted.suffix(100).first ?? []
        var (least, most) = (0, 0)
        for operation in mix.operations.joined() where operation.kind == .scan {
            let isWhole = count >= 100 && !last.lexicographicallyPrecedes([UInt8](maker.key(Int(operation.index))))
            least += isWhole ? Int(operation.length) : 1
            most += Int(operation.length)
        }
        return least...most
    }
}
