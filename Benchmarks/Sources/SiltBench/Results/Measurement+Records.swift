extension Measurement {
    /// The rate of a workload, from what its threads measured.
    init(engine: EngineKind, label: String, round: Int, records: [ThreadRecord]) {
        let start = records.map(\.start).min() ?? 0
        let finish = records.map(\.finish).max() ?? 0
        let operations = records.reduce(0) { $0 + $1.operations }
        let seconds = Double(max(finish - start, 1)) * 1e-9
        self.init(
            engine: engine, label: label, round: round, unit: .operationsPerSecond,
            value: Double(operations) / seconds, operations: operations, seconds: seconds)
        var histogram = Histogram()
        for record in records { histogram.add(record.histogram) }
        if histogram.total > 0 { latency = Latency(histogram) }
        timeline = Self.timeline(records, start: start)
    }

    /// The marks of all threads, merged and thinned to a hundred points.
    private static func timeline(_ records: [ThreadRecord], start: UInt64) -> [TimelinePoint] {
        let marks = records.flatMap { record in record.marks.map { ($0, record.interval) } }.sorted { $0.0 < $1.0 }
        let step = max(1, marks.count / 100)
        var points: [TimelinePoint] = []
        var (last, operations) = (start, 0)
        for (i, mark) in marks.enumerated() {
            operations += mark.1
            guard (i + 1) % step == 0, mark.0 > last else { continue }
            points.append(
                TimelinePoint(
                    seconds: Double(mark.0 - start) * 1e-9,
                    operationsPerSecond: Double(operations) / (Double(mark.0 - last) * 1e-9)))
            (last, operations) = (mark.0, 0)
        }
        return points
    }
}
