#if PostgreSQL
import Foundation
import Synchronization
import TableKit
import TableSQL
import Testing
import TestServers

@testable import PostgresTables

/// Observers where commits, servers or connections fail.
extension PostgresTests.Observation {
    @Test(
        "A commit of unknown outcome that becomes visible later reaches the observers of its own program",
        .timeLimit(.minutes(5)))
    func lateCommit() async throws {
        let server = try PostgresServer(settings: [
            "synchronous_standby_names": "nobody", "synchronous_commit": "local",
        ])
        defer { server.remove() }
        let way = try LongWay(to: server.port)
        defer { way.end() }
        let admin = try program(server.connectionString())
        try await admin.create(Item.self)
        // Its commits wait for a standby which is not there.
        let database = try program(
            "host=127.0.0.1 port=\(way.port) user=postgres dbname=postgres options='-c synchronous_commit=on'")
        var values = try values(database)
        try await take([], &values)
        let pool = admin.configuration.server.pool
        let waiting = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
        for number in 1...2 {
            let item = Item(id: number, size: number)
            let change = Task {
                // COMMIT goes with the change.
                if number == 1 { return try await onThread { _ = try database.table(Item.self).insert(item) } }
                try await database.transaction { () -> Void in try await database.table(Item.self).insert(item) }
            }
            var port: Int?
            while port == nil {
                port = try await pool.withConnection {
                    try $0.rows("SELECT client_port " + waiting, as: [.int64]).first?.first?.int
                }
            }
            way.cut(try #require(port))
            let error = await #expect(throws: CRUDSQLExeError.self) { try await change.value }
            #expect(error?.code == .unknownOutcome)
            // The observer looks at once, and sees nothing of it.
            try await take(Array(1..<number), &values)
            try await run(admin, "SELECT pg_cancel_backend(pid) " + waiting)
            try await take(Array(1...number), &values)
        }
    }

    @Test(
        "An observation begins, although the network loses the answer to one of its listener's statements",
        .timeLimit(.minutes(5)), arguments: ["LISTEN", "COMMIT"])
    func lostAnswer(_ tag: String) async throws {
        let server = try PostgresServer.shared()
        let name = try server.makeDatabase()
        let writer = try program(server.connectionString(database: name))
        try await writer.create(Item.self)
        let isLost = Mutex(false)
        let way = try LongWay(to: server.port) { bytes in
            // CommandComplete with this tag. What is no message ends the connection.
            let end: [UInt8] = [0x43, 0, 0, 0, 11] + Array(tag.utf8) + [0]
            guard bytes.firstRange(of: end) != nil else { return }
            let wasLost = isLost.withLock { isLost in
                defer { isLost = true }
                return isLost
            }
            if wasLost { return }
            for index in bytes.indices { bytes[index] = 0 }
        }
        defer { way.end() }
        let observer = try program(
            "host=127.0.0.1 port=\(way.port) user=postgres dbname=\(name) sslmode=disable gssencmode=disable")
        var values = try values(observer)
        try await take([], &values)
        #expect(isLost.withLock { $0 })
        try await writer.table(Item.self).insert(Item(id: 1, size: 1))
        try await take([1], &values)
    }

    @Test(
        "An observation begins, although the network loses a session of its listener and the server answers others",
        .timeLimit(.minutes(5)), arguments: ["LISTEN", "SET"])
    func silentListener(_ tag: String) async throws {
        let server = try PostgresServer.shared()
        let name = try server.makeDatabase()
        let writer = try program(server.connectionString(database: name))
        try await writer.create(Item.self)
        let isLost = Mutex(false)
        let way = try LongWay(to: server.port) { bytes in
            // The listener's sessions alone have a row and this tag in one answer.
            let isListener = ["SELECT 1", tag].allSatisfy { tag in
                bytes.firstRange(of: [0x43, 0, 0, 0, UInt8(tag.utf8.count + 5)] + Array(tag.utf8) + [0]) != nil
            }
            guard isListener else { return }
            let wasLost = isLost.withLock { isLost in
                defer { isLost = true }
                return isLost
            }
            if !wasLost { bytes = [] }
        }
        defer { way.end() }
        let observer = try program(
            "host=127.0.0.1 port=\(way.port) user=postgres dbname=\(name) sslmode=disable gssencmode=disable"
        ) {
            // A wait as long as a statement may take would not end within the test's limit.
            $0.statementTimeout = .seconds(3600)
            $0.failoverTimeout = .seconds(3600)
        }
        var values = try values(observer)
        try await take([], &values)
        #expect(isLost.withLock { $0 })
        try await writer.table(Item.self).insert(Item(id: 1, size: 1))
        try await take([1], &values)
    }

    @Test("Others use the connection of an observer while its listener logs in", .timeLimit(.minutes(5)))
    func slowLogin() async throws {
        let server = try PostgresServer.shared()
        let name = try server.makeDatabase()
        let holdsNext = Mutex(false)
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let end = DispatchSemaphore(value: 0)
        defer { end.signal() }
        let way = try LongWay(to: server.port) { bytes in
            // AuthenticationOk begins the answer to a login.
            let accepted: [UInt8] = [0x52, 0, 0, 0, 8, 0, 0, 0, 0]
            guard bytes.firstRange(of: accepted) != nil else { return }
            let isHeld = holdsNext.withLock { holdsNext in
                defer { holdsNext = false }
                return holdsNext
            }
            if !isHeld { return }
            begin.finish()
            end.wait()
        }
        defer { way.end() }
        let observer = try program(
            "host=127.0.0.1 port=\(way.port) user=postgres dbname=\(name) sslmode=disable gssencmode=disable"
        ) {
            $0.maximumConnections = 1
            // The end of the login would not come within the test's limit.
            $0.connectTimeout = .seconds(3600)
        }
        try await observer.create(Item.self)
        holdsNext.withLock { $0 = true }
        var values = try values(observer)
        for await _ in begun {}
        try await observer.table(Item.self).insert(Item(id: 1, size: 1))
        end.signal()
        try await take([1], &values)
    }

    @Test("A role that only reads keeps its listener", .timeLimit(.minutes(5))) func readOnlyRole() async throws {
        let server = try PostgresServer.shared()
        let name = try server.makeDatabase()
        let writer = try program(server.connectionString(database: name))
        try await writer.create(Item.self)
        for text in [
            "CREATE ROLE only_\(name) LOGIN", "ALTER ROLE only_\(name) SET default_transaction_read_only = on",
            "GRANT SELECT ON \"Item\" TO only_\(name)",
        ] { try await run(writer, text) }
        let observer = try program(server.connectionString(database: name, user: "only_\(name)"))
        var values = try values(observer)
        try await take([], &values)
        let pool = writer.configuration.server.pool
        let beat = "query LIKE 'SHOW transaction_read_only%'"
        let find =
            "SELECT pid FROM pg_stat_activity WHERE usename = 'only_\(name)' AND (query LIKE 'LISTEN%' OR \(beat))"
        let found = try await pool.withConnection { try $0.rows(find, as: [.int64]).first?.first?.int }
        let listener = try #require(found)
        let look =
            "SELECT CASE WHEN \(beat) THEN query_start::text END FROM pg_stat_activity WHERE pid = \(listener)"
        // The same session is asked again and again.
        var beats: Set<String> = []
        while beats.count < 3 {
            let row = try await pool.withConnection { try $0.rows(look, as: [.string]).first }
            if case .text(let time) = try #require(row, "The listener has ended.")[0] { beats.insert(time) }
            try await Task.sleep(for: .milliseconds(20))
        }
        try await writer.table(Item.self).insert(Item(id: 1, size: 1))
        try await take([1], &values)
    }

    @Test("Listeners that end at once are replaced with pauses", .timeLimit(.minutes(5)))
    func endedListeners() async throws {
        let text = try string()
        let (observer, writer) = (try program(text), try program(text))
        try await writer.create(Item.self)
        var values = try values(observer)
        try await take([], &values)
        let end =
            "SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity"
            + " WHERE datname = current_database() AND query LIKE 'LISTEN%'"
        let pool = writer.configuration.server.pool
        var ended: Set<Int> = []
        let begin = ContinuousClock.now
        var time = Duration.zero
        while time < .seconds(3) {
            ended.formUnion(
                try await pool.withConnection { try $0.rows(end, as: [.int64, .bool]).compactMap { $0[0].int } })
            time = .now - begin
        }
        // A slow machine ends fewer.
        #expect(Double(ended.count) <= time / .milliseconds(500) * 2 + 4, "\(ended.count) in \(time)")
        try await writer.table(Item.self).insert(Item(id: 1, size: 1))
        try await take([1], &values)
    }

    @Test(
        "An observer hears of commits after its listener has ended at once, although no time is given to a failover",
        .timeLimit(.minutes(5)))
    func endedListener() async throws {
        let text = try string()
        let observer = try program(text) {
            $0.failoverTimeout = .zero
            // A poll would not come within the test's limit.
            $0.pollingInterval = .seconds(3600)
        }
        let writer = try program(text)
        try await writer.create(Item.self)
        var values = try values(observer)
        try await take([], &values)
        let end = "SELECT count(pg_terminate_backend(pid)) FROM pg_locks WHERE \(CommitChannel.isHeld)"
        let pool = writer.configuration.server.pool
        var ended = 0
        while ended == 0 { ended = try await pool.withConnection { try $0.rows(end, as: [.int64]) }[0][0].int ?? 0 }
        // The observer reads again when its listener's thread has begun another or has given up.
        try await take([], &values)
        try await writer.table(Item.self).insert(Item(id: 1, size: 1))
        try await take([1], &values)
    }

    @Test(
        "Observers poll while the server has no room for a new listener, and do not wait for it",
        .timeLimit(.minutes(5)))
    func noRoomForListener() async throws {
        let server = try PostgresServer.shared()
        let name = try server.makeDatabase()
        let writer = try program(server.connectionString(database: name))
        try await writer.create(Item.self)
        for text in ["CREATE ROLE few_\(name) LOGIN", "GRANT SELECT ON \"Item\" TO few_\(name)"] {
            try await run(writer, text)
        }
        let observer = try program(server.connectionString(database: name, user: "few_\(name)")) {
            // Its one connection stays.
            $0.maximumConnections = 1
            $0.healthCheckAfter = 3600
            $0.pollingInterval = .milliseconds(50)
            // The end of the attempts would not come within the test's limit.
            $0.failoverTimeout = .seconds(3600)
        }
        var values = try values(observer)
        try await take([], &values)
        try await run(writer, "ALTER ROLE few_\(name) CONNECTION LIMIT 0")
        let end =
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = 'few_\(name)'"
            + " AND pid IN (SELECT pid FROM pg_locks WHERE \(CommitChannel.isHeld))"
        let pool = writer.configuration.server.pool
        let ended = try await pool.withConnection { try $0.rows(end, as: [.int64]) }
        #expect(ended == [[.integer(1)]])
        while try await holders(writer) != 0 {}
        // Nobody announces it.
        try await writer.table(Item.self).insert(Item(id: 1, size: 1))
        try await take([1], &values)
        try await observer.close()
    }

    @Test(
        "Where one address leads to two servers, both sessions of a listener are at one of them",
        .timeLimit(.minutes(5)))
    func twoServers() async throws {
        let (server, other) = (try PostgresServer.shared(), try PostgresServer())
        defer { other.remove() }
        let name = try server.makeDatabase()
        let admin = try other.connection()
        try admin.run("CREATE DATABASE \(name)")
        admin.close()
        // The read of the observer comes first, then the session that listens.
        let way = try LongWay(to: server.port, other.port, server.port)
        defer { way.end() }
        let writer = try program(server.connectionString(database: name))
        try await writer.create(Item.self)
        let observer = try program("host=127.0.0.1 port=\(way.port) user=postgres dbname=\(name)")
        var values = try values(observer)
        try await take([], &values)
        try await writer.table(Item.self).insert(Item(id: 1, size: 1))
        try await take([1], &values)
    }
}
#endif
