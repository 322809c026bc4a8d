// swift-tools-version: 6.2
import PackageDescription

/// The upcoming features of the next language mode, for every target.
let upcoming: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
]

/// The compiler marks every expression that touches raw memory: Docs/RawMemory.md.
let memorySafe: [SwiftSetting] = upcoming + [.strictMemorySafety()]

let package = Package(
    name: "siltstone",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Siltstone", targets: ["Siltstone"]),
        .library(name: "CRUDKit", targets: ["CRUDKit"]),
        .library(name: "SiltstoneCRUD", targets: ["SiltstoneCRUD"]),
        .library(name: "TableKit", targets: ["TableKit"]),
        .library(name: "SiltstoneTables", targets: ["SiltstoneTables"]),
        .library(name: "PostgresTables", targets: ["PostgresTables"]),
        .library(name: "MySQLTables", targets: ["MySQLTables"]),
        .library(name: "SQLiteTables", targets: ["SQLiteTables"]),
        .library(name: "SiltstoneTesting", targets: ["SiltstoneTesting"]),
        // For the benchmarks.
        .library(name: "TestServers", targets: ["TestServers"]),
        .executable(name: "silt", targets: ["SiltTool"]),
    ],
    traits: [
        .trait(name: "PostgreSQL", description: "Tables and repositories in PostgreSQL; needs libpq (libpq-dev)."),
        .trait(name: "MySQL", description: "Tables and repositories in MariaDB; needs libmariadb (libmariadb-dev)."),
        .trait(name: "SQLite", description: "Tables and repositories in SQLite; needs libsqlite3-dev."),
    ],
    targets: [
        .systemLibrary(name: "CZlib", providers: [.apt(["libz-dev"]), .brew(["zlib"])]),
        .systemLibrary(name: "CGetopt"),
        .systemLibrary(name: "CPostgreSQL", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .systemLibrary(name: "CMariaDB", providers: [.apt(["libmariadb-dev"]), .brew(["mariadb-connector-c"])]),
        .systemLibrary(name: "CSQLite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
        .systemLibrary(name: "CInstructions"),
        .target(name: "Siltstone", dependencies: ["CZlib", "CInstructions"], swiftSettings: memorySafe),
        .target(name: "CRUDKit", dependencies: ["CInstructions"], swiftSettings: memorySafe),
        .target(name: "SiltstoneCRUD", dependencies: ["Siltstone", "CRUDKit"], swiftSettings: memorySafe),
        .target(name: "TableKit", swiftSettings: memorySafe),
        .target(name: "SiltstoneTables", dependencies: ["Siltstone", "TableKit"], swiftSettings: memorySafe),
        // Tables and repositories over SQL: rendering, catalogue, pool. Each adapter below adds a connection; without its
        // trait it is empty and needs no C library.
        .target(name: "TableSQL", dependencies: ["TableKit", "CRUDKit"], swiftSettings: memorySafe),
        .target(
            name: "PostgresTables",
            dependencies: [
                "TableSQL", "TableKit", "CRUDKit",
                .target(name: "CPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
            ], swiftSettings: upcoming),
        .target(
            name: "MySQLTables",
            dependencies: [
                "TableSQL", "TableKit", "CRUDKit",
                .target(name: "CMariaDB", condition: .when(traits: ["MySQL"])),
            ], swiftSettings: upcoming),
        .target(
            name: "SQLiteTables",
            dependencies: [
                "TableSQL", "TableKit", "CRUDKit", .target(name: "CSQLite3", condition: .when(traits: ["SQLite"])),
            ], swiftSettings: memorySafe),
        .target(
            name: "SiltstoneTesting", dependencies: ["Siltstone", "CRUDKit", "TableKit"], swiftSettings: memorySafe),
        .executableTarget(
            name: "SiltTool",
            dependencies: [
                "Siltstone", "CRUDKit", "SiltstoneCRUD", "TableKit", "SiltstoneTables", "CGetopt",
                // For `silt move`.
                .target(name: "PostgresTables", condition: .when(traits: ["PostgreSQL"])),
                .target(name: "MySQLTables", condition: .when(traits: ["MySQL"])),
                .target(name: "SQLiteTables", condition: .when(traits: ["SQLite"])),
            ],
            swiftSettings: memorySafe),
        // The program that the crash tests kill. Not a product.
        .executableTarget(
            name: "CrashChild", dependencies: ["Siltstone", "SiltstoneTables", "CRUDKit"], path: "Tests/CrashChild",
            swiftSettings: memorySafe),
        // Servers and clusters in temporary directories, for tests and benchmarks.
        .target(name: "TestServers", path: "Tests/TestServers", swiftSettings: memorySafe),
        .testTarget(
            name: "SiltstoneTests",
            // The last two for fuzzing their parsers.
            dependencies: [
                "Siltstone", "SiltstoneTesting", "SiltstoneTables", "CrashChild", "CRUDKit", "SiltstoneCRUD",
                "SiltTool",
            ],
            swiftSettings: upcoming),
        .testTarget(name: "CRUDKitTests", dependencies: ["CRUDKit", "SiltstoneTesting"], swiftSettings: upcoming),
        .testTarget(
            name: "SiltstoneCRUDTests", dependencies: ["SiltstoneCRUD", "CRUDKit", "Siltstone", "SiltstoneTesting"],
            swiftSettings: upcoming),
        .testTarget(
            name: "TableKitTests", dependencies: ["TableKit", "SiltstoneTesting"], swiftSettings: upcoming),
        .testTarget(
            name: "SiltstoneTablesTests",
            dependencies: ["SiltstoneTables", "TableKit", "Siltstone", "SiltstoneTesting"],
            swiftSettings: upcoming),
        // Empty without traits.
        .testTarget(
            name: "ServerTests",
            dependencies: [
                "PostgresTables", "MySQLTables", "SQLiteTables", "TableSQL", "TableKit", "CRUDKit", "SiltstoneTesting",
                "TestServers",
                // For moves between databases, and to compare every database with Siltstone.
                "SiltTool", "Siltstone", "SiltstoneCRUD", "SiltstoneTables",
            ],
            swiftSettings: upcoming),
        .testTarget(
            name: "SiltstoneTestingTests", dependencies: ["SiltstoneTesting", "Siltstone", "CRUDKit"],
            swiftSettings: upcoming),
        .testTarget(name: "SiltToolTests", dependencies: ["SiltTool", "Siltstone"], swiftSettings: upcoming),
    ],
    swiftLanguageModes: [.v6]
)

// SILTSTONE_TESTS=ServerTests,TableKitTests builds only these test targets. The tests of the engine take half of a build.
if let names = Context.environment["SILTSTONE_TESTS"] {
    let wanted = Set(names.split(separator: ",").map(String.init))
    package.targets.removeAll { $0.type == .test && !wanted.contains($0.name) }
}
