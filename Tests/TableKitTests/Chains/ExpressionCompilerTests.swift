import Foundation
import Testing

@testable import TableKit

private struct Parent: Codable {
    let id: Int
    let name: String?
    let born: Date?
    let isOld: Bool
    let children: [Child]?
}

private struct Child: Codable {
    let id: UUID
    let parentId: Int?
    let age: Int8
}

private struct Stranger: Codable { let id: Int }

private typealias Predicate = TableKit.Predicate

/// Expressions become predicates.
struct ExpressionCompilerTests {
    private func predicate(_ condition: any CRUDBooleanExpression) throws -> Predicate {
        try ExpressionCompiler(
            sources: [TableStructure.of(Parent.self), TableStructure.of(Child.self)], types: [Parent.self, Child.self]
        ).predicate(condition.crudExpression)
    }

    private let id = ColumnReference(source: 0, column: 0), name = ColumnReference(source: 0, column: 1)
    private let parentId = ColumnReference(source: 1, column: 1), age = ColumnReference(source: 1, column: 2)

    @Test("columns are numbers of the type that the key path roots in")
    func columns() throws {
        #expect(try predicate(\Parent.id == 5) == .compare(id, .equal, .integer(5)))
        #expect(try predicate(\Child.age < 300) == .compare(age, .less, .integer(300)))
        #expect(try predicate(\Parent.id == \Child.parentId!) == .compareColumns(id, .equal, parentId))
        #expect(
            try predicate(CRUDExpression.equality(lhs: .column("age"), rhs: .integer8(3)))
                == .compare(age, .equal, .integer(3)))
    }

    @Test("thousands of conditions are joined, compiled and released on a small stack", arguments: [true, false])
    func chains(isOr: Bool) async throws {
        for isLeft in [true, false] {
            let thread = Thread { [self] in
                var condition: any CRUDBooleanExpression = \Parent.id == 0
                for number in 1..<20_000 {
                    let next: any CRUDBooleanExpression = \Parent.id == number
                    let (lhs, rhs) = isLeft ? (condition, next) : (next, condition)
                    condition = isOr ? lhs || rhs : lhs && rhs
                }
                let numbers = isLeft ? Array(0..<20_000) : (0..<20_000).reversed()
                let parts = numbers.map { Predicate.compare(id, .equal, .integer(Int64($0))) }
                let compiled = Result { try predicate(condition) }
                #expect((try? compiled.get()) == (isOr ? .or(parts) : .and(parts)))
            }
            // As much as a thread of Dispatch has.
            thread.stackSize = 512 << 10
            thread.start()
            while !thread.isFinished { try await Task.sleep(for: .milliseconds(1)) }
        }
    }

    @Test("a value before its column is the mirrored comparison")
    func mirrored() throws {
        let path: AnyKeyPath = \Parent.id
        #expect(
            try predicate(CRUDExpression.lessThan(lhs: .integer(5), rhs: .keyPath(path)))
                == .compare(id, .greater, .integer(5)))
        #expect(try predicate(CRUDExpression.lessThan(lhs: .integer(5), rhs: .integer(6))) == .constant(true))
    }

    @Test("NULL is IS NULL beside == and !=, and unknown beside the rest")
    func null() throws {
        #expect(try predicate(\Parent.name == nil) == .isNull(name))
        #expect(try predicate(\Parent.name != nil) == .not(.isNull(name)))
        #expect(try predicate(\Parent.name < nil) == .constant(nil))
    }

    @Test("a lazy value is asked when the predicate is made; null makes IS NULL")
    func lazy() throws {
        let path: AnyKeyPath = \Parent.name
        func condition(_ value: CRUDExpression) -> CRUDExpression {
            .equality(lhs: .keyPath(path), rhs: .lazy { value })
        }
        #expect(try predicate(condition(.null)) == .isNull(name))
        #expect(try predicate(condition(.string("a"))) == .compare(name, .equal, .text("a")))
    }

    @Test("conjuncts and disjuncts of one kind are one list")
    func lists() throws {
        let a = Predicate.compare(id, .equal, .integer(1)), b = Predicate.compare(age, .equal, .integer(2))
        let first = \Parent.id == 1, second = \Child.age == 2
        #expect(try predicate(first && second && first) == .and([a, b, a]))
        #expect(try predicate(first || (second || first)) == .or([a, b, a]))
        #expect(try predicate(first && (second || first)) == .and([a, .or([b, a])]))
        #expect(try predicate(!(first && second)) == .not(.and([a, b])))
    }

    @Test("lists and patterns keep their values")
    func lists2() throws {
        #expect(try predicate(\Child.age ~ [1, 300]) == .isIn(age, [.integer(1), .integer(300)]))
        #expect(try predicate(\Parent.name !~ ["a"]) == .not(.isIn(name, [.text("a")])))
        #expect(try predicate(\Parent.name =% "a_%") == .like(name, LikePattern("a_%", .atStart)))
        #expect(try predicate(\Parent.name %!= "a") == .not(.like(name, LikePattern("a", .atEnd))))
    }

    @Test("a Bool column is a condition by itself, and so is a literal")
    func bools() throws {
        let path: AnyKeyPath = \Parent.isOld
        let isOld = ColumnReference(source: 0, column: 3)
        #expect(try predicate(CRUDExpression.keyPath(path)) == .compare(isOld, .equal, .bool(true)))
        #expect(try predicate(CRUDExpression.bool(false)) == .constant(false))
        #expect(throws: CRUDSQLGenError.self) { try predicate(CRUDExpression.integer(1)) }
    }

    @Test("what names no column of the query is refused")
    func refusals() throws {
        let error = #expect(throws: CRUDSQLGenError.self) { try predicate(\Stranger.id == 1) }
        #expect(error?.message.contains("Stranger") == true)
        let array: AnyKeyPath = \Parent.children
        #expect(throws: CRUDSQLGenError.self) {
            try predicate(CRUDExpression.equality(lhs: .keyPath(array), rhs: .null))
        }
        #expect(throws: CRUDSQLGenError.self) {
            try predicate(CRUDExpression.equality(lhs: .column("nothing"), rhs: .null))
        }
    }

    @Test("the text of a query reads like SQL")
    func text() throws {
        var query = Query(try TableStructure.of(Parent.self))
        query.predicate = .and([.compare(id, .greaterOrEqual, .integer(5)), .not(.isNull(name))])
        query.order = [OrderTerm(column: 1, isDescending: true)]
        query.limit = RowLimit(count: 3, skip: 1)
        #expect(
            "\(query)"
                == "SELECT * FROM Parent WHERE (id >= 5 AND NOT (name IS NULL)) ORDER BY name DESC LIMIT 3 OFFSET 1")
    }
}
