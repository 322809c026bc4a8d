// swift-tools-version: 6.2
import PackageDescription

/// The features of the next language mode, on everywhere.
let upcoming: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
]

/// For modules that touch no raw memory: the compiler marks every exception.
let memorySafe: [SwiftSetting] = upcoming + [.strictMemorySafety()]

let package = Package(
    name: "siltstone",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Siltstone", targets: ["Siltstone"]),
    ],
    targets: [
        .systemLibrary(name: "CZlib", providers: [.apt(["libz-dev"]), .brew(["zlib"])]),
        .target(name: "Siltstone", dependencies: ["CZlib"], swiftSettings: upcoming),
        // The program that the crash tests kill; no product.
        .executableTarget(
            name: "CrashChild", dependencies: ["Siltstone"], path: "Tests/CrashChild", swiftSettings: upcoming),
        .testTarget(
            name: "SiltstoneTests", dependencies: ["Siltstone", "CrashChild"],
            swiftSettings: upcoming),
    ],
    swiftLanguageModes: [.v6]
)
