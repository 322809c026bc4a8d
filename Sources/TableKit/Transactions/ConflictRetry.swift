import Foundation

/// Decides how often a transaction that met a conflict runs again, and how long it waits before.
package struct ConflictRetry {
    private var left: Int
    private var attempt = 0
    /// Whether conflicts are with other programs, for which a pause makes room; within one engine they are gone at once.
    private let pauses: Bool

    package init(_ engine: any TableEngine, _ mode: TransactionMode) {
        pauses = engine.serialRetries > 0
        left =
            switch mode {
            case .serial: engine.serialRetries
            case .concurrent(let retries): retries
            }
    }

    /// Counts a conflict and waits.
    /// - Throws: the error, where it was the last attempt.
    package mutating func pause(after error: any Error) throws {
        let seconds = try next(error)
        if seconds > 0 { Thread.sleep(forTimeInterval: seconds) }
    }

    /// As the synchronous form, suspending.
    package mutating func pause(after error: any Error) async throws {
        let seconds = try next(error)
        if seconds > 0 { try await Task.sleep(for: .seconds(seconds)) }
    }

    /// How long to wait: growing up to a tenth of a second, and at random, so that two do not meet again.
    private mutating func next(_ error: any Error) throws -> Double {
        if left == 0 { throw error }
        left -= 1
        attempt += 1
        return pauses ? Double.random(in: 0...min(0.1, 0.001 * Double(1 << min(attempt, 10)))) : 0
    }
}
