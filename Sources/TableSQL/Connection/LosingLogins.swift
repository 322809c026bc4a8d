import Synchronization

/// Lets logins that have lost a race go on to their ends.
enum LosingLogins {
    static let threads = WorkerThreads(name: "siltstone.login")
    /// The most races whose losers go on at the same time.
    private static let most = 16
    private static let count = Mutex(0)

    /// Waits until the logins have ended, and drops them. Blocks.
    /// - Parameter limit: the longest time. A host that says nothing gets a second of it.
    static func finish<Login: HostLogin>(_ logins: [Login], within limit: Duration) {
        if logins.isEmpty { return }
        let races = count.withLock { count in
            count += 1
            return count
        }
        defer { count.withLock { $0 -= 1 } }
        if races > most { return }
        let silence = min(limit, HostRace<Login>.longestSilence)
        let begin = ContinuousClock.now
        var logins = logins
        var time = Duration.zero
        while !logins.isEmpty {
            let longest = logins.contains { !$0.hasAnswered } ? silence : limit
            Poll.advance(logins, within: longest - time)
            time = ContinuousClock.now - begin
            logins.removeAll { login in
                guard case .waiting = login.state else { return true }
                return time >= (login.hasAnswered ? limit : silence)
            }
        }
    }
}
