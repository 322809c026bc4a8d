import Foundation
import Testing

@testable import SiltBench

/// What is run.
struct PlanTests {
    private func sections(_ arguments: String...) throws -> [Section] {
        var parser = OptionParser(arguments)
        guard case .run(let options) = try parser.parse() else { return [] }
        return options.sections
    }

    @Test("by default the standard set; the full one has growth and default compression too")
    func sets() throws {
        let standard = try sections("--engines", "siltstone").map(\.name)
        let full = try sections("--engines=siltstone", "--set", "full").map(\.name)
        #expect(standard.first == "main" && standard.contains("values-1M") && standard.contains("crud-synced"))
        #expect(full.starts(with: standard))
        #expect(full.contains("defaults") && full.last == "growth-20M")
    }

    @Test("stores larger than memory have three tenths of their bytes, and enough for every engine's buffers")
    func limited() throws {
        func limit(_ count: String) throws -> Int? {
            try sections("--set", "full", "--sections", "larger-than-memory", "--num", count).first?.memoryLimit
        }
        #expect(try limit("1000000") == 1_016_000_000 / 10 * 3)
        #expect(try limit("1000") == 256 << 20)
        #expect(try sections("--set", "full", "--sections", "main").first?.memoryLimit == nil)
    }

    @Test("sections are chosen by name, those of one kind by what their names begin with")
    func sectionNames() throws {
        let chosen = try sections("--engines", "siltstone", "--set", "full", "--sections", "main,growth,lmdb-writemap")
        #expect(chosen.map(\.name) == ["main", "growth-100k", "growth-1M", "growth-5M", "growth-20M"])
    }

    @Test("transactions are measured with both durabilities, and not of LevelDB, which has none")
    func transfers() throws {
        let chosen = try sections("--sections", "transfer", "--num", "1000")
        #expect(chosen.map(\.name) == ["transfer", "transfer-synced"])
        #expect(chosen.map(\.isSynced) == [false, true])
        #expect(chosen.allSatisfy { !$0.engines.contains(.leveldb) && $0.workloads.count == 6 })
        let section = try #require(chosen.first)
        let hundred = try #require(section.workloads.last)
        #expect(hundred.name == "transfer100@8" && section.accountCount(hundred) == 100)
        #expect(section.accountCount(section.workloads[0]) == 1000 && section.settings(hundred).hasTransactions)
    }

    @Test("tables are measured beside both ways to use SQLite, and fewer rows where each waits for the disk")
    func tables() throws {
        let chosen = try sections("--sections", "tables", "--num", "100000")
        #expect(chosen.map(\.name) == ["tables", "tables-synced"] && chosen.map(\.count) == [100_000, 200])
        #expect(chosen.map(\.isSynced) == [false, true] && chosen.allSatisfy { $0.kind == .tables })
        let hasSQLite = EngineKind.available.contains(.sqlite)
        #expect(chosen.allSatisfy { $0.engines == (hasSQLite ? [.siltstone, .sqlite, .perfect] : [.siltstone]) })
        #expect(!EngineKind.perfect.isPeer && !EngineKind.stores.contains(.perfect))
    }

    @Test("servers are measured beside embedded engines, and their adapters beside the libraries below them")
    func servers() throws {
        let known = try SectionSet.full.sections(
            count: 100_000, valueBytes: 100, engines: EngineKind.named, threads: 1)
        let chosen = known.filter { $0.isCalled("servers") }
        #expect(chosen.map(\.kind) == [.servers, .adapters] && chosen.map(\.isSynced) == [true, false])
        #expect(chosen.first?.engines == [.siltstone, .sqlite, .postgres, .mariadb, .patroni, .galera])
        #expect(chosen.last?.engines == [.postgres, .libpq, .mariadb, .libmariadb])
        // Nowhere else.
        for section in known where !section.isCalled("servers") {
            #expect(
                !section.engines.contains { EngineKind.servers.contains($0) || $0.isPlainClient }, "\(section.name)")
        }
        #expect(EngineKind.servers.allSatisfy { !$0.isPeer })
    }

    @Test("workloads that are named make one section for each number of keys")
    func growth() throws {
        let grown = try sections("--workloads", "fillrandom,readrandom@2", "--num", "1000,20000")
        #expect(grown.map(\.name) == ["growth-1k", "growth-20k"])
        #expect(grown.allSatisfy { $0.workloads.map(\.name) == ["fillrandom", "readrandom@2"] })
        #expect(try sections("--workloads", "open", "--num", "500").map(\.name) == ["main"])
    }

    @Test(
        "what makes no sense is refused",
        arguments: [
            ["--num", "1000,2000"], ["--sections", "nothing"], ["--set", "all"], ["--workloads", "queue@2"],
            ["--keys", "paths"], ["--defaults"], ["--lmdb-writemap"], ["--workloads", "open", "--set", "quick"],
            ["--workloads", "open", "--sections", "main"], ["--from", "a.json", "--num", "1000"],
            ["--embedded", "--repeat", "2"], ["--from", ","], ["--workloads", "fillrandom,bursts", "--keys", "hashed"],
            ["--workloads", "open", "--num", "1000,1000"], ["--sections", ","], ["--embedded=no"], ["--help=yes"],
            ["--sections", "crud", "--engines", "leveldb"], ["--workloads", "open", "--defaults=no"],
        ])
    func nonsense(arguments: [String]) {
        var parser = OptionParser(arguments)
        #expect(throws: BenchmarkError.self) { try parser.parse() }
    }

    @Test("the README's first program is the one whose size is measured")
    func firstProgram() throws {
        let benchmarks = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
        let readme = try String(contentsOf: benchmarks.appendingPathComponent("../README.md"), encoding: .utf8)
        let program = try String(
            contentsOf: benchmarks.appendingPathComponent("Embedding/Sources/first/main.swift"), encoding: .utf8)
        #expect(readme.contains("```swift\n" + program + "```"))
    }
}
