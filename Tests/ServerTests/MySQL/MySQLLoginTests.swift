#if MySQL
import Foundation
import TableKit
import TableSQL
import Testing
import TestServers

@testable import MySQLTables

extension MySQLTests {
    struct Logins {
        private func refusal(_ url: String) throws -> SQLConnectionError {
            try connectionError { try MySQLConnector(MySQLLogin(url), options: MySQLOptions()).connect().close() }
        }

        @Test("A refused login, an unknown database and a silent port are told apart, without the password")
        func refusals() throws {
            let server = try MySQLServer.shared()
            let admin = try server.connection()
            try admin.run("CREATE USER locked IDENTIFIED BY 'right/p@ss'")
            defer { admin.close() }
            func url(_ password: String, database: String = "") -> String {
                "mysql://locked:\(password)@127.0.0.1:\(server.port)/\(database)"
            }
            let wrong = try refusal(url("secret-wrong"))
            #expect(wrong.kind == .noConnection && wrong.serverCode == "1045", "\(wrong)")
            #expect(wrong.code == .unavailable && !wrong.message.contains("secret-wrong"))
            let right = MySQLConnector(try MySQLLogin(url("right%2Fp%40ss")), options: MySQLOptions())
            try right.connect().close()
            #expect(!right.place.contains("right"))
            let unknown = try refusal(server.networkURL(database: "nowhere"))
            #expect(unknown.kind == .noConnection && unknown.serverCode == "1049", "\(unknown)")
            let silent = try refusal("mysql://root@127.0.0.1:\(try FreePort.find())/")
            #expect(silent.kind == .noConnection && silent.serverCode == nil, "\(silent)")
        }

        private struct Item: Codable, Sendable { var id: Int }

        @Test("A refused login and an unknown database end an observation at once", .timeLimit(.minutes(10)))
        func observation() async throws {
            let server = try MySQLServer.shared()
            let admin = try server.connection()
            let user = "u\(UUID().uuidString.prefix(8))"
            try admin.run("CREATE USER \(user) IDENTIFIED BY 'right'")
            admin.close()
            let place = "127.0.0.1:\(server.port)"
            for (url, code) in [
                ("mysql://\(user):wrong@\(place)/mysql", "1045"), ("mysql://\(user):right@\(place)/mysql", "1044"),
                (server.networkURL(database: "nowhere"), "1049"),
            ] {
                var options = MySQLOptions()
                // A retry would not end within the test's limit.
                options.failoverTimeout = .seconds(3600)
                let database = Database(configuration: try MySQLDatabaseConfiguration(url, options: options))
                var values = try database.table(Item.self).values().makeAsyncIterator()
                let error = await #expect(throws: CRUDSQLExeError.self) {
                    _ = try await values.next(isolation: #isolation)
                }
                #expect(error?.code == .unavailable && error?.message.contains(code) == true, "\(error as Any)")
                try await database.close()
            }
        }

        @Test(
            "A URL that cannot be read is refused before any connection",
            arguments: [
                "postgresql://a", "mysql://a:0/b", "mysql://a:70000/b", "mysql://a/b?nonsense=1", "mysql://%zz/",
                "mysql://a/b%00c", "mysql://a/?ssl-mode=perhaps",
                "mysql://a/?socket=/" + String(repeating: "x", count: 200),
            ])
        func syntax(_ text: String) throws {
            let error = try connectionError { _ = try MySQLLogin(text) }
            #expect(error.kind == .noConnection && error.code == .argument)
            #expect(throws: CRUDSQLExeError.self) { try MySQLDatabaseConfiguration(text) }
        }

        @Test("A URL without a database is refused", arguments: ["mysql://u@h", "mysql://u@h/", "mysql://u@h/?user=a"])
        func noDatabase(_ url: String) throws {
            for make in [
                { _ = try MySQLDatabaseConfiguration(url) },
                { _ = try MySQLDatabaseConfiguration(url, tls: MySQLTLS()) },
                {
                    _ = try MySQLDatabaseConfiguration(
                        url: url, name: nil, host: nil, port: nil, user: nil, pass: nil)
                },
            ] {
                let error = try #require(throws: CRUDSQLExeError.self) { try make() }
                #expect(error.code == .argument && error.message.contains("no database"), "\(error)")
            }
            _ = try MySQLDatabaseConfiguration(url: url, name: "d", host: nil, port: nil, user: nil, pass: nil)
        }

        @Test("An empty name is no database, and its refusal blames no URL") func emptyName() throws {
            for (url, name) in [(nil, ""), (nil, nil), ("mysql://u@h/d", "")] as [(String?, String?)] {
                let error = try #require(throws: CRUDSQLExeError.self) {
                    try MySQLDatabaseConfiguration(url: url, name: name, host: "h", port: nil, user: nil, pass: nil)
                }
                #expect(error.code == .argument && error.message.contains("missing or empty"), "\(error)")
            }
        }

        @Test(
            "A refused URL shows no part of its password",
            arguments: [
                "mysql://u:se/cret@h/d", "mysql://u:se?cret@h/d", "mysql://u:se%cret@h/d", "mysql://u:12/cret@h/d",
                "mysql://u@h/d?passwort=secret", "mysql://u@h/d?ssl-mode=secret", "jdbc:mysql://u:secret@h/d",
            ])
        func secrets(_ text: String) throws {
            let error = try connectionError { _ = try MySQLLogin(text) }
            #expect(error.code == .argument && !error.message.contains("cret"), "\(error)")
        }

        @Test("A URL says hosts, ports, user, password, database and encryption") func parts() throws {
            let login = try MySQLLogin(
                "mariadb://us%40er:p%3Aw:x@h1:3307,[::1]:3308,h3/data%2Fbase?ssl-mode=verify-identity&ssl-ca=/a%20b")
            #expect(
                login.addresses == [
                    MySQLAddress(host: "h1", port: 3307), MySQLAddress(host: "::1", port: 3308),
                    MySQLAddress(host: "h3", port: 0),
                ])
            #expect(login.user == "us@er" && login.password == "p:w:x" && login.database == "data/base")
            #expect(login.tls.mode == .verifyIdentity && login.tls.authorities == "/a b")
            #expect(login.addresses.map(\.description) == ["h1:3307", "[::1]:3308", "h3:3306"])
            // Without a host, a port is one of this machine.
            #expect(try MySQLLogin("mysql://a@:3307/b").addresses == [MySQLAddress(host: "localhost", port: 3307)])
        }

        @Test("A name that the library looks up itself is looked up before, within the limit") func keptNames() throws {
            let hosts = ["no-such-host.invalid", "localhost"].map { MySQLAddress(host: $0, port: 3307) }
            let answers = MySQLAddress.addresses(of: hosts, last: nil, keepsNames: true, within: .seconds(60))
            #expect(throws: SQLConnectionError.self) { try answers[0].get() }
            #expect(try answers[1].get() == [hosts[1]])
        }

        @Test("Of several hosts, the one that takes writes is found") func readWrite() throws {
            let shared = try MySQLServer.shared()
            let other = try MySQLServer()
            defer { other.remove() }
            let admin = try other.connection()
            try admin.run("SET GLOBAL read_only = 1")
            admin.close()
            let dead = try FreePort.find()
            for choice in [MySQLHostChoice.first, .any] {
                var options = MySQLOptions()
                options.hostChoice = choice
                let text = "127.0.0.1:\(dead),127.0.0.1:\(other.port),127.0.0.1:\(shared.port)"
                let connection = try MySQLConnector(MySQLLogin("mysql://root@\(text)/mysql"), options: options)
                    .connect()
                defer { connection.close() }
                #expect(try connection.rows("SELECT @@port", as: [.int64]) == [[.integer(Int64(shared.port))]])
            }
            let none = try refusal("mysql://root@127.0.0.1:\(dead),127.0.0.1:\(other.port)/mysql")
            #expect(none.message.contains(":\(dead)") && none.message.contains(":\(other.port)"), "\(none)")
        }

        @Test("Every session has its settings") func settings() throws {
            var options = MySQLOptions()
            options.statementTimeout = .seconds(7)
            options.lockTimeout = .seconds(3)
            let connection = try MySQLServer.shared().connection(options)
            defer { connection.close() }
            let settings = [
                ("max_statement_time", "7.0"), ("innodb_lock_wait_timeout", "3"), ("lock_wait_timeout", "3"),
                ("tx_isolation", "SERIALIZABLE"), ("character_set_client", "utf8mb4"), ("time_zone", "+00:00"),
                ("collation_connection", "utf8mb4_nopad_bin"), ("autocommit", "1"), ("innodb_snapshot_isolation", "1"),
            ]
            for (name, value) in settings {
                let found = try connection.rows("SELECT @@\(name)", as: [.string])
                #expect(found == [[.text(value)]], "\(name) is \(found)")
            }
        }

        @Test("Encryption is required, and the server's identity checked, where that is asked for") func encryption()
            throws
        {
            guard Certificates.arePossible else { return }
            let certificates = try Certificates()
            defer { certificates.remove() }
            let server = try MySQLServer([
                "--ssl-cert=\(certificates.certificate("right"))", "--ssl-key=\(certificates.key("right"))",
            ])
            defer { server.remove() }
            func cipher(_ keywords: String) throws -> ColumnValue {
                var options = MySQLOptions()
                options.statementTimeout = .milliseconds(400)
                options.answerTimeout = .milliseconds(400)
                let connection = try MySQLConnector(
                    MySQLLogin(server.networkURL() + "?" + keywords), options: options
                ).connect()
                defer { connection.close() }
                let row = try connection.rows(
                    "SELECT VARIABLE_VALUE FROM information_schema.SESSION_STATUS WHERE VARIABLE_NAME = 'SSL_CIPHER'",
                    as: [.string])[0]
                // A connection that is given up amid an answer closes like any other.
                server.freeze()
                defer { server.thaw() }
                #expect(
                    (try? connectionError { _ = try connection.rows("SELECT 1", as: [.int64]) })?.kind
                        == .connectionLost,
                    "\(keywords)")
                return row[0]
            }
            #expect(try cipher("ssl-mode=disabled") == .text(""))
            #expect(try cipher("ssl-mode=preferred") != .text(""))
            #expect(try cipher("ssl-mode=required") != .text(""))
            #expect(try cipher("ssl-mode=verify-identity&ssl-ca=\(certificates.certificate("right"))") != .text(""))
            // The server may be in another part of the world.
            let way = try LongWay(to: server.port, delay: .milliseconds(150))
            defer { way.end() }
            for mode in ["preferred", "required"] {
                let connection = try MySQLConnector(
                    MySQLLogin("mysql://root@127.0.0.1:\(way.port)/mysql?ssl-mode=\(mode)"), options: MySQLOptions()
                ).connect()
                #expect(try connection.rows("SELECT 1", as: [.int64]) == [[.integer(1)]])
                connection.close()
            }
            let stranger = try connectionError {
                _ = try cipher("ssl-mode=verify-identity&ssl-ca=\(certificates.certificate("wrong"))")
            }
            #expect(stranger.kind == .noConnection)
            let plain = try connectionError {
                _ = try MySQLConnector(
                    MySQLLogin(try MySQLServer.shared().networkURL() + "?ssl-mode=required"), options: MySQLOptions()
                ).connect()
            }
            #expect(plain.kind == .noConnection)
        }
    }
}
#endif
