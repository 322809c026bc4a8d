/// How many times as good as another an engine is: above 1, it is faster.
struct Ratio: Codable, Sendable {
    /// Of the medians.
    var value: Double
    /// The lowest and the highest of the rounds, each compared with the same round of the other.
    var lowest: Double
    var highest: Double
    /// The other.
    var peer: EngineKind

    /// - Returns: nil where a value is 0.
    init?(_ own: Summary, to other: Summary, of peer: EngineKind) {
        let isRate = own.typical?.unit.isRate ?? true
        func ratio(_ own: Double, _ other: Double) -> Double { isRate ? own / other : other / own }
        guard own.value > 0, other.value > 0 else { return nil }
        value = ratio(own.value, other.value)
        self.peer = peer
        let byRound = own.measurements.compactMap { measurement in
            other.measurements.first { $0.round == measurement.round && $0.value > 0 && measurement.value > 0 }
                .map { ratio(measurement.value, $0.value) }
        }
        lowest = byRound.min() ?? value
        highest = byRound.max() ?? value
    }
}
