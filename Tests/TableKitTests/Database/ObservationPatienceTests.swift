import Testing

@testable import TableKit

/// Retries of an observation.
struct ObservationPatienceTests {
    private let error = CRUDSQLExeError("no server", code: .unavailable)
    private let start = ContinuousClock.now

    @Test("pauses double up to a second, and begin anew once the database was reached")
    func pauses() throws {
        var patience = ObservationPatience()
        func next() throws -> Duration { try patience.pause(after: error, limit: .seconds(30), now: start) }
        let expected = [50, 100, 200, 400, 800, 1000, 1000].map { Duration.milliseconds($0) }
        #expect(try expected.map { _ in try next() } == expected)
        patience.end()
        #expect(try next() == .milliseconds(50))
    }

    @Test("the error is thrown once the limit is over, counted from the first failure")
    func limit() throws {
        var patience = ObservationPatience()
        _ = try patience.pause(after: error, limit: .seconds(3), now: start)
        _ = try patience.pause(after: error, limit: .seconds(3), now: start + .seconds(2))
        #expect(throws: CRUDSQLExeError.self) {
            try patience.pause(after: error, limit: .seconds(3), now: start + .seconds(3))
        }
        patience.end()
        _ = try patience.pause(after: error, limit: .seconds(3), now: start + .seconds(9))
    }

    @Test("after a conflict an observation retries for 30 seconds, even if the database is given no time to come back")
    func conflict() throws {
        var patience = ObservationPatience()
        let conflict = CRUDSQLExeError("database is locked", code: .conflict)
        _ = try patience.pause(after: conflict, limit: .zero, now: start)
        _ = try patience.pause(after: conflict, limit: .zero, now: start + .seconds(29))
        #expect(throws: CRUDSQLExeError.self) {
            try patience.pause(after: conflict, limit: .zero, now: start + .seconds(30))
        }
        _ = try patience.pause(after: conflict, limit: .seconds(60), now: start + .seconds(59))
        // The database has closed meanwhile, or is gone.
        #expect(throws: CRUDSQLExeError.self) { try patience.pause(after: error, limit: .zero, now: start) }
    }

    @Test("a refusal that cannot pass is thrown at once")
    func refusal() {
        var patience = ObservationPatience()
        var refusal = error
        refusal.isLasting = true
        #expect(throws: CRUDSQLExeError.self) {
            try patience.pause(after: refusal, limit: .seconds(30), now: start)
        }
    }
}
