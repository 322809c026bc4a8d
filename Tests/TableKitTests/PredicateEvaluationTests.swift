import TableKit
import Testing

struct PredicateEvaluationTests {
    private let column = ColumnReference(column: 0)

    private func evaluate(_ predicate: Predicate, _ value: ColumnValue) -> Bool? { predicate.evaluate { _ in value } }

    @Test func comparisonsWithNullAreUnknownAndSoAreTheirNegations() {
        let equals = Predicate.compare(column, .equal, .integer(1))
        #expect(evaluate(equals, .null) == nil)
        #expect(evaluate(.not(equals), .null) == nil)
        #expect(evaluate(.isNull(column), .null) == true)
        #expect(evaluate(.not(.isNull(column)), .null) == false)
    }

    @Test func andAndOrHaveThreeValues() {
        let values: [Bool?] = [true, false, nil]
        for left in values {
            for right in values {
                let and: Bool? = left == false || right == false ? false : left == nil || right == nil ? nil : true
                let or: Bool? = left == true || right == true ? true : left == nil || right == nil ? nil : false
                #expect(evaluate(.and([.constant(left), .constant(right)]), .null) == and)
                #expect(evaluate(.or([.constant(left), .constant(right)]), .null) == or)
            }
        }
    }

    @Test func inKnowsNullsAndEmptyLists() {
        #expect(evaluate(.isIn(column, []), .null) == false)
        #expect(evaluate(.not(.isIn(column, [])), .null) == true)
        #expect(evaluate(.isIn(column, [.integer(1)]), .null) == nil)
        #expect(evaluate(.isIn(column, [.integer(1), .null]), .integer(1)) == true)
        #expect(evaluate(.isIn(column, [.integer(2), .null]), .integer(1)) == nil)
        #expect(evaluate(.isIn(column, [.integer(2)]), .integer(1)) == false)
    }

    @Test func numbersOfDifferentTypesAreComparedAsNumbers() {
        #expect(evaluate(.compare(column, .equal, .real(1)), .integer(1)) == true)
        #expect(evaluate(.compare(column, .less, .real(1.5)), .integer(1)) == true)
        #expect(
            evaluate(.compare(column, .equal, .real(9_007_199_254_740_992)), .integer(9_007_199_254_740_993)) == false)
        #expect(evaluate(.compare(column, .greater, .integer(.max)), .unsigned(.max)) == true)
        #expect(evaluate(.compare(column, .equal, .real(-0.0)), .integer(0)) == true)
        #expect(evaluate(.compare(column, .equal, .real(.nan)), .real(.nan)) == true)
        #expect(evaluate(.compare(column, .greater, .real(.infinity)), .real(.nan)) == true)
    }

    @Test(arguments: [
        ("me", LikePattern.Place.anywhere, "nAMEd", true), ("me", .atStart, "Mean", true), ("me", .atEnd, "nomE", true),
        ("me", .atStart, "name", false), ("me", .atEnd, "mean", false), ("", .anywhere, "", true),
        ("", .atEnd, "x", true),
        ("_", .anywhere, "abc", false), ("%", .anywhere, "abc", false), ("é", .whole, "É", false),
        ("AB", .whole, "ab", true),
        ("a%b_c", .wildcards, "AxxbéC", true), ("a%a", .wildcards, "a", false), ("%", .wildcards, "", true),
        ("_", .wildcards, "é", true), ("%ab%ab", .wildcards, "abab", true), ("%a_", .wildcards, "aab", true),
        ("longer", .anywhere, "long", false),
    ]) func patterns(pattern: String, place: LikePattern.Place, text: String, isLike: Bool) {
        #expect(LikePattern(pattern, place).evaluate(.text(text)) == isLike)
        #expect(LikePattern(pattern, place).evaluate(.null) == nil)
    }

    @Test func tuplesThatAreEqualHashTheSame() {
        let same: [[ColumnValue]] = [[.integer(1), .real(0)], [.real(1), .real(-0.0)]]
        #expect(Set(same.map(ValueTuple.init)).count == 1)
        #expect(Set([ValueTuple([.text("é")]), ValueTuple([.text("e\u{301}")])]).count == 2)
        #expect(ValueTuple([.null]) < ValueTuple([.integer(.min)]))
    }
}
