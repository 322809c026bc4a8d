/// The plan of a query as a tree of steps. `description` prints one line for each step.
public struct QueryPlan: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The operation: "point", "range of index …", "walk of …", "filter", "sort", "join …".
    public var step: String
    /// The operands: ranges, conditions, columns.
    public var detail: String
    /// The estimated number of rows returned.
    public var estimatedRows: Int
    /// The actual number of rows returned, if the step ran.
    public var actualRows: Int?
    /// The number of rows or index entries read before the filter, if the step ran.
    public var rowsRead: Int?
    /// The time that the step and its inputs took, in seconds, if it ran.
    public var seconds: Double?
    /// The steps that supply the rows.
    public var inputs: [QueryPlan]
    /// Advice that would make the query cheaper: an index to add.
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

    /// The steps as indented lines with their counts, each above its inputs.
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

    /// The measured part of a line.
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
