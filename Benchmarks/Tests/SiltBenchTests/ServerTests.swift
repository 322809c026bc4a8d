import Foundation
import SiltstoneTables
import TableKit
import Testing

@testable import SiltBench

struct ServerTests {
    private let section = Section(
        name: "servers", title: "", kind: .servers, count: 1000, isSynced: true, engines: [.siltstone])

    /// Runs all workloads on Siltstone, on a thread of its own: they wait for tasks, whose pool must be free.
    /// - Parameter stray: a row that is there before.
    /// - Returns: those that were measured.
    private func run(stray: Player? = nil) async throws -> [ServerWorkload] {
        let section = section
        return try await withCheckedThrowingContinuation { continuation in
            Thread {
                continuation.resume(with: Result { try Self.runHere(section, stray) })
            }.start()
        }
    }

    private static func runHere(_ section: Section, _ stray: Player?) throws -> [ServerWorkload] {
        let home = FileManager.default.temporaryDirectory.path + "/silt-bench-tests-\(UUID())"
        defer {
            do { try FileManager.default.removeItem(atPath: home) } catch { Issue.record(error) }
        }
        let configuration = try SiltstoneDatabaseConfiguration(home)
        if let stray {
            try TableKit.Database(configuration: configuration).create(Player.self).insert(stray)
        }
        var measured: [ServerWorkload] = []
        let run = ServerRun(configuration, section, prepare: {}, report: { workload, _ in measured.append(workload) })
        try run.all()
        try configuration.close()
        return measured
    }

    @Test("all workloads read and leave what they should")
    func all() async throws { #expect(Set(try await run()) == Set(ServerWorkload.allCases)) }

    @Test("a row that should not be there is found out")
    func stray() async {
        let stray = PlayerMaker(count: section.serverRows + 1).player(section.serverRows)
        await #expect(throws: BenchmarkError.self) { try await run(stray: stray) }
    }

    @Test("an engine that is left out is named, and has no column")
    func leftOut() {
        var report = Report(Options())
        report.options.sections = [
            Section(name: "servers", title: "", count: 1, engines: [.siltstone, .patroni, .galera])
        ]
        for engine in [EngineKind.siltstone, .galera] {
            report.measurements.append(
                Measurement(engine: engine, label: "servers/find", round: 0, unit: .operationsPerSecond, value: 1))
        }
        for engine in [EngineKind.patroni, .galera] {
            report.skipped.append(Report.Skipped(section: "servers", engine: engine, reason: "There is none."))
        }
        #expect(report.sections.map(\.engines) == [[.siltstone, .galera]])
        // What another run has measured is not left out.
        #expect(report.leftOut.map(\.description) == ["servers, Patroni, is left out: There is none."])
    }
}
