/// A horizontal bar of characters.
struct Bar {
    /// The characters of a full bar.
    var width: Int
    /// Whether to draw eighths of a character with Unicode's block elements, instead of number signs.
    var isUnicode: Bool

    private static let eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

    /// Draws a fraction from 0 to 1, padded to the width. Any fraction above 0 is visible.
    func draw(_ fraction: Double) -> String {
        let fraction = fraction.isFinite ? min(max(fraction, 0), 1) : 0
        let steps = isUnicode ? 8 : 1
        var filled = Int((fraction * Double(width * steps)).rounded())
        if filled == 0, fraction > 0 { filled = 1 }
        let text =
            isUnicode
            ? String(repeating: "█", count: filled / 8) + Self.eighths[filled % 8]
            : String(repeating: "#", count: filled)
        return text.padded(to: width)
    }
}
