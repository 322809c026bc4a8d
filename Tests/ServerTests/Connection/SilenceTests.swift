#if PostgreSQL || MySQL
import Foundation
import TableKit
import Testing

@testable import TableSQL

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What shows that the server of a silent connection is gone, and what does not.
struct SilenceTests {
    /// A login that is done with the first byte.
    private final class ByteLogin: HostLogin {
        private(set) var state: HostLoginState = .waiting
        let place = "here"
        let hasAnswered = false
        private let mine: Int32
        private var other: Int32

        init() {
            var pair: [Int32] = [-1, -1]
            _ = socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair)
            (mine, other) = (pair[0], pair[1])
        }

        deinit {
            close(mine)
            hangUp()
        }

        var interest: SocketInterest? {
            guard case .waiting = state else { return nil }
            return SocketInterest(mine, Int16(POLLIN))
        }

        func advance(_ events: Int16) {
            var byte: UInt8 = 0
            state =
                recv(mine, &byte, 1, 0) == 1
                ? .done : .failed(SQLConnectionError(.noConnection, code: .unavailable, "The login has ended."))
        }

        /// The server sends a byte.
        func greet() { _ = send(other, "x", 1, 0) }

        /// The server ends the connection; resets it if there is something that it has not read.
        func hangUp(withReset: Bool = false) {
            if withReset { _ = send(mine, "x", 1, 0) }
            if other >= 0 { close(other) }
            other = -1
        }
    }

    /// A login that goes on to wait after bytes.
    private final class LongLogin: HostLogin {
        let first = ByteLogin()
        let state = HostLoginState.waiting
        let place = "here"
        let hasAnswered = false
        var interest: SocketInterest? { first.interest ?? SocketInterest(-1, 0) }
        func advance(_ events: Int16) { first.advance(events) }
    }

    /// A login whose server sends a byte at a time, for ever.
    private final class DrippingLogin: HostLogin {
        let first = ByteLogin()
        let state = HostLoginState.waiting
        let place = "here"
        let hasAnswered = true
        var interest: SocketInterest? { first.interest }
        func advance(_ events: Int16) {}
        init() { first.greet() }
    }

    /// A login at a local server whose queue is full.
    private final class QueuedLogin: HostLogin {
        let state = HostLoginState.waiting
        let place = "here"
        let hasAnswered = false
        private let own = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        deinit { close(own) }
        var interest: SocketInterest? { SocketInterest(own, Int16(POLLOUT)) }
        func advance(_ events: Int16) {}
    }

    /// A login that has failed at once.
    private final class FailedLogin: HostLogin {
        let state: HostLoginState
        let place = "here"
        let hasAnswered = false
        let interest: SocketInterest? = nil
        func advance(_ events: Int16) {}

        init(_ message: String, code: String? = nil) {
            state = .failed(SQLConnectionError(.noConnection, code: .unavailable, serverCode: code, message))
        }
    }

    @Test("Any byte of a server is an answer; silence and a reset are none") func bytes() {
        let limit = Duration.milliseconds(50)
        #expect(!HostProbe.answers(ByteLogin(), within: limit))
        let reset = ByteLogin()
        reset.hangUp(withReset: true)
        #expect(!HostProbe.answers(reset, within: .seconds(60)))
        let greeted = ByteLogin()
        greeted.greet()
        #expect(HostProbe.answers(greeted, within: .seconds(60)))
        let ended = ByteLogin()
        ended.hangUp()
        #expect(HostProbe.answers(ended, within: .seconds(60)))
        let slow = LongLogin()
        slow.first.greet()
        #expect(HostProbe.answers(slow, within: limit))
        // Without a limit for the whole, this would not end.
        #expect(HostProbe.answers(DrippingLogin(), within: limit))
        #expect(!HostProbe.answers(QueuedLogin(), within: .seconds(60)))
    }

    @Test("A login that fails on this machine shows nothing about the server; a refused connection does")
    func failures() {
        let limit = Duration.seconds(60)
        for (message, code) in [
            ("could not translate host name \"db\" to address: Name or service not known", nil),
            ("could not open certificate file \"a\": \(String(cString: strerror(ENOENT)))", nil),
            ("Too many open files", nil),
            ("Unknown server host 'db' (-3)", nil), ("password authentication failed", "28P01"),
        ] {
            #expect(HostProbe.answers(FailedLogin(message, code: code), within: limit), "\(message)")
        }
        let refused = String(cString: strerror(ECONNREFUSED))
        for message in [
            "connection to server failed: \(refused)", "Can't connect to server on 'db' (\(ECONNREFUSED))",
            "connection to server failed: \(String(cString: strerror(ENETUNREACH)))",
            "connection to server on socket \"/s\" failed: \(String(cString: strerror(ENOENT)))",
            "Can't connect to local server through socket '/s' (\(ENOENT))",
        ] {
            #expect(!HostProbe.answers(FailedLogin(message), within: limit), "\(message)")
        }
    }

    @Test("A verdict does not count if the connection was heard since the question") func verdict() throws {
        let probe = SilenceProbe(after: .milliseconds(1)) { false }
        probe.begin()
        let silence = Moment.now - .seconds(1)
        try waitUntil("the server is taken for dead") { probe.isDead(silentSince: silence) }
        #expect(!probe.isDead(silentSince: .now))
        #expect(!probe.isDead(silentSince: .now))
    }
}
#endif
