import Foundation
import Siltstone
import SiltstoneTables
import Testing

@testable import CrashChild

/// A child process changes a table with indexes, is killed at any moment, and is followed by another one on the same store.
struct TableKillTests {
    /// The rows that a lane is to have after its first so many steps.
    private struct LaneModel: Sendable {
        let lane: Int
        var steps = 0
        var rows: [Int: LifeRow] = [:]

        init(_ lane: Int) { self.lane = lane }

        mutating func advance() {
            TableLife.apply(steps, of: lane, to: &rows)
            steps += 1
        }
    }

    @Test(
        "after each kill acknowledged transactions are there, the one in flight wholly or not, and indexes equal rows")
    func kills() async throws {
        let kills = SuiteScale.count(4, thorough: 60)
        let transactions = try await OwnThread.run { try Self.attack(kills: kills) }
        #expect(transactions > 0)
        SuiteScale.report("kills, tables", ["kills": kills, "transactions": transactions])
    }

    private static func attack(kills: Int) throws -> Int {
        let directory = FileManager.default.temporaryDirectory.path + "/siltstone-tables-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        var random = SplitMix64(seed: SuiteScale.seed)
        var models = (0..<TableLife.lanes).map { LaneModel($0) }
        for round in 0..<kills {
            let path = directory + "/journal"
            let journal = try CrashJournal(path: path, isNew: true)
            let child = try CrashChildProcess(
                ["tables", directory + "/store", path] + models.map { String($0.steps) }, journal: journal,
                errors: path + ".errors")
            let goal = random.next() % 120
            try child.wait { $0.acknowledged(lane: round % TableLife.lanes) >= goal }
            usleep(UInt32(random.next() % 2_000))
            child.kill()
            try child.checkKilled()
            do { try check(directory + "/store", journal, &models) } catch {
                throw CrashFailure("round \(round), store left in \(directory): \(error)")
            }
        }
        try FileManager.default.removeItem(atPath: directory)
        return models.reduce(0) { $0 + $1.steps }
    }

    private static func check(_ store: String, _ journal: CrashJournal, _ models: inout [LaneModel]) throws {
        let isMade = FileManager.default.fileExists(atPath: store + "/CURRENT")
        let hasBegun = (0..<TableLife.lanes).contains { journal.begun(lane: $0) > 0 }
        guard isMade else { return try CrashFailure.require(!hasBegun, "a store that was written to is not there") }
        let db = Database(
            configuration: try SiltstoneDatabaseConfiguration(store, configuration: TableLife.configuration))
        let problems = try db.verify()
        try CrashFailure.require(problems.isEmpty, "verify finds \(problems.prefix(3))")
        let tables = try db.tables()
        guard !tables.isEmpty else { return try CrashFailure.require(!hasBegun, "the table is gone") }
        let all = try db.table(LifeRow.self).all()
        for lane in models.indices {
            let found = Dictionary(
                uniqueKeysWithValues: all.filter { TableLife.lane(of: $0) == lane }.map { ($0.id, $0) })
            for _ in 0..<journal.acknowledged(lane: lane) { models[lane].advance() }
            if found != models[lane].rows, journal.begun(lane: lane) > journal.acknowledged(lane: lane) {
                models[lane].advance()
            }
            try CrashFailure.require(found == models[lane].rows, "lane \(lane) has other rows than it should")
        }
        try db.close()
    }
}
