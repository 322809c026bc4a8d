import Foundation
import Testing

/// Docs/RawMemory.md beside the sources.
struct RawMemoryTests {
    private static let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
    private static let sources = root.appending(path: "Sources")

    /// The lines of each Swift file, comments left out, by its path in `Sources`.
    private static func readSources() throws -> [String: [Substring]] {
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        var read: [String: [Substring]] = [:]
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            let name = String(file.standardized.path().dropFirst(sources.path().count + 1))
            read[name] = code(try String(contentsOf: file, encoding: .utf8))
        }
        return read
    }

    private static func code(_ text: String) -> [Substring] {
        text.split(separator: "\n").filter { !$0.drop(while: { $0 == " " }).hasPrefix("//") }
    }

    /// The files that name raw memory, or an alias that their module has for a type of it. Those of the engine go
    /// without the name of their module. In the engine, an expression marked with `unsafe` counts too, but for those
    /// that only lend a span.
    private static func withRawMemory(_ sources: [String: [Substring]]) -> Set<String> {
        let words = /\bUnsafe\w+|\bUnmanaged\b|@unchecked\s+Sendable|nonisolated\(unsafe\)/
        let (mark, lending) = (/\bunsafe\b/, /\.(?:buffer|span)\.bytes\b/)
        var found: Set<String> = []
        for (module, names) in Dictionary(grouping: sources.keys, by: { $0.prefix(while: { $0 != "/" }) }) {
            let isEngine = module == "Siltstone"
            let aliases = Self.aliases(of: words, in: names.flatMap { sources[$0] ?? [] })
            for name in names {
                let hasRawMemory = (sources[name] ?? []).contains { line in
                    line.contains(words) || Self.names(aliases, line)
                        || isEngine && line.contains(mark) && !line.contains(lending)
                }
                if hasRawMemory { found.insert(isEngine ? String(name.dropFirst(10)) : name) }
            }
        }
        return found
    }

    /// The type aliases that name a type of raw memory, or an alias of one.
    private static func aliases(of words: Regex<Substring>, in lines: [Substring]) -> Set<Substring> {
        let declarations = lines.filter { $0.contains("typealias ") }
            .compactMap { $0.firstMatch(of: /typealias\s+(\w+)[^=]*=(.*)/)?.output }
        var aliases: Set<Substring> = []
        while true {
            let known = aliases
            for (_, name, type) in declarations where type.contains(words) || names(known, type) {
                aliases.insert(name)
            }
            if aliases == known { return aliases }
        }
    }

    /// Whether a line of code names one of these types.
    private static func names(_ aliases: Set<Substring>, _ line: Substring) -> Bool {
        aliases.contains { line.contains($0) } && line.matches(of: /\w+/).contains { aliases.contains($0.output) }
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
        let (found, listed) = (Self.withRawMemory(try Self.readSources()), try listed())
        #expect(!found.isEmpty)
        #expect(found.subtracting(listed) == [], "they have raw memory, and Docs/RawMemory.md does not say why")
        #expect(listed.subtracting(found) == [], "they have none any more, or are gone")
    }

    @Test("a type alias does not hide raw memory from the list")
    func aliases() {
        let sources = [
            "Tool/Bytes.swift": "typealias Bytes = UnsafeRawBufferPointer",
            "Tool/Lines.swift": "/// Lines of bytes.\nprivate typealias Line = Bytes?",
            "Tool/Reader.swift": "    func next() -> Line { nil }",
            "Tool/Writer.swift": "    // Bytes\n    func write(_ count: BytesCount, _ lines: [UInt8]) {}",
            // Another type of the same name.
            "Siltstone/Log/Reader.swift": "    let bytes: Bytes",
        ]
        let found = Self.withRawMemory(sources.mapValues(Self.code))
        #expect(found == ["Tool/Bytes.swift", "Tool/Lines.swift", "Tool/Reader.swift"])
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
