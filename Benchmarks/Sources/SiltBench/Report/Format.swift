import Foundation

/// Numbers for humans.
enum Format {
    /// A rate as `377k`, `1.06M`; a time as `12.3 ms`.
    static func value(_ value: Double, _ unit: Measurement.Unit) -> String {
        unit.isRate ? count(value) : milliseconds(value)
    }

    static func count(_ value: Double) -> String {
        switch value {
        case 10_000_000...: digits(value / 1e6, 1) + "M"
        case 1_000_000...: digits(value / 1e6, 2) + "M"
        case 100_000...: digits(value / 1e3, 0) + "k"
        case 10_000...: digits(value / 1e3, 1) + "k"
        case 1000...: digits(value / 1e3, 2) + "k"
        default: digits(value, value < 10 ? 1 : 0)
        }
    }

    /// A number of keys: `100k`, `20M`.
    static func size(_ value: Int) -> String {
        if value >= 1_000_000, value % 1_000_000 == 0 { return "\(value / 1_000_000)M" }
        return value >= 1000 && value % 1000 == 0 ? "\(value / 1000)k" : "\(value)"
    }

    static func milliseconds(_ value: Double) -> String {
        if value >= 10_000 { return digits(value / 1000, value < 100_000 ? 1 : 0) + " s" }
        return digits(value, value < 1 ? 3 : value < 10 ? 2 : value < 100 ? 1 : 0) + " ms"
    }

    /// A latency given in microseconds.
    static func microseconds(_ value: Double) -> String {
        value < 1000 ? digits(value, value < 10 ? 2 : value < 100 ? 1 : 0) + " µs" : milliseconds(value / 1000)
    }

    static func bytes(_ value: Int) -> String {
        value >= 1 << 20
            ? digits(Double(value) / 1e6, value < 10_000_000 ? 1 : 0) + " MB" : digits(Double(value) / 1e3, 0) + " kB"
    }

    /// Cores that others kept busy.
    static func load(_ cores: Double?) -> String { cores.map { digits($0, 1) } ?? "-" }

    static func ratio(_ value: Double) -> String { digits(value, value < 10 ? 2 : 1) + "x" }

    static func percent(_ value: Double) -> String { "±" + digits(value * 100, 0) + "%" }

    /// A number with a fixed number of digits behind the point.
    static func digits(_ value: Double, _ count: Int) -> String { String(format: "%.\(count)f", value) }
}

extension String {
    /// Spaces added behind, up to a width in characters.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: Swift.max(0, width - count)) }

    /// With a capital letter at its beginning.
    var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }

    /// Spaces added before, up to a width in characters.
    func indented(to width: Int) -> String { String(repeating: " ", count: Swift.max(0, width - count)) + self }
}
