#if MySQL
import Foundation
import TableKit
import TableSQL
import TestServers

@testable import MySQLTables

extension GaleraCluster: TestCluster {
    /// Whether tests that take minutes are to run.
    static let isWanted =
        isAvailable && ProcessInfo.processInfo.environment["SILTSTONE_THOROUGH"].map { $0 != "0" } ?? false
    /// Why they do not.
    static let refusal = "Not the thorough form, or there is no Galera here (Debian: galera-4 and rsync)."

    /// A connection to one node; nil where it is not in step.
    func connection(to number: Int) -> MySQLConnection? {
        var options = MySQLOptions()
        options.connectTimeout = .seconds(1)
        options.answerTimeout = .seconds(1)
        options.statementTimeout = .seconds(1)
        let url = "mysql://root@localhost/mysql?socket=\(socket(number))"
        return try? MySQLConnector(MySQLLogin(url), options: options).connect()
    }

    func isWhole() -> Bool {
        (0..<nodeCount).allSatisfy { number in
            guard let connection = connection(to: number) else { return false }
            defer { connection.close() }
            let size = try? connection.rows(
                "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'WSREP_CLUSTER_SIZE'",
                as: [.string])
            return size == [[.text("\(nodeCount)")]]
        }
    }
}
#endif
