@testable import Siltstone

/// The input is the manifest of a store whose files are there, or, where it begins as one, its `CURRENT`.
enum ManifestTarget {
    private static func isCurrent(_ bytes: [UInt8]) -> Bool { bytes.starts(with: "siltstone ".utf8) }

    static func run(_ bytes: [UInt8]) throws {
        var files = FuzzFiles.store
        files[isCurrent(bytes) ? StoreFile.current.name : FuzzFiles.name(FuzzFiles.manifestHeader)] = bytes
        try StoreAttack.run(files)
    }

    static func seal(_ bytes: inout [UInt8]) {
        if isCurrent(bytes) { Seal.current(&bytes) } else { Seal.frames(&bytes, FuzzFiles.manifestHeader) }
    }
}
