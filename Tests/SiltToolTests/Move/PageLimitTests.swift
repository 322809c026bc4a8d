import Testing

@testable import SiltTool

/// Pages of rows and records.
struct PageLimitTests {
    @Test("begin small, grow while rows are small, and never exceed the most rows")
    func growth() {
        var limit = PageLimit(most: 1000)
        #expect(limit.count <= 16)
        for _ in 0..<20 { limit.adapt(largest: 100) }
        #expect(limit.count == 1000)
        #expect(PageLimit(most: 3).count == 3)
    }

    @Test("shrink with the largest row, to one row where that alone is larger than a page")
    func large() {
        var limit = PageLimit(most: 1000)
        for _ in 0..<20 { limit.adapt(largest: 1 << 20) }
        #expect(limit.count == PageLimit.bytes >> 20)
        limit.adapt(largest: 2 * PageLimit.bytes)
        #expect(limit.count == 1)
        limit.adapt(largest: 0)
        #expect(limit.count == 2)
    }
}
