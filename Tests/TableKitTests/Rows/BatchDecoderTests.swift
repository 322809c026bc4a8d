import TableKit
import Testing

struct BatchDecoderTests {
    struct Grandchild: Codable, Equatable { var id: Int }
    struct Child: Codable, Equatable {
        var id: Int
        var grandchildren: [Grandchild]?
        var others: [Grandchild]?
    }
    struct Parent: Codable, Equatable {
        var id: Int
        var children: [Child]?
        var more: [Child]?
        var friends: [Parent]?
    }

    private func rows<T: Codable>(_ items: [T]) throws -> (RowBuffer, RowShape) {
        (try RowCoding.rows(items), RowShape(try TableStructure.of(T.self)))
    }

    private func joined<T: Codable>(_ items: [T], _ members: [[Int32]]) throws -> JoinedRows {
        let (rows, shape) = try rows(items)
        var joined = JoinedRows(shape: shape)
        joined.rows = rows
        for member in members {
            joined.members += member
            joined.ends.append(joined.members.count)
        }
        return joined
    }

    private func query(_ joins: [(property: String, parent: Int, type: any Codable.Type)]) throws -> Query {
        var query = Query(try TableStructure.of(Parent.self))
        for join in joins {
            query.sources.append(try TableStructure.of(any: join.type))
            query.joins.append(
                JoinClause(
                    property: join.property, parent: join.parent, source: query.sources.count - 1, on: 0, equals: 0))
        }
        return query
    }

    @Test func joinsFillTheirArraysAndGrandchildrenTheirs() throws {
        let query = try query([
            ("children", 0, Child.self), ("grandchildren", 1, Grandchild.self), ("friends", 0, Parent.self),
        ])
        let decoder = BatchDecoder<Parent>(
            query,
            children: [ChildDecoder.of(Child.self), ChildDecoder.of(Grandchild.self), ChildDecoder.of(Parent.self)])
        var batch = RowBatch(shape: RowShape(query.sources[0]))
        batch.rows = try rows([Parent(id: 1), Parent(id: 2), Parent(id: 3)]).0
        batch.joined = [
            // The second child belongs to two parents; the second parent has none.
            try joined([Child(id: 10), Child(id: 11)], [[1, 0], [], [1]]),
            try joined([Grandchild(id: 100), Grandchild(id: 101)], [[], [0, 1]]),
            try joined([Parent(id: 3)], [[0], [], []]),
        ]
        let first = Child(id: 10, grandchildren: [])
        let second = Child(id: 11, grandchildren: [Grandchild(id: 100), Grandchild(id: 101)])
        var items: [Parent] = []
        for _ in 0..<2 { try decoder.decode(batch, into: &items) }
        let expected = [
            Parent(id: 1, children: [second, first], friends: [Parent(id: 3)]),
            Parent(id: 2, children: [], friends: []), Parent(id: 3, children: [second], friends: []),
        ]
        #expect(items == expected + expected)
    }

    @Test func aDecoderKeepsNothingOfTheQueryBefore() throws {
        let (rows, shape) = try rows([Parent(id: 1)])
        for isJoined in [true, false, true] {
            let query = try query(isJoined ? [("more", 0, Child.self)] : [])
            var batch = RowBatch(shape: shape)
            batch.rows = rows
            if isJoined { batch.joined = [try joined([Child(id: 1)], [[0]])] }
            var items: [Parent] = []
            try BatchDecoder<Parent>(query, children: isJoined ? [ChildDecoder.of(Child.self)] : [])
                .decode(batch, into: &items)
            #expect(items == [Parent(id: 1, more: isJoined ? [Child(id: 1)] : nil)])
        }
    }

    @Test func membersThatAreNoRowsThrow() throws {
        let query = try query([("children", 0, Child.self)])
        let decoder = BatchDecoder<Parent>(query, children: [ChildDecoder.of(Child.self)])
        let damaged: [(inout JoinedRows) -> Void] = [
            { $0.members = [5] }, { $0.members = [-1] }, { $0.ends = [9] }, { $0.ends = [-1] }, { $0.ends = [] },
        ]
        for damage in damaged {
            var batch = RowBatch(shape: RowShape(query.sources[0]))
            batch.rows = try rows([Parent(id: 1)]).0
            batch.joined = [try joined([Child(id: 1)], [[0]])]
            damage(&batch.joined[0])
            var items: [Parent] = []
            #expect(throws: CRUDDecoderError.self) { try decoder.decode(batch, into: &items) }
        }
    }
}
