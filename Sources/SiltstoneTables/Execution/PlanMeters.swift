import TableKit

/// Counts and times one step of a running plan.
final class StepMeter {
    /// The number of rows returned.
    var rows = 0
    /// The time of the step and its inputs, without the steps that consume its rows.
    var time = Duration.zero
}

/// Counts and times the steps of a plan.
final class PlanMeters {
    /// The rows or entries read for the parents, before the filter.
    let read = StepMeter()
    /// The parents after the filter.
    let path = StepMeter()
    let ordering = StepMeter()
    let distinct = StepMeter()
    let limit = StepMeter()
    /// The look-up of each join.
    let joins: [StepMeter]
    /// The whole query, counted in parents.
    let result = StepMeter()

    init(joins: Int) { self.joins = (0..<joins).map { _ in StepMeter() } }
}

/// Counts and times the rows of a source.
final class MeteredRows: RowSource {
    private let source: any RowSource
    private let meter: StepMeter

    init(_ source: any RowSource, _ meter: StepMeter) {
        self.source = source
        self.meter = meter
    }

    func forEach(_ body: (RawSpan, RawSpan) throws -> Bool) throws {
        let clock = ContinuousClock()
        let start = clock.now
        var above = Duration.zero
        defer { meter.time += start.duration(to: clock.now) - above }
        try source.forEach { key, row in
            meter.rows += 1
            let handed = clock.now
            defer { above += handed.duration(to: clock.now) }
            return try body(key, row)
        }
    }
}

/// Filters the rows of a source. A separate step, so that rows are counted before and after the filter.
final class FilteredRows: RowSource {
    private let source: any RowSource
    private let filter: RowFilter

    init(_ source: any RowSource, _ filter: RowFilter) {
        self.source = source
        self.filter = filter
    }

    func forEach(_ body: (RawSpan, RawSpan) throws -> Bool) throws {
        try source.forEach { key, row in try filter.accepts(row) ? try body(key, row) : true }
    }
}

extension PlanRunner {
    /// The rows of the parents' path. If the plan is measured, with meters around the read and the filter.
    func parentRows(_ path: AccessPath, of table: TableAccess, isReverse: Bool, wanted: Int? = nil) -> any RowSource {
        guard let meters else { return source(path, of: table, isReverse: isReverse, wanted: wanted) }
        guard !path.isUnion else { return metered(source(path, of: table), meters.path) }
        var bare = path
        bare.filter = .always
        let read = MeteredRows(source(bare, of: table, isReverse: isReverse, wanted: wanted), meters.read)
        return MeteredRows(FilteredRows(read, RowFilter(path.filter, shape: table.shape)), meters.path)
    }

    /// The rows, with a meter if the plan is measured.
    func metered(_ rows: any RowSource, _ meter: StepMeter?) -> any RowSource {
        meter.map { MeteredRows(rows, $0) } ?? rows
    }
}

extension QueryExecutor {
    /// Runs a query to its end, and describes its plan with the measurements of each step.
    func explainRunning(_ query: Query) throws -> QueryPlan {
        let bound = try BoundQuery(query, in: catalogue)
        let plan = try Planner(bound, reader).plan(isEstimated: true)
        let meters = PlanMeters(joins: bound.joins.count)
        var runner = PlanRunner(reader: reader, mostBytes: mostBytes)
        runner.meters = meters
        let clock = ContinuousClock()
        let start = clock.now
        let stream: any RowStream =
            bound.joins.isEmpty
            ? QueryStream(try runner.limitedParents(bound, plan), shape: bound.tables[0].shape)
            : try JoinStream(bound, plan, runner)
        while let batch = try stream.next() { meters.result.rows += batch.rows.count }
        meters.result.time = start.duration(to: clock.now)
        return PlanDescription(bound: bound, meters: meters).describe(plan)
    }
}
