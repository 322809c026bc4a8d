import Foundation

/// How far the attacks go, from where, and how they say what they did.
///
/// There are three forms. `swift test` alone is the quick one. `SILTSTONE_THOROUGH=1` tries several times as much.
/// `SILTSTONE_LONG=M` tries all there is, and lets every random attack go on for `M` minutes. `SILTSTONE_SEED` starts the
/// random ones from another seed; failures print theirs.
enum SuiteScale {
    private static let environment = ProcessInfo.processInfo.environment

    /// How long the long form of an attack goes on, in seconds; nil for the quick form.
    static let longSeconds: Double? = environment["SILTSTONE_LONG"].map { (Double($0) ?? 1) * 60 }

    static var isLong: Bool { longSeconds != nil }

    /// Whether this is the thorough form. The long form is thorough, too.
    static let isThorough = isLong || environment["SILTSTONE_THOROUGH"].map { $0 != "0" } ?? false

    /// How much of something to try.
    /// - Parameters:
    ///   - quick: in the quick form.
    ///   - thorough: in the thorough form.
    ///   - long: in the long form, where that is more.
    static func count<N>(_ quick: N, thorough: N, long: N? = nil) -> N {
        isLong ? long ?? thorough : isThorough ? thorough : quick
    }

    /// Where random attacks start.
    static let seed: UInt64 = environment["SILTSTONE_SEED"].flatMap(parse) ?? 0x511_7570

    /// When an attack that began now has to end in its long form; nil for the quick form.
    static func deadline() -> Date? { longSeconds.map { Date(timeIntervalSinceNow: $0) } }

    /// What to run to see a failure again.
    /// - Parameters:
    ///   - test: a filter that picks the test.
    ///   - seed: the seed of the failing round.
    static func replay(_ test: String, seed: UInt64) -> String {
        let form = isLong ? "SILTSTONE_LONG=1 " : isThorough ? "SILTSTONE_THOROUGH=1 " : ""
        return "again: \(form)SILTSTONE_SEED=\(seed) swift test --filter \(test)"
    }

    /// Prints how much an attack has tried: one line that begins with `attack:`.
    static func report(_ attack: String, _ figures: KeyValuePairs<String, Int>) {
        report(attack, figures.map { ($0.key, $0.value) })
    }

    /// Prints how much an attack has tried, of kinds that are known only then.
    static func report(_ attack: String, _ figures: [(String, Int)]) {
        let text = figures.map { "\(grouped($0.1)) \($0.0)" }.joined(separator: ", ")
        print("attack: \(attack): \(text)")
    }

    private static func parse(_ text: String) -> UInt64? {
        text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
    }

    private static func grouped(_ number: Int) -> String {
        var digits = String(number)
        var groups: [String] = []
        while digits.count > 3 {
            groups.insert(String(digits.suffix(3)), at: 0)
            digits.removeLast(3)
        }
        return ([digits] + groups).joined(separator: ",")
    }
}
