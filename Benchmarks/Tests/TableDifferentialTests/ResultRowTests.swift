#if PEER_SQLITE
import SiltstoneTesting
import TableKit
import Testing

/// What counts as the same answer.
struct ResultRowTests {
    private func rows(_ values: ColumnValue...) -> [ResultRow] { values.map { ResultRow(values: [$0]) } }

    @Test func `order counts only where the query has one`() {
        let (left, right) = (rows(.integer(1), .integer(2)), rows(.integer(2), .integer(1)))
        #expect(!ResultRow.areSame(left, right, isOrdered: true))
        #expect(ResultRow.areSame(left, right, isOrdered: false))
    }

    @Test func `a row more, less or twice is a difference`() {
        let all = rows(.integer(1), .integer(1), .null)
        #expect(!ResultRow.areSame(all, rows(.integer(1), .null), isOrdered: false))
        #expect(!ResultRow.areSame(all, rows(.integer(1), .null, .null), isOrdered: false))
        #expect(ResultRow.isPart(rows(.null, .integer(1), .integer(1)), of: all))
        #expect(!ResultRow.isPart(rows(.null, .null), of: all))
        #expect(!ResultRow.isPart(rows(.integer(2)), of: all))
    }

    @Test func `reals may differ by rounding alone`() {
        #expect(ResultRow.areSame(rows(.real(0.1 + 0.2)), rows(.real(0.3)), isOrdered: true))
        #expect(ResultRow.areSame(rows(.real(.nan)), rows(.null), isOrdered: true))
        #expect(!ResultRow.areSame(rows(.real(0.3)), rows(.real(0.300_001)), isOrdered: true))
        #expect(!ResultRow.areSame(rows(.real(.infinity)), rows(.real(1)), isOrdered: true))
        #expect(!ResultRow.areSame(rows(.real(.infinity)), rows(.real(-.infinity)), isOrdered: true))
    }

    @Test func `arrays of joins are compared in order`() {
        func parent(_ children: [ResultRow]) -> [ResultRow] { [ResultRow(values: [.integer(1)], arrays: [children])] }
        let child = parent(rows(.integer(1), .integer(2)))
        #expect(ResultRow.areSame(child, parent(rows(.integer(1), .integer(2))), isOrdered: false))
        #expect(!ResultRow.areSame(child, parent(rows(.integer(2), .integer(1))), isOrdered: false))
        #expect(!ResultRow.areSame(child, parent([]), isOrdered: false))
    }
}
#endif
