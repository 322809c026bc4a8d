#if PostgreSQL
import Foundation
import TableKit
import TableSQL
import Testing
import TestServers

@testable import PostgresTables

/// How observers share the lock that makes commits announced.
extension PostgresTests.Observation {
    private func connection(_ text: String) throws -> PostgresConnection {
        try PostgresConnector(text, options: PostgresOptions()).connect()
    }

    @Test("Observers that end beside another one leave no session behind", .timeLimit(.minutes(5)))
    func remains() async throws {
        let text = try string()
        let observer = try program(text)
        try await observer.create(Item.self)
        var values = try values(observer)
        try await take([], &values)
        for _ in 0..<5 {
            let other = try program(text) { $0.applicationName = "other" }
            var values = try self.values(other)
            try await take([], &values)
            try await other.close()
        }
        let question =
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'other'"
        let connection = try connection(text)
        defer { connection.close() }
        while try connection.rows(question, as: [.int64]) != [[.integer(0)]] {
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    @Test("An index is built concurrently while several programs observe", .timeLimit(.minutes(5)))
    func snapshots() async throws {
        let text = try string()
        let observers = try (0..<3).map { _ in try program(text) }
        try await observers[0].create(Item.self)
        var all: [Values] = []
        for observer in observers {
            var values = try values(observer)
            try await take([], &values)
            all.append(values)
        }
        let connection = try connection(text)
        defer { connection.close() }
        // Waits for all older snapshots of the database, up to the time-out of statements.
        try connection.run("CREATE INDEX CONCURRENTLY ON \"Item\" (size)")
        try connection.run("INSERT INTO \"Item\" VALUES (1, 1)")
    }

    @Test("When an observing program ends, the others hear of commits", .timeLimit(.minutes(5)))
    func handover() async throws {
        let text = try string()
        let writer = try program(text)
        try await writer.create(Item.self)
        let last = try program(text)
        var values = try values(last)
        try await take([], &values)
        for number in 1...3 {
            let first = try program(text)
            var others = try self.values(first)
            try await take(Array(1..<number), &others)
            try await (number.isMultiple(of: 2) ? first : writer).table(Item.self)
                .insert(Item(id: number, size: number))
            try await take(Array(1...number), &values)
            try await first.close()
        }
        // The holder ends, and another program has listened meanwhile.
        let next = try program(text)
        var others = try self.values(next)
        try await take([1, 2, 3], &others)
        try await last.close()
        try await writer.table(Item.self).insert(Item(id: 4, size: 4))
        try await take([1, 2, 3, 4], &others)
    }

    @Test("Observation begins beside a long transaction that shares the lock", .timeLimit(.minutes(5)))
    func longSharer() async throws {
        let text = try string()
        let (writer, observer) = (try program(text), try program(text) { $0.pollingInterval = .milliseconds(20) })
        try await writer.create(Item.self)
        try await writer.configuration.announceForeignChanges(of: "Item")
        let sharer = try connection(text)
        defer { sharer.close() }
        try sharer.run("BEGIN")
        try sharer.run("INSERT INTO \"Item\" VALUES (1, 1)")
        var values = try values(observer)
        try await take([], &values)
        // Its changes are announced only while somebody queues for the lock.
        try await writer.table(Item.self).insert(Item(id: 2, size: 2))
        try await take([2], &values)
        try sharer.run("COMMIT")
        try await take([1, 2], &values)
        while try await holders(writer) != 1 { try await Task.sleep(for: .milliseconds(20)) }
        try await writer.table(Item.self).insert(Item(id: 3, size: 3))
        try await take([1, 2, 3], &values)
    }

    @Test("Observation works where a pooler names other processes to its clients", .timeLimit(.minutes(5)))
    func otherProcesses() async throws {
        let server = try PostgresServer.shared()
        let name = try server.makeDatabase()
        let way = try LongWay(to: server.port) { bytes in
            // BackendKeyData: its length is 12, and the number of the process follows. ReadyForQuery comes behind it.
            let (key, ready): ([UInt8], [UInt8]) = ([0x4B, 0, 0, 0, 12], [0x5A, 0, 0, 0, 5])
            guard bytes.count > 19, Array(bytes.dropLast(14).suffix(5)) == key,
                Array(bytes.suffix(6).prefix(5)) == ready
            else { return }
            for index in bytes.count - 14..<bytes.count - 10 { bytes[index] = 0x7F }
        }
        defer { way.end() }
        let observer = try program(
            "host=127.0.0.1 port=\(way.port) user=postgres dbname=\(name) sslmode=disable gssencmode=disable")
        let writer = try program(server.connectionString(database: name))
        try await writer.create(Item.self)
        var values = try values(observer)
        try await take([], &values)
        #expect(try await holders(writer) == 1)
        try await writer.table(Item.self).insert(Item(id: 1, size: 1))
        try await take([1], &values)
    }

    @Test("Behind a pooler observation polls and commits are announced", .timeLimit(.minutes(5)))
    func pooled() async throws {
        let text = try string()
        let pooled = try program(text) {
            $0.preparedStatements = 0
            $0.pollingInterval = .milliseconds(20)
        }
        let writer = try program(text)
        try await writer.create(Item.self)
        var values = try values(pooled)
        try await take([], &values)
        try await writer.table(Item.self).insert(Item(id: 1, size: 1))
        try await take([1], &values)
        #expect(try await holders(writer) == 0)
        var announced = try self.values(writer)
        try await take([1], &announced)
        try await pooled.table(Item.self).insert(Item(id: 2, size: 2))
        try await take([1, 2], &announced)
        try await take([1, 2], &values)
    }
}
#endif
