import Foundation
import Siltstone
import TableKit
import Testing

@testable import SiltstoneTables

/// Sorts and sets that do not fit into memory, of values that are longer than a key of a store.
struct LongKeyTests {
    private static let mostBytes = 1_000

    /// Runs a query by each of its plans, in that little memory. The results are the evaluation's, in its order.
    private func check(_ query: Query, in tables: TestTables) throws {
        let executor = tables.executor(mostBytes: Self.mostBytes)
        let expected = tables.expected(query)
        for plan in try executor.plans(for: query).indices {
            var query = query
            query.forcedPlan = plan
            // Not the results, which are long: a failure prints what it compares.
            let found = try tables.found(query, by: executor)
            #expect(found.count == expected.count, "plan \(plan)")
            #expect(zip(found, expected).first { $0 != $1 } == nil, "plan \(plan)")
            #expect(try executor.count(query) == expected.count, "plan \(plan)")
        }
    }

    // MARK: DISTINCT

    private static let keyless = TableStructure(
        name: "T", columns: [Column("name", .string), Column("data", .bytes)], primaryKey: [])

    /// Long rows, of which some are equal, and some equal in all but their last byte; and short ones.
    private static let equalRows: [[ColumnValue]] = {
        let long = { (length: Int, last: UInt8) -> ColumnValue in
            .bytes([UInt8](repeating: 7, count: length) + [last])
        }
        let limit = Limits.keyBytes
        let lengths = [100_000, 100_000, 200_000] + (limit - 12...limit - 10) + (limit - 3...limit + 2)
        let rows: [[ColumnValue]] = lengths.flatMap { length in
            [1, 2, 1, 3, 2].map { [.text("a"), long(length, $0)] }
        }
        return rows + [[.text("a"), .bytes([])], [.text("b"), .bytes([])], [.text("a"), .bytes([])]] + rows.prefix(9)
    }()

    @Test func `rows without a key come once, however long they are`() throws {
        let tables = try TestTables([TestTable(Self.keyless, Self.equalRows)])
        var query = Query(Self.keyless)
        // In the order of their numbers, as the evaluation has them.
        try check(query, in: tables)
        #expect(try tables.executor(mostBytes: Self.mostBytes).count(query) == 11 * 3 + 2)
        query.limit = RowLimit(count: 10, skip: 20)
        try check(query, in: tables)
    }

    @Test func `parents without a key come once behind a join, however long they are`() throws {
        let child = TableStructure(
            name: "C", columns: [Column("id", .int64), Column("name", .string)], primaryKey: [0])
        let children = (1...4).map { [ColumnValue.integer(Int64($0)), .text("a")] }
        let tables = try TestTables([TestTable(Self.keyless, Self.equalRows), TestTable(child, children)])
        var query = Query(Self.keyless)
        query.sources.append(child)
        query.joins = [JoinClause(property: "children", source: 1, on: 0, equals: 1)]
        query.predicate = .compare(ColumnReference(source: 1, column: 0), .greater, .integer(2))
        try check(query, in: tables)
    }

    @Test func `long keys of one hash are different keys of a set`() throws {
        let store = try ScratchStore()
        let keys = (0..<5).map { [UInt8](repeating: 1, count: Limits.keyBytes) + [UInt8($0)] }
        for key in keys { #expect(try store.insert(long: key, hash: 17)) }
        for key in keys { #expect(try !store.insert(long: key, hash: 17)) }
        #expect(try store.insert(long: keys[0], hash: 18))
    }

    // MARK: Order

    /// Sorts rows with these values by them, in both directions.
    private func checkOrder(of values: [ColumnValue], _ type: ColumnType) throws {
        let table = TableStructure(
            name: "T", columns: [Column("id", .int64), Column("value", type, isOptional: true)], primaryKey: [0])
        let rows = (values + values.reversed()).enumerated().map { [.integer(Int64($0)), $1] }
        let tables = try TestTables([TestTable(table, rows)])
        for isDescending in [false, true] {
            var query = Query(table)
            query.order = [OrderTerm(column: 1, isDescending: isDescending)]
            try check(query, in: tables)
        }
    }

    @Test func `texts are sorted by all of their bytes, however long they are`() throws {
        let cut = SpilledEntry.mostBytes
        var texts = ["", "a", "b", "é", "a\0", "a\0b"]
        // The terms have a byte before the text, and two behind it; a key of a row has nine more at most.
        texts += (Array(cut - 13...cut - 11) + (cut - 4...cut + 1)).map { String(repeating: "m", count: $0) }
        for tail in ["", "\0", "\0\0", "a", "z", "zz"] {
            texts += [cut, cut + 5_000, 2 * cut + 10].map { String(repeating: "m", count: $0) + tail }
            texts.append(String(repeating: "\0", count: cut / 2 + 3) + tail)
        }
        try checkOrder(of: texts.map { .text($0) } + [.null, .null], .string)
    }

    @Test func `bytes FF are sorted as others are`() throws {
        let cut = SpilledEntry.mostBytes
        let lengths = [0, 1, cut - 1, cut, cut + 1, 2 * cut, 3 * cut]
        try checkOrder(
            of: lengths.flatMap { length in
                [[], [0], [0xFE], [0xFF, 1]].map { .bytes([UInt8](repeating: 0xFF, count: length) + $0) }
            }, .bytes)
    }

    @Test func `rows of equal terms are in the order of their keys, also where a key is long`() throws {
        let table = TableStructure(
            name: "T", columns: [Column("id", .string), Column("value", .string)], primaryKey: [0])
        // Row keys of up to the store's limit: four bytes of a prefix, a tag, the text and its end.
        let most = Limits.keyBytes - 6
        let ids = [most, most - 1, most - 500, 100].flatMap { length in
            ["a", "b", "c"].map { String(repeating: "k", count: length - 1) + $0 }
        }
        let values = ["v", String(repeating: "v", count: 1_000)]
        let rows = ids.sorted().enumerated().map { [ColumnValue.text($1), .text(values[$0 % 2])] }
        let tables = try TestTables([TestTable(table, rows)])
        for isDescending in [false, true] {
            var query = Query(table)
            query.order = [OrderTerm(column: 1, isDescending: isDescending)]
            try check(query, in: tables)
        }
    }

    @Test func `groups of equal values are sorted by long ones`() throws {
        let table = TableStructure(
            name: "T", columns: [Column("id", .int64), Column("group", .int64), Column("value", .string)],
            primaryKey: [0])
        let rows = (0..<24).map { number -> [ColumnValue] in
            let text = String(repeating: "m", count: 70_000) + "\(number * 7 % 24)"
            return [.integer(Int64(number)), .integer(Int64(number % 3)), .text(text)]
        }
        let tables = try TestTables([TestTable(table, rows, indexes: [([1], false)])])
        var query = Query(table)
        query.order = [OrderTerm(column: 1), OrderTerm(column: 2, isDescending: true)]
        try check(query, in: tables)
        query.limit = RowLimit(count: 5, skip: 6)
        try check(query, in: tables)
    }

    @Test func `a sort of values of any length opens one scratch store`() throws {
        // 64 times as long as a key, and equal up to their ends.
        let value = [UInt8](repeating: 5, count: 64 * SpilledEntry.mostBytes)
        for numbers: [UInt8] in [[1], [3, 1, 2]] {
            var sorter = RowSorter(mostBytes: Self.mostBytes)
            for number in numbers {
                let key = [number], row = [number, 0]
                try sorter.add(value + [0, 0], key.span.bytes, row.span.bytes)
            }
            let sorted = try sorter.finish()
            var found: [UInt8] = []
            try sorted.forEach { key, row in
                found.append(key.unsafeLoad(fromByteOffset: 0, as: UInt8.self))
                #expect(key.byteCount == 1 && row.byteCount == 2)
                // Other tests have some open at the same time.
                let open = try openScratchStores()
                #expect(open < 32)
                return true
            }
            #expect(found == numbers.sorted())
        }
    }

    /// The number of scratch stores of which this process has files open. Zero where the system does not tell.
    private func openScratchStores() throws -> Int {
        let files = FileManager.default
        let directory = "/proc/self/fd"
        guard files.fileExists(atPath: directory) else { return 0 }
        let paths = try files.contentsOfDirectory(atPath: directory).compactMap { name -> String? in
            // Closed meanwhile, by another thread.
            guard let path = try? files.destinationOfSymbolicLink(atPath: "\(directory)/\(name)") else { return nil }
            return path.split(separator: "/").map(String.init).first { $0.hasPrefix("siltstone-scratch-") }
        }
        return Set(paths).count
    }

    @Test func `a sort on disk goes on where it was stopped`() throws {
        let table = TableStructure(
            name: "T", columns: [Column("id", .int64), Column("value", .string)], primaryKey: [0])
        var sorter = RowSorter(mostBytes: Self.mostBytes)
        let shape = TestTable(table, []).description(1)
        let values = (0..<40).map { String(repeating: "m", count: $0 % 4 == 0 ? 10 : 70_000) + "\($0 % 10)" }
        for (number, value) in values.enumerated() {
            var row = RowBuffer()
            try row.append([.integer(Int64(number)), .text(value)], layout: shape.newestLayout)
            let key: [UInt8] = [UInt8(number)]
            try row.withRow(0) { try sorter.add([UInt8](value.utf8) + [0, 0], key.span.bytes, $0) }
        }
        #expect(sorter.hasSpilled)
        let sorted = try sorter.finish()
        var found: [UInt8] = []
        while true {
            let before = found.count
            // Three at a time.
            try sorted.forEach { key, _ in
                found.append(key.unsafeLoad(fromByteOffset: 0, as: UInt8.self))
                return found.count % 3 != 0
            }
            if found.count == before { break }
        }
        let expected = values.indices.sorted { (values[$0], $0) < (values[$1], $1) }
        #expect(found.map(Int.init) == expected)
    }
}
