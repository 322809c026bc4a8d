import Siltstone
import SiltstoneTesting
import TableKit
import Testing

@testable import SiltstoneTables

/// The rows of all tables: what a crash must leave as it was before or after a step.
private struct Contents: Equatable {
    var tables: [String: [[ColumnValue]]] = [:]

    init(_ engine: any TableEngine) throws {
        let session = try engine.beginRead()
        defer { session.rollback() }
        for table in try session.tables() { tables[table.structure.name] = try session.all(table.structure) }
    }

    static func == (a: Contents, b: Contents) -> Bool {
        a.tables.keys == b.tables.keys
            && a.tables.allSatisfy { name, rows in rows.elementsEqual(b.tables[name] ?? [], by: same) }
    }
}

/// Runs steps on a simulated disk, and looks at what a crash at each of its calls leaves.
private final class TableCrashes: Sendable {
    private struct Image: Sendable {
        let disk: DiskImage
        /// Steps that have returned, and those that have begun.
        let done: Int
        let begun: Int
        let place: String
    }

    private struct Progress: Sendable {
        var done = 0
        var begun = 0
        /// Moments at which an image could have been taken, and those at which one was.
        var moments = 0
        var points = 0
        var seen: Set<DiskImage> = []
        var images: [Image] = []
    }

    private let disk = SimulatedFileSystem(greatestFileSize: 8 << 20)
    private let progress = Locked(Progress())
    private let seed: UInt64
    /// In the quick form at one call of four, with each seed at others.
    private static let interval = TestForm.count(4, thorough: 1)

    init(seed: UInt64) { self.seed = seed }

    var points: Int { progress.withLock { $0.points } }

    static func configuration(_ disk: SimulatedFileSystem) -> Configuration {
        var configuration = Configuration()
        configuration.fileSystem = disk
        configuration.memTableBytes = 64 << 10
        configuration.segmentBytes = 64 << 10
        configuration.logWriting = .written
        configuration.tidiesWhenIdle = false
        return configuration
    }

    /// Runs the steps.
    /// - Returns: images of crashes that were looked at.
    func run(_ steps: [(KeyValueStore, any TableEngine) throws -> Void]) throws -> Int {
        try disk.createDirectory("/data")
        try disk.syncDirectory("/")
        let store = try KeyValueStore.open(at: "/data/store", configuration: Self.configuration(disk))
        let engine = try SiltstoneDatabaseConfiguration(store: store).engine
        var states = [try Contents(engine)]
        var looked = 0
        disk.observe { [weak self] call in self?.crash("call \(call.number), \(call.operation)") }
        defer { disk.observe(nil) }
        for (number, step) in steps.enumerated() {
            progress.withLock { $0.begun = number + 1 }
            try step(store, engine)
            states.append(try Contents(engine))
            progress.withLock { $0.done = number + 1 }
            crash("after step \(number)")
            let images = progress.withLock { progress in
                defer { progress.images = [] }
                return progress.images
            }
            for image in images { try check(image, states) }
            looked += images.count
        }
        disk.observe(nil)
        try store.close()
        return looked
    }

    private func crash(_ place: String) {
        let now = progress.withLock { progress -> Progress? in
            defer { progress.moments += 1 }
            guard progress.moments % Self.interval == Int(seed) % Self.interval else { return nil }
            progress.points += 1
            return progress
        }
        guard let before = now else { return }
        let loss = disk.powerLoss(seed: seed &+ UInt64(before.points) &* 1_000_003)
        let images = [(disk.processDeath(), "process death"), (loss, "power loss")]
        progress.withLock { progress in
            for (image, kind) in images where progress.seen.insert(image).inserted {
                progress.images.append(
                    Image(disk: image, done: before.done, begun: progress.begun, place: "\(place), \(kind)"))
            }
        }
    }

    /// Opens what a crash has left: rows are those before or after a step, and all indexes agree with them.
    private func check(_ image: Image, _ states: [Contents]) throws {
        let disk = try SimulatedFileSystem(image.disk, greatestFileSize: 8 << 20)
        let store = try KeyValueStore.open(at: "/data/store", configuration: Self.configuration(disk))
        let engine = try SiltstoneDatabaseConfiguration(store: store).engine
        let siltstone = try #require(engine as? SiltstoneEngine)
        for table in siltstone.catalogues.newest.ordered {
            for index in table.indexes where !index.isReady {
                try IndexBuild(engine: siltstone, table: table.id, index: index.description.id).run()
            }
        }
        let contents = try Contents(engine)
        #expect(states[image.done...min(image.begun, states.count - 1)].contains(contents), "\(image.place)")
        let problems = try engine.verify(progress: nil)
        #expect(problems.isEmpty, "\(image.place)")
        #expect(try Leftovers(store).keys.isEmpty, "\(image.place)")
        try store.close()
    }
}

/// Keys of tables or indexes that the catalogue does not know, or of builds that have ended.
private struct Leftovers {
    var keys: [[UInt8]] = []

    init(_ store: KeyValueStore) throws {
        let catalogue = try Catalogue.load(from: store, known: nil)
        let known = catalogue.ordered.flatMap { table in [table.rowPrefix] + table.indexes.map(\.prefix) }
        for key in try store.keysWith([0xFE, 1]) where !known.contains(where: { key.starts(with: $0) }) {
            keys.append(key)
        }
        keys += try store.keysWith(KeySpace.builds)
    }
}

@Suite("Crashes of tables", .serialized)
struct TableCrashTests {
    private static let many = TableStructure(
        name: "many", columns: [Column("id", .int64), Column("text", .string)], primaryKey: [0])

    @Test(
        "at whichever call of the disk changes crash, statements are there as a whole and indexes equal their rows",
        arguments: 0..<2 as Range<UInt64>)
    func changes(seed: UInt64) throws {
        var model = TableModel(seed: seed)
        var steps: [(KeyValueStore, any TableEngine) throws -> Void] = [{ try $1.change { try TableModel.create($0) } }]
        for number in 0..<16 {
            steps.append { store, engine in
                try engine.change { session in
                    for _ in 0..<6 {
                        let difference = try model.step(session)
                        #expect(difference == nil)
                    }
                }
                if number % 6 == 5 { try store.flush() }
            }
        }
        let crashes = TableCrashes(seed: seed)
        let images = try crashes.run(steps)
        let least = TestForm.count(10, thorough: 40)
        #expect(crashes.points > least && images > least)
    }

    @Test("at whichever call builds and drops crash, a build goes on to the same index, and a drop leaves no keys")
    func builds() throws {
        let table = Self.many
        func rows(_ ids: Range<Int64>) -> [[ColumnValue]] { ids.map { [.integer($0), .text("text \($0 % 37)")] } }
        let crashes = TableCrashes(seed: 5)
        let images = try crashes.run([
            { _, engine in try engine.change { try $0.alter(.createTable(table)) } },
            { _, engine in _ = try engine.change { try $0.insert(table, rows(0..<2_500)) } },
            { _, engine in try engine.buildIndex(IndexDefinition(table: "many", columns: ["text"])) },
            { store, _ in try store.flush() },
            { _, engine in
                try engine.buildIndex(IndexDefinition(table: "many", columns: ["text", "id"], isUnique: true))
            },
            { _, engine in try engine.change { try $0.alter(.dropIndex(table: "many", columns: ["text"])) } },
            { _, engine in
                try engine.change { try $0.alter(.addColumn(table: "many", Column("new", .int32, isOptional: true))) }
            },
            { _, engine in _ = try engine.change { try $0.insert(table, rows(2_500..<2_600)) } },
            { _, engine in try engine.change { try $0.alter(.dropTable("many")) } },
            { store, _ in try store.compact() },
        ])
        let least = TestForm.count(10, thorough: 40)
        #expect(crashes.points > least && images > least)
    }
}
