import Testing

@testable import SiltBench

/// Measuring and summing up.
struct MeasuringTests {
    @Test("a bucket's middle is within 3 % of every latency in it")
    func histogramBuckets() {
        for nanoseconds in stride(from: UInt64(1), to: 5_000_000, by: 997) {
            let middle = Histogram.middle(Histogram.bucket(nanoseconds))
            #expect(abs(middle - Double(nanoseconds)) <= 0.031 * Double(nanoseconds) + 0.5)
        }
        #expect(Histogram.bucket(.max) < Histogram.bucketCount)
    }

    @Test("percentiles are those of what was counted")
    func percentiles() {
        var counts = [UInt64](repeating: 0, count: Histogram.bucketCount)
        for value in 1...1000 { counts[Histogram.bucket(UInt64(value) * 1000)] += 1 }
        var histogram = Histogram()
        counts.withUnsafeBufferPointer { histogram.add($0) }
        #expect(histogram.total == 1000)
        #expect((485_000...515_000).contains(histogram.percentile(0.5)))
        #expect((960_000...1_030_000).contains(histogram.percentile(0.99)))
    }

    @Test("the rate of several threads is over the time from the first start to the last finish")
    func ratesOfThreads() {
        func record(_ start: UInt64, _ finish: UInt64) -> ThreadRecord {
            ThreadRecord(
                start: start, finish: finish, operations: 1000, histogram: Histogram(), marks: [], interval: 5,
                tally: Tally(), userBytes: 0)
        }
        let measurement = Measurement(
            engine: .lmdb, label: "x", round: 0, records: [record(0, 1_000_000_000), record(500, 2_000_000_000)])
        #expect(measurement.value == 1000)
    }

    @Test("the ratio is to the best peer, for rates and for times")
    func ratios() {
        var report = Report(Options())
        func add(_ engine: EngineKind, _ label: String, _ unit: Measurement.Unit, _ value: Double) {
            report.measurements.append(Measurement(engine: engine, label: label, round: 0, unit: unit, value: value))
        }
        report.options.engines = [.siltstone, .lmdb, .sqlite]
        add(.siltstone, "get", .operationsPerSecond, 300)
        add(.lmdb, "get", .operationsPerSecond, 200)
        add(.sqlite, "get", .operationsPerSecond, 100)
        add(.siltstone, "open", .milliseconds, 10)
        add(.lmdb, "open", .milliseconds, 5)
        add(.sqlite, "open", .milliseconds, 20)
        #expect(report.ratio("get")?.value == 1.5)
        #expect(report.ratio("open")?.value == 0.5)
    }

    @Test("two engines that read differently are a failure")
    func comparesTallies() {
        var report = Report(Options())
        for (engine, checksum) in [(EngineKind.siltstone, UInt64(1)), (.lmdb, 1), (.sqlite, 2)] {
            var measurement = Measurement(
                engine: engine, label: "get", round: 0, unit: .operationsPerSecond, value: 1)
            measurement.tally = Tally(found: 1, checksum: checksum, wrong: 0)
            report.measurements.append(measurement)
        }
        report.compareTallies()
        #expect(report.failures.map(\.engine) == [.sqlite])
    }
}
