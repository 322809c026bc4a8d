import TableKit

/// Applies an offset and a limit to the rows of a source.
final class LimitedRows: RowSource {
    private let source: any RowSource
    private var skip: Int
    private var left: Int

    init(_ source: any RowSource, _ limit: RowLimit) {
        self.source = source
        skip = max(limit.skip, 0)
        left = limit.count.map { max($0, 0) } ?? .max
    }

    func forEach(_ body: (RawSpan, RawSpan) throws -> Bool) throws {
        if left == 0 { return }
        try source.forEach { key, row in
            if skip > 0 {
                skip -= 1
                return true
            }
            left -= 1
            return try body(key, row) && left > 0
        }
    }
}
