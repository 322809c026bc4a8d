#if MySQL
import Foundation
import TableKit
import TableSQL
import Testing
import TestServers

@testable import MySQLTables

extension MySQLTests {
    /// Networks and settings that differ from those of a server of one's own.
    struct Fields {
        private struct Person: Codable { var id: Int }
        private struct Place: Codable, TableNameProvider {
            static let tableName = "place"
            var id: Int
        }

        @Test("A port of localhost is a port, not the socket of the server that happens to run there") func localhost()
            throws
        {
            let server = try MySQLServer.shared()
            let connection = try MySQLConnector(
                MySQLLogin("mysql://root@localhost:\(server.port)/mysql"), options: MySQLOptions()
            ).connect()
            defer { connection.close() }
            #expect(try connection.rows("SELECT @@port", as: [.int64]) == [[.integer(Int64(server.port))]])
        }

        @Test("A server that says OFF where others say 0 takes writes") func words() {
            for (text, takesWrites) in [
                ("0", true), ("OFF", true), ("1", false), ("ON", false), ("NO_LOCK_NO_ADMIN", false),
            ] {
                let state = NodeState([text, "1024", nil, nil, nil, "a:1 1"])
                #expect((state.refusal(isWriterNeeded: true) == nil) == takesWrites, "\(text)")
                #expect(state.refusal(isWriterNeeded: false) == nil && state.identity == "a:1 1")
            }
        }

        @Test("Numbers that no server sends do no harm") func malformed() {
            for (text, size) in [("-9223372036854775808", 2048), ("9223372036854775807", 1 << 30), ("4096", 4096)] {
                #expect(NodeState(["0", text, nil, nil, nil, "a:1 1"]).maximumPacket == size)
            }
            var row: [UInt8] = [254] + Array(repeating: 255, count: 8) + [1, 65]
            row.withUnsafeMutableBufferPointer { row in
                guard let start = row.baseAddress else { return }
                var cursor = WireCursor(start)
                #expect(cursor.text().isEmpty && cursor.isMalformed && cursor.place == start + 9)
                var sound = WireCursor(start + 9)
                #expect(Array(sound.text()) == [65] && !sound.isMalformed)
            }
        }

        @Test("A cancellation behind a proxy ends no statement of another server") func strangers() throws {
            let (own, other) = (try MySQLServer(), try MySQLServer.shared())
            defer { own.remove() }
            let way = try LongWay(to: own.port, other.port, delay: .milliseconds(1))
            defer { way.end() }
            func open(_ port: Int) throws -> MySQLConnection {
                try MySQLConnector(MySQLLogin("mysql://root@127.0.0.1:\(port)/mysql"), options: MySQLOptions())
                    .connect()
            }
            func number(_ connection: MySQLConnection) throws -> ColumnValue {
                try connection.rows("SELECT CONNECTION_ID()", as: [.int64])[0][0]
            }
            // The same number on both servers, which count for themselves.
            var stranger = try open(other.port)
            defer { stranger.close() }
            let first = try open(own.port)
            guard case .integer(let least) = try number(first), case .integer(var wanted) = try number(stranger) else {
                return
            }
            first.close()
            while wanted < least + 3 {
                stranger.close()
                stranger = try open(other.port)
                guard case .integer(let next) = try number(stranger) else { return }
                wanted = next
            }
            while true {
                let spare = try open(own.port)
                defer { spare.close() }
                guard case .integer(let last) = try number(spare) else { return }
                try #require(last < wanted)
                if last == wanted - 1 { break }
            }
            let cancelled = try open(way.port)
            defer { cancelled.close() }
            #expect(try number(cancelled) == .integer(wanted))
            let sleeping = Background { [stranger] in try stranger.rows("SELECT SLEEP(2)", as: [.int64]) }
            let waiting = Background { try? cancelled.rows("SELECT SLEEP(1)", as: [.int64]) }
            usleep(300_000)
            cancelled.cancel()
            #expect(try sleeping.get() == [[.integer(0)]])
            _ = try waiting.get()
        }

        @Test("Limits of a server: names in small letters only, and few prepared statements") func limits() throws {
            let server = try MySQLServer(["--lower-case-table-names=1", "--max-prepared-stmt-count=8"])
            defer { server.remove() }
            let database = Database(
                configuration: try MySQLDatabaseConfiguration(server.url(database: try server.makeDatabase())))
            let error = #expect(throws: CRUDSQLExeError.self) { try database.create(Person.self) }
            #expect(error?.code == .unsupported && error?.message.contains("lower_case_table_names") == true)
            try database.create(Place.self).insert(Place(id: 1))
            #expect(throws: CRUDSQLExeError.self) { try database.alter(.renameTable("place", to: "Place2")) }
            #expect(try database.table(Place.self).count() == 1)
            try database.configuration.close()
            let connections = [try server.connection(), try server.connection()]
            for number in 0..<40 {
                #expect(
                    try connections[number % 2].rows(
                        "SELECT ?, \(number)", [.value(.integer(1), .int64)], as: [.int64, .int64])
                        == [[.integer(1), .integer(Int64(number))]])
            }
            for connection in connections { connection.close() }
        }
    }
}
#endif
