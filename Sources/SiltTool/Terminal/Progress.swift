/// A progress line on standard error, redrawn a few times a second. Shown only if standard error is a terminal.
final class Progress {
    /// The time between two redraws, in seconds.
    private static let interval = 0.2

    private let label: String
    private let isVisible: Bool
    private let totalBytes: Int?
    private let started = System.seconds
    private var drawn = 0.0
    private var hasDrawn = false

    /// Creates a line without drawing it.
    /// - Parameters:
    ///   - label: the activity, in one word.
    ///   - totalBytes: the bytes to process; nil if unknown. The bar and the remaining time need it.
    init(_ label: String, totalBytes: Int? = nil, isQuiet: Bool) {
        self.label = label
        self.totalBytes = totalBytes
        isVisible = !isQuiet && System.isTerminal(System.standardError)
    }

    /// Redraws the line if it is due. Reads the clock, so call it once for many records.
    func update(bytes: Int, totalBytes: Int? = nil, records: Int? = nil) {
        guard isVisible else { return }
        let now = System.seconds
        guard now - drawn >= Self.interval else { return }
        drawn = now
        hasDrawn = true
        let line = Self.line(
            label, bytes: bytes, totalBytes: totalBytes ?? self.totalBytes, records: records, seconds: now - started,
            bar: Bar(width: 14, isUnicode: System.isUnicode))
        let columns = System.columns(System.standardError)
        Terminal.printError("\r" + line.prefix(max(columns - 1, 0)) + "\u{1b}[K")
    }

    /// Erases the line.
    func finish() {
        if hasDrawn { Terminal.printError("\r\u{1b}[K") }
        hasDrawn = false
    }

    deinit { finish() }

    /// The text of the line.
    static func line(
        _ label: String, bytes: Int, totalBytes: Int?, records: Int?, seconds: Double, bar: Bar
    ) -> String {
        var parts = [label]
        let rate = seconds > 0 ? Double(bytes) / seconds : 0
        if let totalBytes, totalBytes > 0 {
            let fraction = min(Double(bytes) / Double(totalBytes), 1)
            parts.append("\(Int(fraction * 100))%".indented(to: 4))
            parts.append("[\(bar.draw(fraction))]")
        }
        if let records { parts.append(HumanUnits.count(records, "record")) }
        parts.append(HumanUnits.bytes(bytes))
        parts.append(HumanUnits.bytes(Int(rate)) + "/s")
        if let totalBytes, rate > 0, bytes < totalBytes {
            parts.append("ETA " + HumanUnits.duration(Double(totalBytes - bytes) / rate))
        }
        return parts.joined(separator: "  ")
    }
}
