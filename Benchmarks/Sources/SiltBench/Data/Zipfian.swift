import Foundation

/// Draws ranks by Zipf's law: rank *r* with a probability in proportion to 1 / (*r* + 1)^θ, as YCSB does.
///
/// Source: Gray et al., "Quickly generating billion-record synthetic databases", SIGMOD 1994.
struct Zipfian {
    private static let theta = 0.99

    private let count: Int
    private let zeta: Double
    private let alpha: Double
    private let eta: Double
    private let secondLimit: Double

    /// - Parameter count: number of ranks, from 1.
    /// - Complexity: O(*count*).
    init(count: Int) {
        self.count = count
        zeta = (1...count).reduce(0) { $0 + 1 / pow(Double($1), Self.theta) }
        alpha = 1 / (1 - Self.theta)
        secondLimit = 1 + pow(0.5, Self.theta)
        eta = (1 - pow(2 / Double(count), 1 - Self.theta)) / (1 - secondLimit / zeta)
    }

    /// The next rank; 0 is the most frequent.
    func next(_ random: inout RandomSource) -> Int {
        let u = random.unit()
        let share = u * zeta
        if share < 1 || count == 1 { return 0 }
        if share < secondLimit { return 1 }
        return min(Int(Double(count) * pow(eta * u - eta + 1, alpha)), count - 1)
    }
}
