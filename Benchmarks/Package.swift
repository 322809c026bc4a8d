// swift-tools-version: 6.2
import Foundation
import PackageDescription

/// A C library that takes part where its header is installed: an engine to compare with, or the client of a server.
struct Peer {
    let name: String
    /// Its module here; nil where the adapter's is used: of one header, only one module has the types.
    var module: String?
    let header: String
    let package: String
    let define: String
    /// The adapter over it, and the trait of the engine's package that builds it.
    var adapter: (trait: String, product: String)?

    /// Whether a compiler would find the header without being told where to look.
    var isInstalled: Bool {
        ["/usr/include", "/usr/local/include"].contains { FileManager.default.fileExists(atPath: "\($0)/\(header)") }
    }
}

let peers = [
    Peer(
        name: "leveldb", module: "CLevelDB", header: "leveldb/c.h", package: "libleveldb-dev", define: "PEER_LEVELDB"),
    Peer(
        name: "rocksdb", module: "CRocksDB", header: "rocksdb/c.h", package: "librocksdb-dev", define: "PEER_ROCKSDB"),
    Peer(name: "lmdb", module: "CLMDB", header: "lmdb.h", package: "liblmdb-dev", define: "PEER_LMDB"),
    Peer(
        name: "sqlite", module: "CSQLite", header: "sqlite3.h", package: "libsqlite3-dev", define: "PEER_SQLITE",
        adapter: ("SQLite", "SQLiteTables")),
    Peer(
        name: "postgresql", header: "postgresql/libpq-fe.h", package: "libpq-dev",
        define: "SERVER_POSTGRESQL", adapter: ("PostgreSQL", "PostgresTables")),
    Peer(
        name: "mariadb", header: "mariadb/mysql.h", package: "libmariadb-dev",
        define: "SERVER_MARIADB", adapter: ("MySQL", "MySQLTables")),
]
let installed = peers.filter(\.isInstalled)
let missing = peers.filter { !$0.isInstalled }
if !missing.isEmpty {
    print("silt-bench is built without \(missing.map { "\($0.name) (\($0.package))" }.joined(separator: ", "))")
}
let adapters = installed.compactMap(\.adapter)
let modules: [Target] = installed.compactMap { peer in
    peer.module.map { .systemLibrary(name: $0, providers: [.apt([peer.package])]) }
}
let peerModules: [Target.Dependency] = modules.map { .target(name: $0.name) }
let defines: [SwiftSetting] = installed.map { .define($0.define) }
let libraries = ["Siltstone", "CRUDKit", "SiltstoneCRUD", "TableKit", "SiltstoneTables", "TestServers"]

/// Products of the engine's package.
func engine(_ names: [String]) -> [Target.Dependency] { names.map { .product(name: $0, package: "siltstone") } }

/// The features of the next language mode, as in the engine's package.
let upcoming: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
]

let package = Package(
    name: "siltstone-benchmarks",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "silt-bench", targets: ["SiltBench"])],
    dependencies: [
        .package(name: "siltstone", path: "..", traits: Set(adapters.map { .trait(name: $0.trait) }))
    ],
    targets: modules + [
        .executableTarget(
            name: "SiltBench", dependencies: engine(libraries + adapters.map(\.product)) + peerModules,
            swiftSettings: upcoming + defines),
        .testTarget(
            name: "SiltBenchTests", dependencies: ["SiltBench"] + engine(["CRUDKit", "TableKit", "SiltstoneTables"]),
            swiftSettings: upcoming + defines),
        .testTarget(
            name: "TableDifferentialTests",
            dependencies: engine(["Siltstone", "TableKit", "SiltstoneTables", "SiltstoneTesting"])
                + modules.filter { $0.name == "CSQLite" }.map { .target(name: $0.name) },
            swiftSettings: upcoming + defines),
    ],
    swiftLanguageModes: [.v6]
)
