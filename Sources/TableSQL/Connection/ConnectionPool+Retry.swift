extension ConnectionPool {
    /// Runs `work` and repeats it, with growing pauses, while it is known to have changed nothing: after a conflict, a
    /// lost connection, or a failed login. An unknown outcome is thrown at once, and so is every error of a closed pool.
    /// - Parameters:
    ///   - timeout: how long `work` is repeated.
    ///   - conflicts: how often `work` runs again after a conflict.
    ///   - mayConnectLater: whether a failed login is worth another try.
    /// - Throws: ``SQLConnectionError``.
    package func retrying<R: Sendable>(
        for timeout: Duration, conflicts: Int, mayConnectLater: (SQLConnectionError) -> Bool,
        _ work: @escaping @Sendable (Connection) throws -> R
    ) async throws -> R {
        let end = ContinuousClock.now + timeout
        var left = conflicts
        var pause: Duration = .milliseconds(20)
        while true {
            do { return try await withConnection(work) } catch let error as SQLConnectionError {
                let isTransient =
                    switch error.kind {
                    case .conflict: left > 0
                    case .connectionLost: true
                    case .noConnection: mayConnectLater(error)
                    case .statement, .unknownOutcome, .timedOut, .cancelled: false
                    }
                guard isTransient, !isClosed, ContinuousClock.now < end else { throw error }
                if error.kind == .conflict { left -= 1 }
            }
            try await Task.sleep(for: pause)
            pause = min(pause * 2, .milliseconds(500))
        }
    }
}
