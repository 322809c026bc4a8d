/// Concatenates the rows of several sources.
final class SequentialRows: RowSource {
    private var sources: ArraySlice<any RowSource>

    init(_ sources: [any RowSource]) { self.sources = sources[...] }

    func forEach(_ body: (RawSpan, RawSpan) throws -> Bool) throws {
        var isStopped = false
        while let source = sources.first {
            try source.forEach { key, row in
                isStopped = try !body(key, row)
                return !isStopped
            }
            if isStopped { return }
            sources.removeFirst()
        }
    }
}
