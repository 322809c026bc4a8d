import Foundation
import Siltstone
import SiltstoneTesting
import TableKit
import Testing

@testable import SiltstoneTables

private struct Item: Codable, Hashable, Sendable {
    var id: Int
    var name: String
    var group: Int
    var state: Int
}

/// Tables over a file system one of whose calls fails, and what is left of them.
private struct TableFaultRun {
    /// Rows that are there before: regions of twenty, each of which one transaction changes.
    static let regions = 6

    private let base = InMemoryFileSystem()
    private let disk: FaultInjectingFileSystem
    private let number: Int
    private let fault: Fault
    /// Regions whose transaction was acknowledged, and those whose failed.
    private var done: Set<Int> = []
    private var failed: Set<Int> = []

    init(_ number: Int, _ fault: Fault) throws {
        QuietErrors.begin()
        self.number = number
        self.fault = fault
        disk = FaultInjectingFileSystem(base, keepsLog: false)
        let db = try open(base)
        try db.create(Item.self)
        let items = db.table(Item.self)
        try items.index(unique: true, \.name)
        try items.index(\.group)
        try items.insert((0..<Self.regions).flatMap { Self.before($0) })
        try db.close()
    }

    private var comment: Comment { "call \(number), \(fault), \(disk.faults.map(\.call))" }

    private func open(_ fileSystem: any FileSystem) throws -> Database<SiltstoneDatabaseConfiguration> {
        var configuration = Configuration()
        configuration.fileSystem = fileSystem
        configuration.memTableBytes = 64 << 10
        configuration.durability = .synced
        configuration.tidiesWhenIdle = false
        return Database(configuration: try SiltstoneDatabaseConfiguration("/tables", configuration: configuration))
    }

    // MARK: Regions

    private static func before(_ region: Int) -> [Item] {
        (0..<20).map { Item(id: region * 100 + $0, name: "\(region)/\($0)", group: $0 % 4, state: 0) }
    }

    private static func after(_ region: Int) -> [Item] {
        (0..<15).map { Item(id: region * 100 + $0, name: "\(region)/\($0)", group: $0 % 4 + 10, state: 1) }
            + (50..<55).map { Item(id: region * 100 + $0, name: "\(region)/\($0)", group: 3, state: 2) }
    }

    private func change(_ region: Int, _ db: Database<SiltstoneDatabaseConfiguration>) throws {
        let items = db.table(Item.self)
        let isOurs = \Item.id >= region * 100 && \Item.id < region * 100 + 100
        try db.transaction {
            try items.where(isOurs && \Item.id >= region * 100 + 15).delete()
            for item in Self.after(region) where item.state == 1 { try items.upsert(item) }
            try items.insert(Self.after(region).filter { $0.state == 2 })
        }
    }

    // MARK: The run

    /// Changes the regions, builds and drops an index, flushes, reads and closes, while a call fails.
    /// - Returns: whether one failed.
    mutating func run() throws -> Bool {
        disk.setRule(.from(number) { [fault] call in call.operation == .unlock ? nil : fault })
        for attempt in 0..<2 {
            guard let db = try attempting({ try open(disk) }) else { continue }
            for region in 0..<Self.regions where region % 2 == attempt {
                if try attempting({ try change(region, db) }) != nil {
                    done.insert(region)
                } else {
                    failed.insert(region)
                }
            }
            try attempting { try db.table(Item.self).index(\.state) }
            try attempting { try db.analyze() }
            if let found = try attempting({ try db.table(Item.self).where(\Item.group == 3).all() }) {
                #expect(found.allSatisfy { $0.group == 3 }, comment)
            }
            try attempting { try db.table(Item.self).dropIndex(\.state) }
            try attempting { try db.close() }
        }
        return !disk.faults.isEmpty
    }

    /// Runs a step, which may fail with an error of tables alone.
    /// - Returns: nil where it failed.
    @discardableResult
    private func attempting<R>(_ body: () throws -> R) throws -> R? {
        do { return try body() } catch let error as any TableError {
            #expect([.engine, .unavailable, .noIndex].contains(error.code), "\(error); \(disk.faults.map(\.call))")
            return nil
        }
    }

    /// Opens the tables anew, without faults: regions are as before or after their transaction, and indexes equal rows.
    func check() throws {
        disk.setRule(.none)
        let db = try open(base)
        let engine = try #require(db.engine as? SiltstoneEngine)
        for table in engine.catalogues.newest.ordered {
            for index in table.indexes where !index.isReady {
                try IndexBuild(engine: engine, table: table.id, index: index.description.id).run()
            }
        }
        #expect(try db.verify() == [], comment)
        let all = try db.table(Item.self).all()
        for region in 0..<Self.regions {
            let found = Set(all.filter { $0.id / 100 == region })
            let (before, after) = (Set(Self.before(region)), Set(Self.after(region)))
            if done.contains(region) {
                #expect(found == after, "acknowledged region \(region); \(comment)")
            } else if failed.contains(region) {
                #expect(found == before || found == after, "failed region \(region); \(comment)")
            } else {
                #expect(found == before, "region \(region); \(comment)")
            }
        }
        #expect(all.count == Self.regions * 20, comment)
        try db.close()
    }
}

/// Tables whose file-system calls fail.
struct TableFaultTests {
    private static let faults: [Fault] = [.inputOutput, .noSpace, .errorAfterwards(EIO)]

    @Test(
        "whichever call fails once, statements throw errors of tables, acknowledged transactions stay, indexes equal rows",
        arguments: faults)
    func sweep(fault: Fault) throws {
        // In the quick form each fault meets one call of five, each others.
        let step = TestForm.count(5, thorough: 1)
        var number = Self.faults.firstIndex(of: fault).map { 2 * $0 % step } ?? 0
        while true {
            var run = try TableFaultRun(number, fault)
            let hasFailed = try run.run()
            try run.check()
            if !hasFailed { break }
            number += step
        }
        #expect(number > 30)
    }
}
