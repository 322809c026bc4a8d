// swift-tools-version: 6.2
import PackageDescription

/// Programs by which `silt-bench --embedded` measures what it costs to have Siltstone in a program.
let package = Package(
    name: "siltstone-embedding",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "siltstone", path: "../..")],
    targets: [
        // The README's first program, word for word: a test compares them.
        .executableTarget(name: "first", dependencies: [.product(name: "Siltstone", package: "siltstone")]),
        .executableTarget(name: "probe", dependencies: [.product(name: "Siltstone", package: "siltstone")]),
    ],
    swiftLanguageModes: [.v6]
)
