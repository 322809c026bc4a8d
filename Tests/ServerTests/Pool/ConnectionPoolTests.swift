#if PostgreSQL || MySQL
import Foundation
import Synchronization
import TableKit
import TableSQL
import Testing

/// What a pool does while its server has no room for another connection.
struct ConnectionPoolTests {
    private typealias Pool = ConnectionPool<FullServerConnector>

    private static let long = 3600.0

    private func pool(
        _ server: FullServer, most: Int = 8, acquireTimeout: Double = long, pause: Double = long
    ) -> Pool {
        var options = ConnectionPoolOptions()
        options.maximumConnections = most
        options.acquireTimeout = acquireTimeout
        options.fullServerPause = pause
        return ConnectionPool(FullServerConnector(server: server), options)
    }

    /// Starts a caller and waits until it is in the queue.
    private func waiter<R: Sendable>(
        _ pool: Pool, _ body: @escaping @Sendable () throws -> R
    ) throws -> Background<R> {
        let before = pool.waitingCallers
        let work = Background(body)
        try waitUntil("the caller waits") { pool.waitingCallers == before + 1 }
        return work
    }

    @Test("Callers wait for the connections that exist, first come, first served") func order() throws {
        let server = FullServer(room: 2)
        let pool = pool(server)
        let (first, second) = (try pool.acquire(), try pool.acquire())
        let served = Mutexed<[Int]>([])
        let callers = try (0..<20).map { number in
            try waiter(pool) {
                try pool.withConnection { _ in served.value.withLock { $0.append(number) } }
            }
        }
        // One caller has asked the server.
        #expect(server.logins == 3 && server.open == 2)
        pool.release(first)
        for caller in callers { try caller.get() }
        #expect(served.value.withLock { $0 } == Array(0..<20))
        #expect(server.logins == 3)
        pool.release(second)
    }

    @Test("A caller that is refused goes before those that came after it") func place() throws {
        let answer = DispatchSemaphore(value: 0)
        let server = FullServer(room: 1) { if $0 == 2 { answer.wait() } }
        let pool = pool(server)
        let held = try pool.acquire()
        let served = Mutexed<[Int]>([])
        let use: @Sendable (Int) throws -> Void = { number in
            try pool.withConnection { _ in served.value.withLock { $0.append(number) } }
        }
        let first = Background { try use(1) }
        try waitUntil("the first logs in") { server.logins == 2 }
        let second = try waiter(pool) { try use(2) }
        answer.signal()
        try waitUntil("both wait") { pool.waitingCallers == 2 }
        pool.release(held)
        try first.get()
        try second.get()
        #expect(served.value.withLock { $0 } == [1, 2])
    }

    @Test("A caller tries again that is refused while the last connection ends") func ends() throws {
        let answer = DispatchSemaphore(value: 0)
        let server = FullServer(room: 1) { number in
            guard number == 2 else { return }
            answer.wait()
            throw FullServer.refusal
        }
        let pool = pool(server)
        let held = try pool.acquire()
        let caller = Background { try pool.withConnection { $0.isUsable } }
        try waitUntil("the caller logs in") { server.logins == 2 }
        held.sever()
        pool.release(held)
        answer.signal()
        #expect(try caller.get())
        #expect(server.logins == 3 && server.open == 1)
    }

    @Test("The slots of connections that end go to callers, in order where there is one slot", arguments: [1, 3])
    func slots(most: Int) throws {
        let server = FullServer(room: 1)
        let pool = pool(server, most: most)
        let held = try pool.acquire()
        let served = Mutexed<[Int]>([])
        let callers = try (0..<4).map { number in
            try waiter(pool) {
                let connection = try pool.acquire()
                served.value.withLock { $0.append(number) }
                // The next caller gets the slot, and its login finds room again.
                connection.sever()
                pool.release(connection)
            }
        }
        held.sever()
        pool.release(held)
        for caller in callers { try caller.get() }
        let order = served.value.withLock { $0 }
        // With more slots, a caller that the server has just refused may come after the next one.
        #expect(most == 1 ? order == [0, 1, 2, 3] : order.sorted() == [0, 1, 2, 3], "\(order)")
        #expect(server.open == 0)
    }

    @Test("Tasks wait as well") func tasks() async throws {
        let server = FullServer(room: 1)
        let pool = pool(server)
        let held = try await pool.acquire()
        let tasks = (0..<20).map { _ in Task { try await pool.withConnection { $0.isUsable } } }
        while pool.waitingCallers < 20 { await Task.yield() }
        pool.release(held)
        for task in tasks { #expect(try await task.value) }
        #expect(server.open == 1)
    }

    @Test("Without a connection, the refusal is thrown") func refusal() async throws {
        let server = FullServer(room: 0)
        let pool = pool(server)
        for logins in 1...3 {
            let error = try connectionError { _ = try pool.acquire() }
            #expect(error.kind == .noConnection && error.serverCode == FullServer.code)
            #expect(server.logins == logins && pool.waitingCallers == 0)
        }
        await #expect(throws: SQLConnectionError.self) { _ = try await pool.acquire() }
        server.room = 1
        #expect(try await pool.withConnection { $0.isUsable })
    }

    @Test("Callers whose first logins a full server refuses at once try again after a pause, and are then refused")
    func refusedTogether() throws {
        let second = DispatchSemaphore(value: 0)
        let server = FullServer(room: 0) { if $0 == 1 { second.wait() } else if $0 == 2 { second.signal() } }
        let pool = pool(server, pause: 0.5)
        let callers = (0..<2).map { _ in Background { _ = try pool.acquire() } }
        for caller in callers {
            let error = try connectionError { _ = try caller.get() }
            #expect(error.kind == .noConnection && error.serverCode == FullServer.code)
        }
        #expect(server.logins <= 4, "\(server.logins) logins")
        #expect(pool.waitingCallers == 0)
    }

    @Test("Who has waited too long is told of the refusal") func timeout() async throws {
        let server = FullServer(room: 1)
        let pool = pool(server, acquireTimeout: 0.1)
        let held = try await pool.acquire()
        var errors = [try connectionError { _ = try pool.acquire() }]
        // This one finds the pool without room, and does not ask the server.
        errors.append(try connectionError { _ = try pool.acquire() })
        #expect(server.logins == 2)
        do { _ = try await pool.acquire() } catch let error as SQLConnectionError { errors.append(error) }
        #expect(errors.count == 3)
        for error in errors {
            #expect(error.kind == .noConnection && error.serverCode == FullServer.code)
            #expect(error.message.contains("too many clients"), "\(error)")
        }
        #expect(pool.waitingCallers == 0)
        pool.release(held)
        #expect(try await pool.withConnection { $0.isUsable })
    }

    @Test("A pool whose connections are all in use says so, though its server was full before") func inUse() throws {
        let server = FullServer(room: 1)
        let pool = pool(server, most: 2, acquireTimeout: 5, pause: 0.01)
        let first = try pool.acquire()
        let caller = try waiter(pool) { try pool.acquire() }
        server.room = 2
        let second = try caller.get()
        let error = try connectionError { _ = try pool.acquire() }
        #expect(error.serverCode == nil && error.message.contains("All 2 connections"), "\(error)")
        pool.release(first)
        pool.release(second)
    }

    @Test("A cancelled task leaves the queue") func cancellation() async throws {
        let server = FullServer(room: 1)
        let pool = pool(server)
        let held = try await pool.acquire()
        let tasks = (0..<3).map { _ in Task { try await pool.withConnection { $0.isUsable } } }
        while pool.waitingCallers < 3 { await Task.yield() }
        for task in tasks[..<2] { task.cancel() }
        for task in tasks[..<2] { await #expect(throws: CancellationError.self) { try await task.value } }
        #expect(pool.waitingCallers == 1)
        pool.release(held)
        #expect(try await tasks[2].value)
    }

    @Test("Closing ends the wait") func closing() throws {
        let server = FullServer(room: 1)
        let pool = pool(server)
        let held = try pool.acquire()
        let callers = try (0..<3).map { _ in try waiter(pool) { try connectionError { _ = try pool.acquire() } } }
        pool.close()
        for caller in callers { #expect(try caller.get().message.contains("closed")) }
        pool.release(held)
        #expect(server.open == 0)
    }

    @Test("When the server has room again, all that wait get connections") func room() throws {
        let server = FullServer(room: 1)
        let pool = pool(server, pause: 0.05)
        let held = try pool.acquire()
        let callers = try (0..<5).map { _ in try waiter(pool) { try pool.acquire() } }
        server.room = 8
        let connections = try callers.map { try $0.get() }
        #expect(server.open == 6)
        for connection in connections + [held] { pool.release(connection) }
    }

    @Test("When the last connection ends, the first caller is refused, and not all") func lastConnection() throws {
        let server = FullServer(room: 1)
        let pool = pool(server)
        let held = try pool.acquire()
        let callers = try (0..<5).map { _ in try waiter(pool) { try connectionError { _ = try pool.acquire() } } }
        server.room = 0  // Another program takes the place.
        held.sever()
        pool.release(held)
        #expect(try callers[0].get().serverCode == FullServer.code)
        #expect(pool.waitingCallers == 4 && server.logins == 3)
        // A new caller does not pass them.
        let last = try waiter(pool) { try connectionError { _ = try pool.acquire() } }
        #expect(server.logins == 3)
        pool.close()
        for caller in callers[1...] + [last] { #expect(try caller.get().message.contains("closed")) }
    }

    @Test("When the server is gone, all for which there are slots try at the same time") func gone() throws {
        let (most, end) = (8, DispatchSemaphore(value: 0))
        let server = FullServer(room: 1) { number in
            if number < 3 { return }
            // The first login fails at once; the others take their time.
            if number > 3 {
                end.wait()
                end.signal()
            }
            throw SQLConnectionError(.noConnection, code: .unavailable, "nobody is there")
        }
        let pool = pool(server, most: most)
        let held = try pool.acquire()
        let callers = try (0..<10).map { _ in try waiter(pool) { try connectionError { _ = try pool.acquire() } } }
        held.sever()
        pool.release(held)
        try waitUntil("all slots are in use") { server.logins == 3 + most }
        #expect(pool.waitingCallers == 1)
        end.signal()
        for caller in callers { #expect(try caller.get().message == "nobody is there") }
        #expect(server.logins == 12 && pool.waitingCallers == 0)
    }

    @Test("Who has waited in vain for a server that is gone is told why logins fail") func reason() throws {
        let end = DispatchSemaphore(value: 0)
        let server = FullServer(room: 1) { number in
            if number > 1 { end.wait() }
            throw SQLConnectionError(.noConnection, code: .unavailable, "nobody is there")
        }
        let pool = pool(server, most: 1, acquireTimeout: 0.1)
        #expect(try connectionError { _ = try pool.acquire() }.message == "nobody is there")
        let second = Background { try connectionError { _ = try pool.acquire() } }
        try waitUntil("the second logs in") { server.logins == 2 }
        let error = try connectionError { _ = try pool.acquire() }
        #expect(error.message.contains("nobody is there") && !error.message.contains("in use"), "\(error)")
        end.signal()
        #expect(try second.get().message == "nobody is there")
    }

    @Test("No slot and no caller is lost, whatever ends") func storm() async throws {
        let most = 4
        let server = FullServer(room: most)
        let pool = pool(server, most: most, acquireTimeout: 0.02, pause: 0.001)
        let use: @Sendable (FullServerConnection) -> Void = { connection in
            usleep(.random(in: 0...300))
            if Int.random(in: 0..<8) == 0 { connection.sever() }
        }
        let threads = (0..<6).map { _ in
            Background {
                for _ in 0..<300 {
                    // Time-outs and refusals are expected.
                    do { try pool.withConnection { use($0) } } catch is SQLConnectionError {}
                }
            }
        }
        let weather = Background {
            for _ in 0..<300 {
                server.room = .random(in: 0...most)
                usleep(1000)
            }
            server.room = most
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<300 {
                let task = Task { try await pool.withConnection { use($0) } }
                if Bool.random() { task.cancel() }
                group.addTask {
                    do { try await task.value } catch is SQLConnectionError {} catch is CancellationError {}
                }
            }
            try await group.waitForAll()
        }
        try await onThread {
            for thread in threads { try thread.get() }
            try weather.get()
            #expect(pool.waitingCallers == 0)
            // The pool can have all its connections at once.
            var connections: [FullServerConnection] = []
            try waitUntil("all connections are there") {
                do { connections.append(try pool.acquire()) } catch is SQLConnectionError {}
                return connections.count == most
            }
            #expect(server.open == most)
            for connection in connections { pool.release(connection) }
            pool.close()
            #expect(server.open == 0)
        }
    }
}

/// A value behind a lock, which closures share.
private final class Mutexed<Value: Sendable>: Sendable {
    let value: Mutex<Value>
    init(_ value: Value) { self.value = Mutex(value) }
}
#endif
