/// How an engine runs a query, as a value: `description` draws it as lines of text.
public struct QueryPlan: Sendable, Hashable, Codable, CustomStringConvertible {
    /// What the step does: "point", "range of index …", "walk of …", "filter", "sort", "join …".
    public var step: String
    /// What it does it with: ranges, conditions, columns.
    public var detail: String
    /// About how many rows it gives.
    public var estimatedRows: Int
    /// How many rows it gave, where it has run.
    public var actualRows: Int?
    /// How many rows or index entries it read for that, before its filter, where it has run.
    public var rowsRead: Int?
    /// How long it ran, with the steps that it takes its rows from.
    public var seconds: Double?
    /// The steps that it takes its rows from.
    public var inputs: [QueryPlan]
    /// What would make the query cheaper: an index to add.
    public var advice: String?

    /// A step.
    public init(
        step: String, detail: String = "", estimatedRows: Int, actualRows: Int? = nil, inputs: [QueryPlan] = [],
        advice: String? = nil
    ) {
        self.step = step
        self.detail = detail
        self.estimatedRows = estimatedRows
        self.actualRows = actualRows
        self.inputs = inputs
        self.advice = advice
    }

    /// The steps, each below the one that takes its rows, with the counts.
    public var description: String { lines(indent: 0).joined(separator: "\n") }

    private func lines(indent: Int) -> [String] {
        var line = String(repeating: "  ", count: indent) + step
        if !detail.isEmpty { line += " \(detail)" }
        line += " (about \(estimatedRows) \(estimatedRows == 1 ? "row" : "rows")\(actual))"
        var all = [line]
        if let advice { all.append(String(repeating: "  ", count: indent) + "hint: \(advice)") }
        for input in inputs { all += input.lines(indent: indent + 1) }
        return all
    }

    /// What the run of the step found.
    private var actual: String {
        guard let actualRows else { return "" }
        let read = rowsRead.map { " of \($0) read" } ?? ""
        return ", \(actualRows) found\(read)" + (seconds.map { " in \(Self.milliseconds($0)) ms" } ?? "")
    }

    /// Milliseconds with three digits behind the point.
    private static func milliseconds(_ seconds: Double) -> String {
        let microseconds = Int(min(max(seconds * 1e6, 0), 1e15).rounded())
        let fraction = String(microseconds % 1000 + 1000).dropFirst()
        return "\(microseconds / 1000).\(fraction)"
    }
}
