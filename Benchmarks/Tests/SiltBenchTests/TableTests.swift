import Foundation
import Synchronization
import Testing

@testable import SiltBench

struct TableTests {
    /// Runs all workloads of a store on few rows, on a thread of its own: they wait for tasks, whose pool must be free.
    /// - Returns: those that were measured.
    private func run<Store: TableStore>(
        _ type: Store.Type, isSynced: Bool = false, lie: ArrayTableStore.Lie? = nil
    ) async throws -> [TableWorkload] {
        try await withCheckedThrowingContinuation { continuation in
            Thread {
                continuation.resume(
                    with: Result {
                        try ArrayTableStore.$lie.withValue(lie) { try Self.runHere(type, isSynced: isSynced) }
                    })
            }.start()
        }
    }

    private static func runHere<Store: TableStore>(_ type: Store.Type, isSynced: Bool) throws -> [TableWorkload] {
        let home = FileManager.default.temporaryDirectory.path + "/silt-bench-tests-\(UUID())"
        defer {
            do { try FileManager.default.removeItem(atPath: home) } catch { Issue.record(error) }
        }
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        var workloads: [TableWorkload] = []
        let run = TableRun<Store>(
            section: Section(
                name: "tables", title: "", kind: .tables, count: 500, isSynced: isSynced, engines: [.siltstone]),
            maker: PlayerMaker(count: 500),
            directory: { name in
                try FileManager.default.createDirectory(
                    atPath: "\(home)/\(name)", withIntermediateDirectories: true)
                return "\(home)/\(name)"
            }, prepare: { _ in },
            report: { workload, course in
                #expect(course.records.allSatisfy { $0.operations > 0 })
                workloads.append(workload)
            })
        try isSynced ? run.allSynced() : run.all()
        return workloads
    }

    private static let workloads: Set<TableWorkload> = Set(TableWorkload.allCases).subtracting([
        .observe, .open, .openStore, .insertEight,
    ])

    @Test("Siltstone reads and leaves what it should, in every workload", arguments: [false, true])
    func siltstone(isSynced: Bool) async throws {
        let measured = try await run(SiltstoneTableStore.self, isSynced: isSynced)
        #expect(Set(measured) == (isSynced ? [.insert, .insertEight] : Self.workloads))
    }

    #if PEER_SQLITE
    @Test("SQLite reads and leaves what it should, in both ways to use it", arguments: [false, true])
    func sqlite(isSynced: Bool) async throws {
        let wanted: Set<TableWorkload> = isSynced ? [.insert, .insertEight] : Self.workloads
        #expect(Set(try await run(SQLiteTableStore.self, isSynced: isSynced)) == wanted)
        let perfect = Set(try await run(PerfectTableStore.self, isSynced: isSynced))
        #expect(perfect == wanted.subtracting([.rowsFast, .joinUnindexed]))
    }
    #endif

    @Test("tables that do all that they should are believed")
    func honest() async throws { #expect(Set(try await run(ArrayTableStore.self)) == Self.workloads) }

    @Test("tables that do less are found out", arguments: ArrayTableStore.Lie.allCases)
    func lies(lie: ArrayTableStore.Lie) async {
        await #expect(throws: BenchmarkError.self) { try await run(ArrayTableStore.self, lie: lie) }
    }

    @Test("rows are the same each time, and their order of creation, their scores and their parents are permutations")
    func rows() {
        let maker = PlayerMaker(count: 1000)
        #expect(maker.players(0..<1000) == PlayerMaker(count: 1000).players(0..<1000))
        #expect(Set((0..<1000).map { maker.place($0) }) == Set(0..<1000))
        #expect(Set((0..<1000).map { maker.player($0).score }).count == 1000)
        #expect((0..<1000).count { maker.player($0).score < maker.score(below: 0.01) } == 10)
        #expect(
            Dictionary(grouping: maker.members(), by: \.teamId).values.allSatisfy { $0.count == PlayerMaker.teamSize })
    }

    @Test("a store with tables opens, and an observed query gives its new value")
    func openingAndObserving() async throws {
        let home = FileManager.default.temporaryDirectory.path + "/silt-bench-tests-\(UUID())"
        for name in ["opened", "observed"] {
            try FileManager.default.createDirectory(atPath: "\(home)/\(name)", withIntermediateDirectories: true)
        }
        let times = try SiltstoneOpening(directory: home + "/opened", operations: 2).run()
        #expect(times.map(\.0) == [.open, .openStore] && times.allSatisfy { $0.1.count == 2 })
        let course = try await ObservationRun(directory: home + "/observed", changes: 5, rate: 100, isPaced: false)
            .run()
        #expect(course.records.map(\.operations) == [5])
        try FileManager.default.removeItem(atPath: home)
    }
}
