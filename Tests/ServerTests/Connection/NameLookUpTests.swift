#if PostgreSQL || MySQL
import Foundation
import Synchronization
import TableKit
import Testing

@testable import TableSQL

/// How the names of hosts are looked up where some of them are slow or silent.
@Suite(.timeLimit(.minutes(10))) struct NameLookUpTests {
    /// Longer than the test may take.
    private static let long = Duration.seconds(3600)

    private final class Counter: Sendable {
        private let count = Mutex(0)
        var value: Int { count.withLock { $0 } }

        @discardableResult func next() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
    }

    private func number(_ answer: HostNames.Answer) -> String? {
        if case .success(let numbers) = answer { numbers.first } else { nil }
    }

    @Test("Callers that want a silent name share its look-ups") func silent() throws {
        let (running, end) = (Counter(), DispatchSemaphore(value: 0))
        let lookUps = NameLookUps { _ in
            running.next()
            end.wait()
            end.signal()
            return .success(["127.0.0.2"])
        }
        let callers = (0..<16).map { _ in
            Background {
                (0..<12).allSatisfy { _ in
                    let answers = HostNames.addresses(of: ["127.0.0.1", "dead"], within: .seconds(20), lookUps)
                    return number(answers[0]) == "127.0.0.1" && number(answers[1]) == nil
                }
            }
        }
        for caller in callers { #expect(try caller.get()) }
        #expect((1...NameLookUps.most).contains(running.value))
        end.signal()
    }

    @Test("One look-up answers all that wait for its name; a failure as well") func shared() throws {
        let end = DispatchSemaphore(value: 0)
        let lookUps = NameLookUps { name in
            end.wait()
            end.signal()
            let error = SQLConnectionError(.noConnection, code: .unavailable, "not known: \(name)")
            return name == "db" ? .success(["127.0.0.2"]) : .failure(error)
        }
        let callers = (0..<8).map { _ in
            Background { HostNames.addresses(of: ["db", "none", "db"], within: Self.long, lookUps) }
        }
        end.signal()
        for caller in callers {
            let answers = try caller.get()
            #expect(answers.map(number) == ["127.0.0.2", nil, "127.0.0.2"])
        }
    }

    @Test("A look-up without an answer is repeated") func repeated() {
        let (starts, end) = (Counter(), DispatchSemaphore(value: 0))
        let lookUps = NameLookUps { _ in
            // The first question is lost.
            if starts.next() == 1 { end.wait() }
            return .success(["127.0.0.2"])
        }
        #expect(HostNames.addresses(of: ["db"], within: Self.long, lookUps).map(number) == ["127.0.0.2"])
        end.signal()
    }

    @Test("A list waits for the name of an earlier host, and not for that of a later one") func order() {
        let end = DispatchSemaphore(value: 0)
        let lookUps = NameLookUps(patience: Self.long) { name in
            if name == "dead" {
                end.wait()
                end.signal()
            }
            // Longer than the names of other lists are awaited.
            Thread.sleep(forTimeInterval: 0.5)
            return .success(["127.0.0.2"])
        }
        func numbers(_ hosts: [String], isOrdered: Bool) -> [String?] {
            HostNames.addresses(of: hosts, within: Self.long, isOrdered: isOrdered, lookUps).map(number)
        }
        #expect(numbers(["slow", "127.0.0.1"], isOrdered: true) == ["127.0.0.2", "127.0.0.1"])
        #expect(numbers(["127.0.0.1", "dead"], isOrdered: true) == ["127.0.0.1", nil])
        #expect(numbers(["dead", "127.0.0.1"], isOrdered: false) == [nil, "127.0.0.1"])
        end.signal()
    }
}
#endif
