import Foundation

/// Lines over a common axis, one for each engine.
struct LineChart {
    struct Line {
        var engine: EngineKind
        var points: [(x: Double, y: Double)]
    }

    enum Axis {
        /// Names at equal distances.
        case categories([String])
        /// Seconds; logarithmic, since the slowest engine takes many times as long as the fastest.
        case seconds
    }

    private static let (width, height) = (Panel.width, 200.0)
    private static let (left, right, top, bottom) = (52.0, 8.0, 8.0, 20.0)

    let lines: [Line]
    let horizontal: Axis
    /// Of the vertical axis.
    let isLogarithmic: Bool
    /// Of values on the vertical axis.
    let format: (Double) -> String

    /// The chart with a heading; nil where there is nothing to draw.
    func panel(_ title: String, _ note: String) -> Panel? {
        content.map { Panel(title: title, note: note, height: Self.height, content: $0) }
    }

    private var content: String? {
        let ys = lines.flatMap { $0.points.map(\.y) }.filter { $0 > 0 }
        guard let low = ys.min(), let high = ys.max() else { return nil }
        let scale = Scale(low: low, high: high, isLogarithmic: isLogarithmic)
        let xs = lines.flatMap { $0.points.map(\.x) }
        let span = span(xs)
        var parts = grid(scale) + ticks(span)
        for line in lines where line.points.count > 1 {
            let points = line.points.filter { $0.y > 0 }.map { (x: x($0.x, span), y: y($0.y, scale)) }
            parts.append(SVG.path(points, "line \(line.engine.rawValue)", title: line.engine.title))
        }
        return parts.joined()
    }

    /// What the horizontal axis goes over: positions, or decimal logarithms of seconds.
    private func span(_ xs: [Double]) -> ClosedRange<Double> {
        switch horizontal {
        case .categories(let names): return 0...Double(max(1, names.count - 1))
        case .seconds:
            let end = log10(max(xs.max() ?? 1, 1e-6))
            // The first thousandth of the time is of no interest.
            let start = max(end - 3, log10(max(xs.min() ?? 1, 1e-6)))
            return min(start, end - 0.1)...end
        }
    }

    private func x(_ value: Double, _ span: ClosedRange<Double>) -> Double {
        var value = value
        if case .seconds = horizontal { value = max(span.lowerBound, log10(max(value, 1e-9))) }
        let share = (value - span.lowerBound) / (span.upperBound - span.lowerBound)
        return Self.left + share * (Self.width - Self.left - Self.right)
    }

    private func y(_ value: Double, _ scale: Scale) -> Double {
        Self.top + (1 - scale.position(value)) * (Self.height - Self.top - Self.bottom)
    }

    private func grid(_ scale: Scale) -> [String] {
        scale.marks.flatMap { mark in
            let height = y(mark, scale)
            return [
                SVG.line(Self.left, height, Self.width - Self.right, height, "grid"),
                SVG.text(format(mark), x: Self.left - 4, y: height + 4, "end"),
            ]
        }
    }

    private func ticks(_ span: ClosedRange<Double>) -> [String] {
        let base = Self.height - 4
        switch horizontal {
        case .categories(let names):
            return names.enumerated().map { i, name in
                SVG.text(name, x: x(Double(i), span), y: base, i == names.count - 1 ? "end" : "middle")
            }
        case .seconds:
            // None where the axis lies between two powers of ten.
            return stride(from: span.lowerBound.rounded(.up), through: span.upperBound, by: 1).map { decade in
                let value = pow(10, decade)
                return SVG.text(Format.milliseconds(value * 1000), x: x(value, span), y: base, "middle")
            }
        }
    }
}

/// Maps values to `0...1`.
struct Scale {
    private let low: Double
    private let high: Double
    private let isLogarithmic: Bool

    init(low: Double, high: Double, isLogarithmic: Bool) {
        self.isLogarithmic = isLogarithmic
        guard isLogarithmic else {
            self.low = 0
            self.high = high
            return
        }
        // Whole decades: what lies on a line is a power of ten.
        self.low = pow(10, log10(low).rounded(.down))
        let decade = pow(10, log10(high).rounded(.up))
        self.high = decade > self.low ? decade : self.low * 10
    }

    func position(_ value: Double) -> Double {
        isLogarithmic ? log10(value / low) / log10(high / low) : value / high
    }

    /// Values to draw a line at.
    var marks: [Double] {
        guard isLogarithmic else { return (0...4).map { high * Double($0) / 4 } }
        var (marks, mark) = ([Double](), low)
        while mark <= high * 1.001 {
            marks.append(mark)
            mark *= 10
        }
        return marks
    }
}
