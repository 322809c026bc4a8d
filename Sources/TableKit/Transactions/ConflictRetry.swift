import Foundation

/// Decides how often a transaction that met a conflict runs again, and how long it waits before.
package struct ConflictRetry {
    private var left: Int
    private var attempt = 0
    /// Whether conflicts are with other programs, for which a pause makes room; within one engine they are gone at once.
    private let pauses: Bool

    private init(_ engine: any TableEngine, _ mode: TransactionMode) {
        pauses = engine.serialRetries > 0
        left =
            switch mode {
            case .serial: engine.serialRetries
            case .concurrent(let retries): retries
            }
    }

    /// Runs `body`, and again after each conflict until it was tried often enough.
    /// - Throws: what `body` throws, and the conflict of the last attempt.
    package static func run<R>(_ engine: any TableEngine, _ mode: TransactionMode, _ body: () throws -> R) throws -> R {
        var retry = ConflictRetry(engine, mode)
        while true {
            do { return try body() } catch let error as any TableError where error.code == .conflict {
                let seconds = try retry.next(error)
                if seconds > 0 { Thread.sleep(forTimeInterval: seconds) }
            }
        }
    }

    /// As the synchronous form, suspending.
    package static func run<R>(
        _ engine: any TableEngine, _ mode: TransactionMode, _ body: () async throws -> R
    ) async throws -> R {
        var retry = ConflictRetry(engine, mode)
        while true {
            do { return try await body() } catch let error as any TableError where error.code == .conflict {
                let seconds = try retry.next(error)
                if seconds > 0 { try await Task.sleep(for: .seconds(seconds)) }
            }
        }
    }

    /// How long to wait: growing up to a tenth of a second, and at random, so that two do not meet again.
    private mutating func next(_ error: any Error) throws -> Double {
        if left == 0 { throw error }
        left -= 1
        attempt += 1
        return pauses ? Double.random(in: 0...min(0.1, 0.001 * Double(1 << min(attempt, 10)))) : 0
    }
}
