import Foundation
import SiltstoneTesting
import Testing

@testable import Siltstone

/// A file system with an empty directory in it, for tests that hold for every file system.
final class FileSystemFixture: Sendable {
    enum Kind: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case posix, memory, simulated
        var testDescription: String { rawValue }
    }

    let fileSystem: any FileSystem
    let directory: String

    init(_ kind: Kind) throws {
        switch kind {
        case .posix:
            fileSystem = POSIXFileSystem()
            let parent = FileManager.default.temporaryDirectory.path
            directory = parent + "/siltstone-" + UUID().uuidString
        case .memory:
            fileSystem = InMemoryFileSystem()
            directory = "/test"
        case .simulated:
            fileSystem = SimulatedFileSystem()
            directory = "/test"
        }
        try fileSystem.createDirectory(directory)
    }

    deinit {
        if fileSystem is POSIXFileSystem { try? FileManager.default.removeItem(atPath: directory) }
    }

    func path(_ name: String) -> String { directory + "/" + name }

    /// Makes a file with some bytes.
    func make(_ name: String, _ bytes: [UInt8]) throws {
        let file = try fileSystem.open(path(name), .createNew)
        try file.writeFully(bytes, at: 0)
        try file.close()
    }

    func read(_ name: String) throws -> [UInt8] { try fileSystem.open(path(name), .read).readAll() }
}
