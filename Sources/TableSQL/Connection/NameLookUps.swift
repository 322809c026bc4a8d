import Foundation
import Synchronization

/// Looks up names on threads of their own, since `getaddrinfo` has no limit. Callers that want the same name share its
/// look-ups: a name whose servers are silent takes up to 20 s, and each caller's own look-up would leave a thread and a
/// socket for so long.
package final class NameLookUps: Sendable {
    /// The look-ups of one name.
    private struct Name {
        var running = 0
        var lastStart = Moment.now
        /// Who waits for the answer.
        var waits: [ObjectIdentifier: Wait] = [:]
    }

    /// The look-ups of the process.
    package static let shared = NameLookUps { HostNames.lookUp($0) }

    /// A look-up without an answer is repeated after this time. The resolver repeats a lost question after 5 s only.
    static let repetition = Duration.milliseconds(500)
    /// The most look-ups of one name at a time.
    package static let most = 3

    /// How long names are awaited once one host has its addresses.
    let headStart = Duration.milliseconds(250)
    /// How long names of a list are awaited once a later host has its addresses.
    let patience: Duration
    private let names = Mutex<[String: Name]>([:])
    private let lookUp: @Sendable (String) -> HostNames.Answer

    /// - Parameter lookUp: looks up one name. Blocks.
    package init(patience: Duration = .seconds(1), _ lookUp: @escaping @Sendable (String) -> HostNames.Answer) {
        self.patience = patience
        self.lookUp = lookUp
    }

    /// Starts a wait for the answers of names.
    func wait(for names: Set<String>) -> Wait {
        let wait = Wait(self, names)
        for name in names { ask(name, for: wait) }
        return wait
    }

    /// Makes the answer of a name go to a wait. Starts a look-up, unless a recent one or enough of them are under way.
    private func ask(_ host: String, for wait: Wait) {
        let isStarted = names.withLock { names in
            var name = names[host] ?? Name()
            name.waits[ObjectIdentifier(wait)] = wait
            let isDue = name.running == 0 || Moment.now - name.lastStart >= Self.repetition
            let isStarted = isDue && name.running < Self.most
            if isStarted {
                name.running += 1
                name.lastStart = .now
            }
            names[host] = name
            return isStarted
        }
        if isStarted { Thread.detachNewThread { self.end(host, self.lookUp(host)) } }
    }

    /// Ends a look-up. A failure counts only if no other look-up of the name may still succeed.
    private func end(_ host: String, _ answer: HostNames.Answer) {
        let waits = names.withLock { names -> [Wait] in
            guard var name = names[host] else { return [] }
            name.running -= 1
            var waits: [Wait] = []
            if name.running == 0 { waits = Array(name.waits.values) }
            if case .success = answer { waits = Array(name.waits.values) }
            if !waits.isEmpty { name.waits = [:] }
            names[host] = name.running == 0 ? nil : name
            return waits
        }
        for wait in waits { wait.note(host, answer) }
    }

    private func forget(_ wait: Wait, _ hosts: Set<String>) {
        names.withLock { names in for host in hosts { names[host]?.waits[ObjectIdentifier(wait)] = nil } }
    }

    /// One caller's wait for the answers of several names.
    final class Wait: Sendable {
        private let lookUps: NameLookUps
        private let hosts: Set<String>
        private let answers = Mutex<[String: HostNames.Answer]>([:])
        private let signal = DispatchSemaphore(value: 0)

        fileprivate init(_ lookUps: NameLookUps, _ hosts: Set<String>) {
            self.lookUps = lookUps
            self.hosts = hosts
        }

        /// The answer for a name; nil if there is none yet.
        func answer(_ host: String) -> HostNames.Answer? { answers.withLock { $0[host] } }

        fileprivate func note(_ host: String, _ answer: HostNames.Answer) {
            answers.withLock { $0[host] = answer }
            signal.signal()
        }

        /// Waits for the next answer. Repeats look-ups that have none.
        func pause(_ limit: Duration) {
            if signal.wait(timeout: .now() + limit.seconds) == .success { return }
            let answered = answers.withLock { Set($0.keys) }
            for host in hosts.subtracting(answered) { lookUps.ask(host, for: self) }
        }

        /// Gives up the names that have no answer.
        func end() { lookUps.forget(self, hosts) }
    }
}
