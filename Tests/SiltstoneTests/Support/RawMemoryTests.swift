import Foundation
import Testing

/// Docs/RawMemory.md beside the sources of the engine.
struct RawMemoryTests {
    private static let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
    private static let sources = root.appending(path: "Sources/Siltstone")

    /// The files that name raw memory, comments left out.
    private func found() throws -> Set<String> {
        let words = /\bUnsafe\w+|\bUnmanaged\b|@unchecked\s+Sendable|nonisolated\(unsafe\)/
        let files = FileManager.default.enumerator(at: Self.sources, includingPropertiesForKeys: nil)
        var found: Set<String> = []
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            let hasRawMemory = lines.contains { line in
                !line.drop { $0 == " " }.hasPrefix("//") && line.firstMatch(of: words) != nil
            }
            let name = file.standardized.path().dropFirst(Self.sources.path().count + 1)
            if hasRawMemory { found.insert(String(name)) }
        }
        return found
    }

    /// The files that the table lists.
    private func listed() throws -> Set<String> {
        let page = try String(contentsOf: Self.root.appending(path: "Docs/RawMemory.md"), encoding: .utf8)
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `") }
        return Set(
            rows.flatMap { row in
                row.split(separator: "|")[0].matches(of: /`([^`]+\.swift)`/).map { String($0.output.1) }
            })
    }

    @Test("the page on raw memory lists the files that have some, and no others")
    func list() throws {
        let (found, listed) = (try found(), try listed())
        #expect(!found.isEmpty)
        #expect(found.subtracting(listed) == [], "they have raw memory, and Docs/RawMemory.md does not say why")
        #expect(listed.subtracting(found) == [], "they have none any more, or are gone")
    }

    @Test("the compiler checks the engine for memory safety")
    func isStrict() throws {
        let manifest = try String(contentsOf: Self.root.appending(path: "Package.swift"), encoding: .utf8)
        #expect(
            manifest.contains(
                ".target(name: \"Siltstone\", dependencies: [\"CZlib\", \"CInstructions\"], swiftSettings: memorySafe)")
        )
    }
}
