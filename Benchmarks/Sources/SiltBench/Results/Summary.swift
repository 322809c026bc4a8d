/// The results of all rounds of one engine and one workload.
struct Summary {
    let measurements: [Measurement]
    /// The median.
    let value: Double
    let minimum: Double
    let maximum: Double

    /// - Parameter measurements: one at least.
    init?(_ measurements: [Measurement]) {
        let values = measurements.map(\.value)
        guard let minimum = values.min(), let maximum = values.max() else { return nil }
        self.measurements = measurements
        self.minimum = minimum
        self.maximum = maximum
        value = values.median
    }

    /// Whether it is the better result of the two, of the same unit.
    func isBetter(than other: Summary) -> Bool {
        typical?.unit.isRate == false ? value < other.value : value > other.value
    }

    /// Half the range, as a share of the median.
    var spread: Double { value > 0 ? (maximum - minimum) / 2 / value : 0 }

    /// The measurement whose value is the median, for what is not summed up: its latencies, its course.
    var typical: Measurement? { measurements.min { abs($0.value - value) < abs($1.value - value) } }

    /// The median of something that the measurements have beside their value.
    func median(_ part: (Measurement) -> Double?) -> Double? {
        let values = measurements.compactMap(part)
        return values.isEmpty ? nil : values.median
    }
}

extension Array where Element == Double {
    /// The middle one; of an even number the mean of the middle two; 0 of none.
    var median: Double {
        guard !isEmpty else { return 0 }
        let sorted = sorted()
        return count % 2 == 1 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2
    }
}
