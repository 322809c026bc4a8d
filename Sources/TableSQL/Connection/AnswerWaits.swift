import TableKit

/// The waits of a connection for the answers of its server: their limits, their cancellation, and their errors.
package struct AnswerWaits: Sendable {
    /// The host, for messages.
    package let place: String
    private let timeout: Duration
    private let cancellation: StatementCancellation
    private let probe: SilenceProbe

    /// - Parameters:
    ///   - timeout: the silence before the server is probed, and the longest silence after a cancellation.
    ///   - cancel: cancels the running statement, as for ``StatementCancellation``. Blocks.
    ///   - answers: whether the server answers a login. Blocks.
    package init(
        at place: String, timeout: Duration, cancel: @escaping @Sendable () -> Void,
        answers: @escaping @Sendable () -> Bool
    ) {
        self.place = place
        self.timeout = timeout
        cancellation = StatementCancellation(cancel)
        probe = SilenceProbe(after: timeout, answers)
    }

    /// Begins the wait of a statement. ``end(isUsable:)`` ends a cancellable one.
    /// - Parameter limit: the longest silence of the server.
    /// - Throws: ``SQLConnectionError`` of kind `cancelled` if a cancellable statement was cancelled before it was sent.
    package func begin(_ limit: Duration, isCancellable: Bool) throws -> AnswerDeadline {
        if isCancellable, !cancellation.begin() {
            throw SQLConnectionError(.cancelled, code: .engine, "The statement was cancelled before it was sent")
        }
        probe.begin()
        return AnswerDeadline(
            limit, grace: timeout, cancellation: isCancellable ? cancellation : nil, probe: probe)
    }

    /// Ends a cancellable wait.
    /// - Parameter isUsable: whether the connection still answers; evaluated if a cancellation is pending.
    /// - Returns: false if the connection must not be used again.
    package func end(isUsable: @autoclosure () -> Bool) -> Bool {
        cancellation.end(limit: isUsable() ? timeout.seconds : 0)
    }

    /// Cancels the running statement and the next ones. Returns at once.
    package func cancel() { cancellation.cancel() }

    /// Forgets a cancellation.
    package func forgetCancellation() { cancellation.forget() }

    /// Whether the running statement was cancelled.
    package var isCancelled: Bool { cancellation.isRequested }

    /// Cancels a statement without an answer, which a slow server still runs.
    /// - Returns: its error. The caller gives the connection up.
    package func missed(isCancellable: Bool) -> SQLConnectionError {
        let isCancelled = isCancellable && isCancelled
        cancel()
        return SQLConnectionError(
            isCancelled ? .cancelled : .connectionLost, code: isCancelled ? .engine : .unavailable,
            "The server at \(place) did not answer in time; the connection was given up")
    }

    /// The error of a statement on a connection that has ended.
    /// - Parameter message: the last message of the C library.
    package func ended(_ message: String) -> SQLConnectionError {
        SQLConnectionError(.connectionLost, code: .unavailable, "The connection to \(place) has ended. \(message)")
    }
}
