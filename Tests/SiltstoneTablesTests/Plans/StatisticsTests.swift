import Siltstone
import TableKit
import Testing

@testable import SiltstoneTables

private struct Visit: Codable, Sendable {
    var id: Int
    var city: String
    var day: Int?
    var minute: Int
}

/// Statistics of columns.
struct StatisticsTests {
    private let store: KeyValueStore
    private let db: Database<SiltstoneDatabaseConfiguration>
    private let visits: Table<Visit, Database<SiltstoneDatabaseConfiguration>>

    /// 4,000 visits: nine of ten in one city, the rest spread over 40; each tenth without a day; minutes from 0 to 3,999.
    init() throws {
        store = try KeyValueStore.inMemory()
        db = Database(configuration: try SiltstoneDatabaseConfiguration(store: store))
        visits = try db.create(Visit.self)
        try visits.index(\.city, \.day)
        try visits.index(\.minute)
        try visits.insert(
            (0..<4000).map { number in
                Visit(
                    id: number, city: number % 10 == 0 ? "c\(number / 10 % 40)" : "Rome",
                    day: number % 10 == 5 ? nil : number % 7, minute: number)
            })
    }

    private func statistics() throws -> [String: IndexStatistics] {
        let engine = try #require(db.engine as? SiltstoneEngine)
        let table = try #require(engine.catalogues.newest.tables["Visit"])
        let found = try #require(table.statistics)
        #expect(found.rows == 4000)
        var named: [String: IndexStatistics] = ["id": try #require(found.indexes[KeySpace.rowsNumber])]
        for index in table.indexes {
            named[table.columns[index.columns[0]].column.name] = found.indexes[index.description.id]
        }
        return named
    }

    @Test("analyze counts entries, different values and NULLs, and finds frequent values and the spread")
    func found() throws {
        try visits.index(\.day)
        try db.analyze()
        let found = try statistics()
        let city = try #require(found["city"]), day = try #require(found["day"]), id = try #require(found["id"])
        #expect(city.entries == 4000 && city.nulls == 0)
        #expect(city.distinct[0] == 41)
        #expect(city.common.map(\.value) == [KeyInterval.bytes(.text("Rome"))])
        #expect(city.common.map(\.entries) == [3600])
        #expect(day.nulls == 400 && day.distinct == [8])
        #expect(id.distinct == [4000] && id.common.isEmpty)
        #expect(id.bounds.count == IndexStatistics.mostBounds)
        #expect(
            id.bounds.first == KeyInterval.bytes(.integer(0)) && id.bounds.last == KeyInterval.bytes(.integer(3999)))
        let info = try #require(try db.tables().first?.indexes.first { $0.definition.columns == ["day"] })
        #expect(info.statistics == IndexInfo.Statistics(entries: 4000, nulls: 400, distinctValues: [8]))
    }

    @Test("estimates of conditions are near the truth after analyze")
    func estimates() throws {
        try visits.index(\.day)
        try db.analyze()
        let selectivity = try selectivity()
        func share(_ condition: SiltstoneTables.Condition) -> Double { selectivity.share(condition) }
        func test(_ column: Int, _ test: ColumnTest) -> SiltstoneTables.Condition {
            .test(ColumnReference(column: column), test)
        }
        func isNear(_ share: Double, _ truth: Double) -> Bool { abs(share - truth) < 0.04 }
        #expect(isNear(share(test(1, .compare(.equal, .text("Rome")))), 0.9))
        #expect(share(test(1, .compare(.equal, .text("c7")))) == 10.0 / 4000)
        #expect(isNear(share(test(1, .compare(.notEqual, .text("Rome")))), 0.1))
        #expect(isNear(share(test(1, .like(LikePattern("ro", .atStart)))), 0.9))
        #expect(share(test(2, .isNull)) == 0.1 && isNear(share(test(2, .isNotNull)), 0.9))
        for minute in stride(from: 0 as Int64, through: 4000, by: 250) {
            let below = test(3, .compare(.less, .integer(minute)))
            #expect(isNear(share(below), Double(minute) / 4000), "\(minute)")
            #expect(isNear(share(test(3, .compare(.greaterOrEqual, .integer(minute)))), 1 - Double(minute) / 4000))
        }
        #expect(share(test(3, .isIn([.integer(1), .integer(5), .integer(9)]))) == 3.0 / 4000)
    }

    private func selectivity() throws -> Selectivity {
        let engine = try #require(db.engine as? SiltstoneEngine)
        return try engine.catalogues.newest.access(try TableStructure.of(Visit.self)).selectivity
    }

    @Test("explain shows estimates by statistics; without them, by rules of thumb")
    func explained() throws {
        let query = visits.order(by: \.id).where(\Visit.city == "Rome" && \Visit.minute >= 0)
        let before = try query.explain()
        try db.analyze()
        let after = try query.explain()
        func least(_ plan: QueryPlan) -> Int { plan.inputs.map(least).min() ?? plan.estimatedRows }
        #expect(least(before) < 2000)
        #expect((3000...4000).contains(least(after)))
    }

    @Test("statistics survive a reopening and changes of the schema, and go with the table")
    func kept() throws {
        try db.analyze(Visit.self)
        let before = try statistics()
        let again = try SiltstoneDatabaseConfiguration(store: store).engine
        #expect(again === db.engine)
        #expect(try Catalogue.load(from: store, known: nil).tables["Visit"]?.statistics?.indexes.count == before.count)
        try visits.index(\.day)
        #expect(try statistics()["city"] == before["city"])
        try db.alter(.renameTable("Visit", to: "Stay"))
        #expect(try Catalogue.load(from: store, known: nil).tables["Stay"]?.statistics != nil)
        try db.alter(.dropTable("Stay"))
        #expect(try store.keysWith(KeySpace.allStatistics).isEmpty)
        #expect(try db.verify().isEmpty)
    }

    @Test("statistics that cannot be read are none")
    func damaged() throws {
        try db.analyze()
        let engine = try #require(db.engine as? SiltstoneEngine)
        let table = try #require(engine.catalogues.newest.tables["Visit"])
        let encoded = try #require(table.statistics).encoded
        #expect(TableStatistics(encoded)?.encoded == encoded)
        for count in 0..<encoded.count { #expect(TableStatistics(Array(encoded.prefix(count))) == nil) }
        #expect(TableStatistics(encoded + [0]) == nil)
        #expect(TableStatistics([9] + encoded.dropFirst()) == nil)
        try store.put(KeySpace.statistics(table.id), [1, 2, 3])
        let loaded = try Catalogue.load(from: store, known: nil)
        #expect(loaded.tables["Visit"] != nil && loaded.tables["Visit"]?.statistics == nil)
    }

    @Test("analyze refuses a transaction and a table that is not there; empty tables are analyzed")
    func edges() throws {
        #expect(code { try db.transaction { try db.analyze() } } == .transaction)
        try visits.delete()
        try db.analyze()
        #expect(try visits.where(\Visit.city == "Rome" && \Visit.minute > 3).explain().estimatedRows >= 1)
        try db.drop(Visit.self)
        #expect(code { try db.analyze(Visit.self) } == .noTable)
        try db.analyze()
    }
}

/// explain(analyze:) counts what each step of a plan did.
struct ExplainAnalyzeTests {
    private struct City: Codable { var id: Int, name: String, visits: [Stay]? }
    private struct Stay: Codable { var id: Int, cityId: Int, size: Int }

    private let db: Database<SiltstoneDatabaseConfiguration>

    init() throws {
        db = Database(configuration: try SiltstoneDatabaseConfiguration(store: try KeyValueStore.inMemory()))
        try db.create(City.self)
        try db.table(City.self).insert((0..<10).map { City(id: $0, name: "c\($0)", visits: nil) })
        try db.table(Stay.self).insert((0..<200).map { Stay(id: $0, cityId: $0 % 8, size: $0 % 50) })
    }

    @Test("rows read, rows that match, rows behind the sort and the limit; times that include the steps below")
    func steps() throws {
        let stays = db.table(Stay.self)
        let plan = try stays.order(by: \.size).limit(5, skip: 2).where(\Stay.size < 10).explain(analyze: true)
        var steps: [QueryPlan] = [plan]
        while let next = steps.last?.inputs.first { steps.append(next) }
        #expect(steps.map(\.actualRows) == [5, 7, 40])
        #expect(steps.map(\.rowsRead) == [nil, nil, 200])
        #expect(steps.allSatisfy { ($0.seconds ?? -1) >= 0 })
        #expect(plan.description.contains("40 found of 200 read in "))
        // Without the run nothing is counted.
        #expect(try stays.explain().actualRows == nil)
    }

    @Test("an index reads what it finds")
    func index() async throws {
        let stays = db.table(Stay.self)
        try await stays.index(\.size)
        let plan = try await stays.where(\Stay.size == 7 && \Stay.cityId == 7).explain(analyze: true)
        #expect(plan.rowsRead == 4 && plan.actualRows == 1)
        let none = try await stays.where(\Stay.size == 99).explain(analyze: true)
        #expect(none.actualRows == 0)
    }

    @Test("joins count the rows that they find, and the parents of the result")
    func joins() throws {
        let query = try db.table(City.self).join(\.visits, on: \.id, equals: \.cityId)
        let all = try query.explain(analyze: true)
        #expect(all.actualRows == 10 && all.inputs.last?.actualRows == 200)
        let some = try query.where(\Stay.size == 3).explain(analyze: true)
        #expect(some.actualRows == 4)
    }

    @Test("text: EXPLAIN ANALYZE")
    func text() throws {
        struct Line: Codable { var plan: String }
        let lines = try db.sql("EXPLAIN ANALYZE SELECT * FROM Stay WHERE size < 10", Line.self)
        #expect(lines.first?.plan.contains("40 found of 200 read in") == true)
        _ = try db.sql("EXPLAIN ANALYZE DELETE FROM Stay", Line.self)
        #expect(try db.table(Stay.self).count() == 200)
    }
}
