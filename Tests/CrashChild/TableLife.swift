import Foundation
import Siltstone
import SiltstoneTables

/// A row of ``TableLife``, with a unique index and one that is shared with other lanes.
struct LifeRow: Codable, Hashable, Sendable {
    var id: Int
    var name: String
    var group: Int
    var step: Int
}

/// A child that changes a table with two indexes until it is killed: `tables STORE JOURNAL FIRST…`, with the first step of
/// each lane. A last lane builds and drops a third index.
struct TableLife: Sendable {
    static let lanes = 2

    private let store: String
    private let journal: CrashJournal
    private let firstSteps: [Int]
    private let parent = getppid()

    init(_ line: [String]) throws {
        let steps = line.dropFirst(4).compactMap { Int($0) }
        guard line.count == 4 + Self.lanes, steps.count == Self.lanes else {
            throw CrashArguments.Malformed(words: line)
        }
        (store, firstSteps) = (line[2], steps)
        journal = try CrashJournal(path: line[3], isNew: false)
    }

    /// Memtables and files so small that flushes and compactions are always under way.
    static var configuration: Configuration {
        var configuration = Configuration()
        configuration.durability = .buffered
        configuration.memTableBytes = 64 << 10
        configuration.segmentBytes = 64 << 10
        return configuration
    }

    func run() throws {
        journal.phase = .opening
        let db = Database(
            configuration: try SiltstoneDatabaseConfiguration(store, configuration: Self.configuration))
        let rows = try db.create(LifeRow.self)
        try rows.index(unique: true, \.name)
        try rows.index(\.group)
        journal.phase = .writing
        let lanes = DispatchGroup()
        for lane in 0...Self.lanes {
            lanes.enter()
            Thread {
                do { try lane == Self.lanes ? buildIndexes(db) : runLane(lane, db) } catch {
                    FileHandle.standardError.write(Data("lane \(lane): \(error)\n".utf8))
                    exit(1)
                }
                lanes.leave()
            }.start()
        }
        lanes.wait()
    }

    private func runLane(_ lane: Int, _ db: Database<SiltstoneDatabaseConfiguration>) throws {
        let rows = db.table(LifeRow.self)
        for step in firstSteps[lane]... {
            journal.begin(lane: lane)
            try db.transaction {
                try rows.insert(Self.inserted(lane, step))
                for row in Self.updated(lane, step) { try rows.where(\LifeRow.id == row.id).update(row) }
                for id in Self.deleted(lane, step) { try rows.where(\LifeRow.id == id).delete() }
            }
            journal.acknowledge(lane: lane)
            if step % 32 == 0, getppid() != parent { exit(2) }
        }
    }

    private func buildIndexes(_ db: Database<SiltstoneDatabaseConfiguration>) throws {
        let rows = db.table(LifeRow.self)
        while getppid() == parent {
            try rows.index(\.step, \.group)
            try rows.dropIndex(\.step, \.group)
        }
    }

    // MARK: Steps

    private static func id(_ lane: Int, _ step: Int, _ number: Int) -> Int { (lane << 40) + step * 4 + number }

    static func lane(of row: LifeRow) -> Int { row.id >> 40 }

    private static func inserted(_ lane: Int, _ step: Int) -> [LifeRow] {
        (0..<3).map {
            LifeRow(id: id(lane, step, $0), name: "\(lane)/\(step)/\($0)", group: step % 7, step: step)
        }
    }

    /// Rows of the step before, with other values in both indexes.
    private static func updated(_ lane: Int, _ step: Int) -> [LifeRow] {
        if step == 0 { return [] }
        return (0..<2).map {
            LifeRow(id: id(lane, step - 1, $0), name: "\(lane)/\(step)/new \($0)", group: step % 5 + 10, step: step)
        }
    }

    private static func deleted(_ lane: Int, _ step: Int) -> [Int] {
        step % 2 == 1 && step > 4 ? [id(lane, step - 4, 0), id(lane, step - 5, 2)] : []
    }

    /// Does a step to the rows that a lane is to have.
    static func apply(_ step: Int, of lane: Int, to rows: inout [Int: LifeRow]) {
        for row in inserted(lane, step) + updated(lane, step) { rows[row.id] = row }
        for id in deleted(lane, step) { rows[id] = nil }
    }
}
