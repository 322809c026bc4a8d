import Foundation
import Siltstone
import SiltstoneTables
import Synchronization
import TableKit

/// How soon an observed query gives its new value: from before the call that commits to the arrival, while a thread commits
/// to another table at a steady rate.
struct ObservationRun: Sendable {
    let directory: String
    /// Changes that are observed.
    var changes = TableWorkload.observedChanges
    /// Commits a second beside them.
    var rate = TableWorkload.observedRate
    /// Whether they must keep that pace: not where nothing is said of speed.
    var isPaced = true

    /// Observes ten rows, changes one of them again and again.
    /// - Throws: ``BenchmarkError`` where the other thread did not keep its pace.
    func run() async throws -> Course {
        let db = SiltstoneTableStore.DB(
            configuration: try SiltstoneDatabaseConfiguration(
                directory, configuration: SiltstoneEngine.configuration(EngineSettings())))
        let players = try await db.create(Player.self)
        let events = try await db.create(Event.self)
        try await players.insert(PlayerMaker(count: 1000).players(0..<1000))
        let writer = PacedWriter(rate: rate) {
            try events.insert(Event(id: $0, text: "something that nobody asked for"))
        }
        // Its first commits find nothing in the caches.
        try await Task.sleep(for: .milliseconds(200))
        let before = ProcessUsage.now()
        var values = try players.order(by: \.id).limit(10).values().makeAsyncIterator()
        guard var observed = try await values.next(), observed.count == 10 else {
            throw BenchmarkError("there is no first value")
        }
        var meter = Meter(operations: changes)
        meter.begin()
        meter.pause()
        for change in 1...changes {
            var player = observed[change % observed.count]
            player.score = Double(1000 + change)
            // So that changes do not fall into step with the other thread.
            try await Task.sleep(for: .microseconds(500 + change % 7 * 100))
            meter.resume()
            try await players.where(\Player.id == player.id).update(player, setKeys: \.score)
            while observed[change % observed.count].score != player.score {
                guard let next = try await values.next() else { throw BenchmarkError("the observation has ended") }
                observed = next
            }
            meter.lap()
            meter.pause()
        }
        let reached = try writer.stop()
        guard !isPaced || reached > Double(rate) * 0.8 else {
            throw BenchmarkError("beside the observation there were \(Format.count(reached)) commits a second only")
        }
        return Course(records: [meter.record()], before: before, after: .now())
    }
}

/// A thread that does something at a steady rate until it is stopped.
private final class PacedWriter: Sendable {
    private struct State {
        var isStopped = false
        var result: Result<Double, any Error>?
    }

    private let state = Mutex(State())
    private let done = DispatchSemaphore(value: 0)

    /// - Parameter body: called with the number of the call.
    init(rate: Int, _ body: @escaping @Sendable (Int) throws -> Void) {
        let thread = Thread { [self] in
            let result = Result { try self.write(rate, body) }
            state.withLock { $0.result = result }
            done.signal()
        }
        thread.start()
    }

    /// - Returns: calls a second.
    private func write(_ rate: Int, _ body: (Int) throws -> Void) throws -> Double {
        let start = Clock.now()
        var count = 0
        while !state.withLock({ $0.isStopped }) {
            let due = Int(Double(Clock.now() - start) * 1e-9 * Double(rate))
            while count < due {
                try body(count)
                count += 1
            }
            usleep(500)
        }
        return Double(count) / (Double(Clock.now() - start) * 1e-9)
    }

    /// Stops it.
    /// - Returns: how many calls there were a second.
    func stop() throws -> Double {
        state.withLock { $0.isStopped = true }
        done.wait()
        return try state.withLock { $0.result }?.get() ?? 0
    }
}
