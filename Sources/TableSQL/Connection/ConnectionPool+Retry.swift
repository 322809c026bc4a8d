extension ConnectionPool {
    /// Runs work that may run again where it has changed nothing: after a conflict, a lost connection, and for a while where
    /// no connection can be made. Not where its outcome is unknown.
    /// - Parameters:
    ///   - timeout: how long connections are tried.
    ///   - conflicts: how often work that met a conflict runs again.
    ///   - mayConnectLater: whether a connection that could not be made may be possible a moment later.
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
                guard isTransient, ContinuousClock.now < end else { throw error }
                if error.kind == .conflict { left -= 1 }
            }
            try await Task.sleep(for: pause)
            pause = min(pause * 2, .milliseconds(500))
        }
    }
}
