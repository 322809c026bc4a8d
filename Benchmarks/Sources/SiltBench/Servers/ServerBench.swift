import Foundation
import SiltstoneTables
import TableKit

#if PEER_SQLITE
import SQLiteTables
#endif
#if SERVER_POSTGRESQL
import PostgresTables
#endif
#if SERVER_MARIADB
import MySQLTables
#endif

/// Measures the same program with tables on an embedded engine, a server or a cluster.
struct ServerBench {
    private let order: WorkerOrder

    init(_ order: WorkerOrder) { self.order = order }

    /// Runs all workloads on the engine of the order.
    /// - Throws: ``BenchmarkError`` where something was read that should not be there, or not all that should.
    func run(_ say: @escaping (WorkerMessage) throws -> Void) throws {
        switch order.engine {
        case .siltstone:
            var settings = EngineSettings()
            settings.isSynced = order.section.isSynced
            let configuration = try SiltstoneDatabaseConfiguration(
                order.directory + "/tables", configuration: SiltstoneEngine.configuration(settings))
            try run(configuration, SiltstoneEngine.version, SiltstoneEngine.describe(settings), say)
        #if PEER_SQLITE
        case .sqlite:
            let synchronous = order.section.isSynced ? "FULL" : "NORMAL"
            let configuration = try SQLiteDatabaseConfiguration(
                order.directory + "/tables.sqlite",
                pragmas: ["foreign_keys = ON", "journal_mode = WAL", "synchronous = \(synchronous)"])
            try run(configuration, SQLiteEngine.version, "SQLiteTables, WAL, synchronous=\(synchronous)", say)
        #endif
        default:
            let host = try ServerHost(order.engine, directory: order.directory, isSynced: order.section.isSynced)
            defer { host.stop() }
            try run(host, say)
        }
    }

    private func run(_ host: ServerHost, _ say: @escaping (WorkerMessage) throws -> Void) throws {
        switch order.engine {
        #if SERVER_POSTGRESQL
        case .postgres, .patroni:
            try run(try PostgresDatabaseConfiguration(host.address), host.version, host.options, say)
        #endif
        #if SERVER_MARIADB
        case .mariadb, .galera: try run(try MySQLDatabaseConfiguration(host.address), host.version, host.options, say)
        #endif
        default: throw BenchmarkError("silt-bench was built without \(order.engine.title)")
        }
    }

    /// The one expression that differs is the configuration.
    private func run(
        _ configuration: some DatabaseConfigurationProtocol & Sendable, _ version: String, _ options: String,
        _ say: @escaping (WorkerMessage) throws -> Void
    ) throws {
        try say(.engine(EngineDescription(engine: order.engine, version: version, options: options, build: "")))
        let run = ServerRun(
            configuration, order.section, prepare: prepare, report: { try say(.measurement(measurement($0, $1))) })
        try run.all()
        try configuration.close()
        try say(.verified)
    }

    private func prepare() {
        _ = Machine.settle(isHasty: order.section.isHasty)
        Machine.writeBack()
    }

    private func measurement(_ workload: ServerWorkload, _ course: Course) -> Measurement {
        var measurement = Measurement(
            engine: order.engine, label: order.section.label(workload.rawValue), round: order.round,
            records: course.records)
        let seconds = course.after.processSeconds - course.before.processSeconds
        measurement.cpuMicroseconds = seconds * 1e6 / Double(max(1, measurement.operations))
        // A server is itself another process.
        if EngineKind.stores.contains(order.engine) {
            measurement.otherCores = course.after.otherCores(since: course.before)
        }
        if course.tally.found > 0 { measurement.tally = course.tally }
        return measurement
    }
}
