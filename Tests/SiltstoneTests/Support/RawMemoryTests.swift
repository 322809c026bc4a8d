import Foundation
import Testing

/// Docs/RawMemory.md beside the sources.
struct RawMemoryTests {
    private static let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
    private static let sources = root.appending(path: "Sources")

    /// The files that name raw memory, comments left out. Those of the engine go without the name of their module. In
    /// the engine, an expression marked with `unsafe` counts too, but for those that only lend a span.
    private func found() throws -> Set<String> {
        let words = /\bUnsafe\w+|\bUnmanaged\b|@unchecked\s+Sendable|nonisolated\(unsafe\)/
        let (mark, lending) = (/\bunsafe\b/, /\.(?:buffer|span)\.bytes\b/)
        let files = FileManager.default.enumerator(at: Self.sources, includingPropertiesForKeys: nil)
        var found: Set<String> = []
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            let name = file.standardized.path().dropFirst(Self.sources.path().count + 1)
            let isEngine = name.hasPrefix("Siltstone/")
            let hasRawMemory = lines.contains { line in
                if line.drop(while: { $0 == " " }).hasPrefix("//") { return false }
                return line.contains(words) || isEngine && line.contains(mark) && !line.contains(lending)
            }
            if hasRawMemory { found.insert(String(isEngine ? name.dropFirst(10) : name)) }
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

    @Test("the compiler checks all modules for memory safety, but for two adapters")
    func isStrict() throws {
        let manifest = try String(contentsOf: Self.root.appending(path: "Package.swift"), encoding: .utf8)
        // A target begins a line, indented by eight; a dependency stands further in.
        let targets = /\n {8}\.(?:target|executableTarget)\(\s*name: "(\w+)"/
        var checked: Set<String> = []
        for target in manifest.matches(of: targets) {
            guard let settings = manifest[target.range.upperBound...].firstMatch(of: /swiftSettings: (\w+)/) else {
                continue
            }
            if settings.output.1 == "memorySafe" { checked.insert(String(target.output.1)) }
        }
        #expect(
            checked == [
                "Siltstone", "CRUDKit", "SiltstoneCRUD", "TableKit", "SiltstoneTables", "TableSQL", "SQLiteTables",
                "SiltstoneTesting", "SiltTool", "CrashChild", "TestServers",
            ])
    }
}
