#if PostgreSQL || MySQL
import Foundation
import Synchronization
import TableKit
import TableSQL
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The choice among several hosts, each with one or more addresses.
struct HostRaceTests {
    /// A login whose host speaks and is done at given times.
    private final class Login: HostLogin {
        enum End { case done, refused, failed }

        let place: String
        private(set) var hasAnswered = false
        private(set) var state: HostLoginState = .waiting
        private var pair: [Int32] = [-1, -1]
        private let end: End
        /// Called when the login is dropped, with whether it has waited in vain.
        var onDrop: ((Bool) -> Void)?

        init(_ place: String, speaksAfter: Double? = 0, endsAfter: Double? = 0, _ end: End = .done) {
            self.place = place
            self.end = end
            _ = socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair)
            for (time, byte) in [(speaksAfter, UInt8(0)), (endsAfter, 1)] {
                guard let time else { continue }
                let descriptor = dup(pair[1])
                // Not a global queue, which other tests keep busy.
                Thread.detachNewThread {
                    Thread.sleep(forTimeInterval: time)
                    var byte = byte
                    // The login may be gone by then.
                    _ = send(descriptor, &byte, 1, Int32(MSG_NOSIGNAL))
                    close(descriptor)
                }
            }
        }

        deinit {
            for descriptor in pair { close(descriptor) }
            if case .waiting = state { onDrop?(true) } else { onDrop?(false) }
        }

        /// The host sends a byte; 1 ends the login.
        func say(_ byte: UInt8) {
            var byte = byte
            _ = send(pair[1], &byte, 1, Int32(MSG_NOSIGNAL))
        }

        /// The host's end of the connection, for the caller to close.
        func otherEnd() -> Int32 { dup(pair[1]) }

        var interest: SocketInterest? { SocketInterest(pair[0], Int16(POLLIN)) }

        func advance(_ events: Int16) {
            hasAnswered = true
            var byte: UInt8 = 0
            guard recv(pair[0], &byte, 1, 0) == 1, byte == 1 else { return }
            let reason = "\(end)"
            switch end {
            case .done: state = .done
            case .refused:
                state = .failed(SQLConnectionError(.noConnection, code: .unavailable, serverCode: "1045", reason))
            case .failed: state = .failed(SQLConnectionError(.noConnection, code: .unavailable, reason))
            }
        }
    }

    private func winner(
        _ hosts: [[() -> Login]], isOrdered: Bool = false, within limit: Duration = .seconds(20)
    ) throws -> String {
        let race = HostRace(hosts.map { .success($0) }, isOrdered: isOrdered, lastingRefusals: ["1045"])
        return try race.run(until: .now + limit).place
    }

    @Test("Whoever is done first wins, if the order does not matter") func unordered() throws {
        #expect(try winner([[{ Login("far", endsAfter: 10) }], [{ Login("near") }]]) == "near")
        #expect(try winner([[{ Login("frozen", speaksAfter: nil, endsAfter: nil) }], [{ Login("other") }]]) == "other")
    }

    @Test("In a list, a near host waits for an earlier one that is far away or busy") func ordered() throws {
        let hosts: [[() -> Login]] = [[{ Login("first", endsAfter: 1.5) }], [{ Login("second") }]]
        #expect(try winner(hosts, isOrdered: true) == "first")
        let far: [[() -> Login]] = [[{ Login("first", speaksAfter: 0.3, endsAfter: 0.9) }], [{ Login("second") }]]
        #expect(try winner(far, isOrdered: true) == "first")
    }

    @Test("In a list, a host that is silent, hangs or fails leaves its place to the next")
    func orderedFailures() throws {
        for first in [
            { Login("silent", speaksAfter: nil, endsAfter: nil) }, { Login("failing", endsAfter: 0.4, .failed) },
            { Login("refusing", endsAfter: 0.4, .refused) },
        ] as [() -> Login] {
            #expect(try winner([[first], [{ Login("second") }], [{ Login("third") }]], isOrdered: true) == "second")
        }
        let hanging: [[() -> Login]] = [[{ Login("hanging", endsAfter: nil) }], [{ Login("second") }]]
        #expect(try winner(hanging, isOrdered: true, within: .seconds(3)) == "second")
    }

    @Test("A host whose first address is silent is reached by another") func addresses() throws {
        let silent = { Login("silent", speaksAfter: nil, endsAfter: nil) }
        for isOrdered in [false, true] {
            #expect(try winner([[silent, { Login("other") }]], isOrdered: isOrdered) == "other")
        }
    }

    @Test("A refused login is not tried again at the other addresses of the host; a reason is told once")
    func refusals() throws {
        let starts = Mutex(0)
        let refusing = { () -> Login in
            starts.withLock { $0 += 1 }
            return Login("refusing", .refused)
        }
        let error = try connectionError { _ = try winner([[refusing, refusing, refusing]]) }
        #expect(starts.withLock { $0 } == 1 && error.message == "refused" && error.serverCode == "1045")
        let failing = { Login("failing", .failed) }
        #expect(try connectionError { _ = try winner([[failing, failing]]) }.message == "failed")
        #expect(try connectionError { _ = try winner([]) }.kind == .noConnection)
    }

    @Test("A login that has lost the race goes on to its end, and is dropped then") func losers() throws {
        let drops = Drops()
        // It has answered, and ends when it is told to.
        let far: @Sendable () -> Login = {
            let login = Login("far", speaksAfter: nil, endsAfter: nil)
            login.onDrop = { drops.note(isBrokenOff: $0) }
            login.say(0)
            drops.keep(login.otherEnd())
            return login
        }
        #expect(try winner([[far], [{ Login("near") }]], within: .seconds(600)) == "near")
        #expect(drops.all.isEmpty)
        drops.end()
        try waitUntil("the login is dropped") { !drops.all.isEmpty }
        #expect(drops.all == [false])
    }

    @Test("A login that has lost the race, and whose host says nothing, is dropped") func silentLosers() throws {
        let drops = Drops()
        let silent: @Sendable () -> Login = {
            let login = Login("silent", speaksAfter: nil, endsAfter: nil)
            login.onDrop = { drops.note(isBrokenOff: $0) }
            return login
        }
        #expect(try winner([[silent], [{ Login("near") }]], within: .seconds(3600)) == "near")
        try waitUntil("the login is dropped") { !drops.all.isEmpty }
        #expect(drops.all == [true])
    }

    @Test("A race with a login that does not return, as in the look-up of a name, is given up") func stuckLogin() throws
    {
        let (gate, drops) = (DispatchSemaphore(value: 0), Drops())
        defer { gate.signal() }
        let stuck: @Sendable () -> Login = {
            gate.wait()
            let login = Login("stuck", speaksAfter: nil, endsAfter: nil)
            login.onDrop = { drops.note(isBrokenOff: $0) }
            return login
        }
        let isOver = Mutex(false)
        let race = Background {
            defer { isOver.withLock { $0 = true } }
            return try connectionError {
                _ = try winner([[stuck], [{ Login("other") }]], within: .milliseconds(200))
            }
        }
        try waitUntil("the race is given up") { isOver.withLock { $0 } }
        #expect(try race.get().kind == .noConnection)
        gate.signal()
        try waitUntil("the login is dropped") { !drops.all.isEmpty }
    }

    /// How logins were dropped.
    private final class Drops: Sendable {
        private let notes = Mutex<[Bool]>([])
        private let descriptor = Mutex<Int32>(-1)
        var all: [Bool] { notes.withLock { $0 } }
        func note(isBrokenOff: Bool) { notes.withLock { $0.append(isBrokenOff) } }
        func keep(_ end: Int32) { descriptor.withLock { $0 = end } }

        /// Ends the login whose other end is kept.
        func end() {
            var byte: UInt8 = 1
            descriptor.withLock { descriptor in
                _ = send(descriptor, &byte, 1, Int32(MSG_NOSIGNAL))
                close(descriptor)
            }
        }
    }

    @Test("A host without an address leaves its place to the next; its reason is told") func unknown() throws {
        let names = HostNames.addresses(of: ["no-such-host.invalid", "127.0.0.1", "::1"], within: .seconds(20))
        guard names.count == 3, case .failure(let error) = names[0] else {
            Issue.record("\(names)")
            return
        }
        #expect(error.message.contains("no-such-host.invalid") && error.kind == .noConnection)
        #expect(try names[1].get() == ["127.0.0.1"] && names[2].get() == ["::1"])
        let hosts: [Result<[() -> Login], SQLConnectionError>] = [.failure(error), .success([{ Login("other") }])]
        let race = HostRace(hosts, isOrdered: true)
        #expect(try race.run(until: .now + .seconds(20)).place == "other")
        let none = HostRace<Login>([.failure(error)])
        #expect(try connectionError { _ = try none.run(until: .now + .seconds(20)) }.message == error.message)
    }

    @Test("localhost has an address of the loopback") func localhost() throws {
        let names = HostNames.addresses(of: ["localhost"], within: .seconds(20))
        #expect(try names.first?.get().contains { ["127.0.0.1", "::1"].contains($0) } == true)
        #expect(!HostNames.isNumeric("localhost") && HostNames.isNumeric("fe80::1%lo"))
    }
}
#endif
