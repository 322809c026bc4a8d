// swift-tools-version: 6.2
import Foundation
import PackageDescription

/// A database whose client library takes part where its header is installed.
struct Client {
    let trait: String
    let headers: [String]
    let module: String
    let package: String

    var isInstalled: Bool {
        ["/usr/include", "/usr/local/include"].contains { folder in
            headers.contains { FileManager.default.fileExists(atPath: "\(folder)/\($0)") }
        }
    }
}

let clients = [
    Client(
        trait: "PostgreSQL", headers: ["libpq-fe.h", "postgresql/libpq-fe.h"], module: "CPostgreSQL",
        package: "libpq-dev"),
    Client(
        trait: "MySQL", headers: ["mysql.h", "mariadb/mysql.h"], module: "CMariaDB", package: "libmariadb-dev"),
    Client(trait: "SQLite", headers: ["sqlite3.h"], module: "CSQLite3", package: "libsqlite3-dev"),
]
let installed = clients.filter(\.isInstalled)
for client in clients where !client.isInstalled {
    print("server-bench is built without \(client.trait) (\(client.package))")
}

let package = Package(
    name: "siltstone-servers",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(
            name: "siltstone", path: "../..",
            traits: Set(installed.map { Package.Dependency.Trait(name: $0.trait) }))
    ],
    targets: installed.map { .systemLibrary(name: "Plain" + $0.module) } + [
        .executableTarget(
            name: "server-bench",
            dependencies: ["Siltstone", "TableKit", "SiltstoneTables", "PostgresTables", "MySQLTables", "SQLiteTables"]
                .map { .product(name: $0, package: "siltstone") }
                + installed.map { .target(name: "Plain" + $0.module) },
            path: "Sources/ServerBench", swiftSettings: installed.map { .define($0.trait) })
    ],
    swiftLanguageModes: [.v6]
)
