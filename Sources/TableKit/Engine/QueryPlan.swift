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
        line += " (about \(estimatedRows) rows\(actualRows.map { ", \($0) found" } ?? ""))"
        var all = [line]
        if let advice { all.append(String(repeating: "  ", count: indent) + "hint: \(advice)") }
        for input in inputs { all += input.lines(indent: indent + 1) }
        return all
    }
}
