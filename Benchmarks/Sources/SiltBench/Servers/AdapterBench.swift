import TableKit

#if SERVER_POSTGRESQL
import PostgresTables
#endif
#if SERVER_MARIADB
import MySQLTables
#endif

/// Measures what an adapter costs beside the C library below it.
///
/// The server syncs nothing here: waiting for the disk would hide the difference. Client and server share one processor:
/// otherwise the scheduler's choice of processors, and the time that an idle one takes to wake, decide the rate of short round
/// trips, by a factor of up to four.
struct AdapterBench {
    private let order: WorkerOrder

    init(_ order: WorkerOrder) { self.order = order }

    /// Runs all workloads on the server of the order, with its adapter and with its C library.
    /// - Throws: ``BenchmarkError`` where something was read that should not be there, or not all that should.
    func run(_ say: @escaping (WorkerMessage) throws -> Void) throws {
        Machine.bindToOneProcessor()
        let host = try ServerHost(order.engine, directory: order.directory, isSynced: order.section.isSynced)
        defer { host.stop() }
        switch order.engine {
        #if SERVER_POSTGRESQL
        case .postgres:
            try run(try PostgresDatabaseConfiguration(host.address), LibPQClient.self, host, LibPQClient.version, say)
        #endif
        #if SERVER_MARIADB
        case .mariadb:
            try run(
                try MySQLDatabaseConfiguration(host.address), LibMariaDBClient.self, host, LibMariaDBClient.version, say
            )
        #endif
        default: throw BenchmarkError("silt-bench was built without an adapter for \(order.engine.title)")
        }
    }

    private func run<Client: PlainClient>(
        _ configuration: some DatabaseConfigurationProtocol, _ type: Client.Type, _ host: ServerHost,
        _ clientVersion: String, _ say: @escaping (WorkerMessage) throws -> Void
    ) throws {
        guard let plain = order.engine.plainClient else { return }
        try say(
            .engine(
                EngineDescription(engine: order.engine, version: host.version, options: host.options, build: "")))
        try say(
            .engine(EngineDescription(engine: plain, version: clientVersion, options: "blocking calls", build: "")))
        let run = try AdapterRun(configuration, type, address: host.address, order.section) { workload, records in
            for (engine, record) in [(order.engine, records.adapter), (plain, records.plain)] {
                try say(
                    .measurement(
                        Measurement(
                            engine: engine, label: order.section.label(workload.rawValue), round: order.round,
                            records: [record])))
            }
        }
        try run.all()
        try configuration.close()
        try say(.verified)
    }
}
