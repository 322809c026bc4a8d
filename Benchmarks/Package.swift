// swift-tools-version: 6.2
import Foundation
import PackageDescription

/// An engine to compare with: a C library that takes part where its header is installed.
struct Peer {
    let name: String
    let module: String
    let header: String
    let package: String
    let define: String

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
    Peer(name: "sqlite", module: "CSQLite", header: "sqlite3.h", package: "libsqlite3-dev", define: "PEER_SQLITE"),
]
let installed = peers.filter(\.isInstalled)
let missing = peers.filter { !$0.isInstalled }
if !missing.isEmpty {
    print("silt-bench is built without \(missing.map { "\($0.name) (\($0.package))" }.joined(separator: ", "))")
}

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
    dependencies: [.package(name: "siltstone", path: "..")],
    targets: installed.map { .systemLibrary(name: $0.module, providers: [.apt([$0.package])]) } + [
        .executableTarget(
            name: "SiltBench",
            dependencies: ["Siltstone", "CRUDKit", "SiltstoneCRUD", "TableKit", "SiltstoneTables"].map {
                .product(name: $0, package: "siltstone")
            } + installed.map { .target(name: $0.module) },
            swiftSettings: upcoming + installed.map { .define($0.define) }),
        .testTarget(
            name: "SiltBenchTests",
            dependencies: ["SiltBench", .product(name: "CRUDKit", package: "siltstone")],
            swiftSettings: upcoming + installed.map { .define($0.define) }),
        .testTarget(
            name: "TableDifferentialTests",
            dependencies: ["Siltstone", "TableKit", "SiltstoneTables", "SiltstoneTesting"].map {
                .product(name: $0, package: "siltstone")
            } + installed.filter { $0.module == "CSQLite" }.map { .target(name: $0.module) },
            swiftSettings: upcoming + installed.map { .define($0.define) }),
    ],
    swiftLanguageModes: [.v6]
)
