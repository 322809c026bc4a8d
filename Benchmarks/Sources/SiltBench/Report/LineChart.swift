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
        /// Seconds from 0.
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
        let end = max(lines.flatMap { $0.points.map(\.x) }.max() ?? 1, 1e-9)
        var parts = grid(scale) + ticks(end)
        for line in lines where line.points.count > 1 {
            let points = line.points.filter { $0.y > 0 }.map { (x: x($0.x, end), y: y($0.y, scale)) }
            parts.append(SVG.path(points, "line \(line.engine.rawValue)", title: line.engine.title))
        }
        return parts.joined()
    }

    private func x(_ value: Double, _ end: Double) -> Double {
        Self.left + value / end * (Self.width - Self.left - Self.right)
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

    private func ticks(_ end: Double) -> [String] {
        let base = Self.height - 4
        switch horizontal {
        case .categories(let names):
            return names.enumerated().map { i, name in
                SVG.text(name, x: x(Double(i), end), y: base, i == names.count - 1 ? "end" : "middle")
            }
        case .seconds:
            return [0, end / 2, end].map { value in
                SVG.text(
                    Format.digits(value, end < 1 ? 3 : end < 20 ? 1 : 0), x: x(value, end), y: base,
                    value == end ? "end" : "middle")
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
