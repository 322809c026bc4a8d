import CRUDKit
import Foundation
import Siltstone
import SiltstoneCRUD

/// Measures a repository of items: what an application sees of an engine, item format included.
struct RepositoryBench {
    private let order: WorkerOrder

    init(_ order: WorkerOrder) { self.order = order }

    /// Runs all operations, with the format that repositories have by default and with the compact one.
    /// - Throws: ``BenchmarkError`` where an item comes back changed.
    func run(_ say: (WorkerMessage) throws -> Void) throws {
        for (suffix, transformer) in [
            ("", JSONDataTransformer() as any DataTransformer), (":compact", CompactDataTransformer()),
        ] {
            let path = order.directory + "/repository" + suffix.dropFirst()
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            Machine.prepare(prewarming: order.options.prewarmBytes / 4)
            // Each reads what it has written, and says so if that was changed.
            for measurement in try measure(path, suffix, transformer) { try say(.measurement(measurement)) }
            try say(.verified)
            try FileManager.default.removeItem(atPath: path)
        }
    }

    private func measure(_ path: String, _ suffix: String, _ transformer: any DataTransformer) throws -> [Measurement] {
        switch order.engine {
        case .siltstone:
            var configuration = Configuration()
            configuration.durability = order.section.isSynced ? .synced : .buffered
            let store = try KeyValueStore.open(at: path, configuration: configuration)
            let measurements = try measure(
                SiltstoneRepository(store: store, tableName: "customers", dataTransformer: transformer), suffix)
            try store.close()
            return measurements
        #if PEER_SQLITE
        case .sqlite:
            return try measure(
                SQLiteRepository(
                    path: path + "/customers.sqlite", tableName: "customers", isSynced: order.section.isSynced,
                    dataTransformer: transformer), suffix)
        #endif
        case .files:
            return try measure(
                FileSystemRepository(directoryURL: URL(fileURLWithPath: path), dataTransformer: transformer), suffix)
        case .memory:
            return try measure(InMemoryRepository(tableName: "customers", dataTransformer: transformer), suffix)
        default:
            throw BenchmarkError("there is no repository on \(order.engine.title)")
        }
    }

    private func measure(_ repository: some RecordRepository, _ suffix: String) throws -> [Measurement] {
        let (engine, round, section) = (order.engine, order.round, order.section)
        let courses = try Blocking.wait {
            try await RepositoryRun(repository: repository, count: section.count, isSynced: section.isSynced).all()
        }
        return courses.map { name, course in
            var measurement = Measurement(
                engine: engine, label: section.label(name + suffix), round: round, records: course.records)
            measurement.otherCores = course.after.otherCores(since: course.before)
            let seconds = course.after.processSeconds - course.before.processSeconds
            measurement.cpuMicroseconds = seconds * 1e6 / Double(max(1, measurement.operations))
            return measurement
        }
    }
}
