import Foundation
import Testing

@testable import SiltBench

struct ReportTests {
    /// Two sections and three numbers of keys, two engines.
    private func report() throws -> Report {
        var report = Report(Options())
        report.options.engines = [.siltstone, .lmdb]
        report.options.sections = [
            Section(name: "main", title: "the main one", count: 1000, engines: [.siltstone, .lmdb]),
            Section(name: "growth-1k", title: "1k keys", count: 1000, engines: [.siltstone, .lmdb]),
            Section(name: "growth-2k", title: "2k keys", count: 2000, engines: [.siltstone, .lmdb]),
        ]
        for section in report.options.sections {
            for (engine, value) in [(EngineKind.siltstone, 3000.0), (.lmdb, 1000)] {
                report.measurements.append(
                    Measurement(
                        engine: engine, label: section.label("readseq"), round: 0, unit: .operationsPerSecond,
                        value: value))
            }
        }
        return report
    }

    @Test("each section has a table of its own, with short labels and the ratio")
    func tables() throws {
        let text = TerminalReport(try report()).text
        #expect(text.contains("the main one") && text.contains("1k keys"))
        #expect(text.split(separator: "\n").filter { $0.hasPrefix("readseq") && $0.contains("3.00x") }.count == 3)
    }

    @Test("the Markdown has a row for each workload and points to the plots from where it is")
    func markdown() throws {
        let text = MarkdownReport(try report(), plots: "/tmp/docs/plots", at: "/tmp/docs/Performance.md").text
        #expect(text.contains("| readseq | **3.00k** | 1.00k | 3.00x | - |"))
        #expect(text.contains("](plots/main-throughput.svg)") && text.contains("](plots/growth.svg)"))
        var alike = try report()
        alike.options.sections[0].name = "growth"
        for index in alike.measurements.indices where alike.measurements[index].section == "main" {
            alike.measurements[index].label = "growth/readseq"
        }
        let once = MarkdownReport(alike, plots: "plots", at: "x.md").text.components(
            separatedBy: "growth-1k-throughput")
        #expect(once.count == 2, "one section's name begins as another's")
        #expect(MarkdownReport.relative("/a/b/plots", to: "/a/c/x.md") == "../b/plots")
    }

    @Test("the Markdown has its file's name for a title, and the command that makes it, quoted where a shell needs it")
    func command() throws {
        let arguments = ["--sections", "main", "--markdown", "../Docs/Results/Main.md", "--dir", "/my disk/it's"]
        let text = MarkdownReport(try report(), plots: nil, at: "Results/Main.md", arguments: arguments).text
        let line = #"silt-bench --sections main --markdown ../Docs/Results/Main.md --dir '/my disk/it'\''s'"#
        #expect(text.hasPrefix("# Results: Main\n\n```sh\nswift run -c release \(line)\n```\n\nMeasured "))
        #expect(!MarkdownReport(try report(), plots: nil, at: "Main.md").text.contains("```"))
    }

    @Test("plots are XML that stands alone, and growth is one of them")
    func plots() throws {
        let sheets = PlotSheet.all(of: try report())
        #expect(sheets.map(\.name) == ["main-throughput", "growth-1k-throughput", "growth-2k-throughput", "growth"])
        for sheet in sheets {
            #expect(sheet.svg.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\""))
            let opened = sheet.svg.components(separatedBy: "<g ").count
            #expect(opened == sheet.svg.components(separatedBy: "</g>").count && opened > 1)
        }
    }

    private func temporaryDirectory() throws -> String {
        let directory = FileManager.default.temporaryDirectory.path + "/silt-bench-tests-\(UUID())"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        return directory
    }

    /// Files of runs that differ by their date.
    private func written(_ count: Int, to directory: String) throws -> [String] {
        try (0..<count).map { number in
            var report = try report()
            report.host.date = "day \(number)"
            let path = directory + "/run \(number).json"
            try report.json().write(to: URL(fileURLWithPath: path))
            return path
        }
    }

    @Test("what was written as JSON is read again, and no file twice; a second run's rounds come after the first's")
    func merging() throws {
        let directory = try temporaryDirectory()
        let paths = try written(2, to: directory)
        let merged = try Report(mergedFrom: paths)
        #expect(throws: BenchmarkError.self) { try Report(mergedFrom: paths + paths.prefix(1)) }
        try FileManager.default.removeItem(atPath: directory)
        #expect(merged.measurements.count == 12)
        #expect(merged.summary(.siltstone, "readseq")?.measurements.map(\.round) == [0, 3])
        #expect(merged.sections.count == 3)
        let main = try #require(merged.main)
        #expect(merged.roundsInWords(main) == "2 rounds")
        var uneven = merged
        uneven.measurements.removeAll { $0.round > 0 && $0.engine == .lmdb }
        #expect(uneven.roundsInWords(main) == "2 rounds, LMDB 1")
        uneven.measurements.removeAll { $0.round > 0 }
        #expect(uneven.roundsInWords(main) == "1 round")
    }

    @Test("of three runs each one's rounds are its own; one that has measured nothing adds no sections")
    func mergingThree() throws {
        let directory = try temporaryDirectory()
        let (paths, empty) = (try written(3, to: directory), directory + "/empty.json")
        var none = try report()
        (none.measurements, none.options.sections[0].count, none.options.rounds) = ([], 7, 1)
        try none.json().write(to: URL(fileURLWithPath: empty))
        let merged = try Report(mergedFrom: [paths[0], empty, paths[1], paths[2]])
        try FileManager.default.removeItem(atPath: directory)
        #expect(merged.summary(.siltstone, "readseq")?.measurements.map(\.round) == [0, 4, 7])
        #expect(merged.sections.map(\.count) == [1000, 1000, 2000])
    }

    @Test("what was measured counts once it is confirmed, and once")
    func confirmation() throws {
        var pending = PendingMeasurements()
        let measurement = try report().measurements[0]
        pending.add(measurement)
        pending.add(measurement)
        #expect(pending.confirm().count == 2 && pending.confirm().isEmpty)
    }

    @Test("runs of other keys, values or machines are not taken for further rounds; other workloads stand beside")
    func mergingOthers() throws {
        let directory = try temporaryDirectory()
        var first: [EngineDescription] = []
        func merge(_ change: (inout Report) -> Void) throws -> Report {
            var (one, other) = (try report(), try report())
            for description in first { one.add(description) }
            other.host.date = "later"
            change(&other)
            let paths = [directory + "/one.json", directory + "/other.json"]
            for (path, report) in zip(paths, [one, other]) {
                try report.json().write(to: URL(fileURLWithPath: path))
            }
            return try Report(mergedFrom: paths)
        }
        #expect(throws: BenchmarkError.self) { try merge { $0.options.sections[0].count = 2000 } }
        #expect(throws: BenchmarkError.self) { try merge { $0.options.sections[0].valueBytes = 200 } }
        #expect(throws: BenchmarkError.self) { try merge { $0.options.sections[0].keys = .paths } }
        #expect(throws: BenchmarkError.self) { try merge { $0.options.sections[0].hasWriteMap = true } }
        #expect(throws: BenchmarkError.self) { try merge { $0.host.processor = "another" } }
        let lmdb = EngineDescription(engine: .lmdb, version: "1", options: "", build: "")
        func merge(_ version: String, _ build: String) throws -> Report {
            try merge { other in
                other.add(EngineDescription(engine: .lmdb, version: version, options: "", build: build))
            }
        }
        first = [lmdb]
        #expect(throws: BenchmarkError.self) { try merge("2", "") }
        #expect(throws: BenchmarkError.self) { try merge("1", "with assertions") }
        #expect(try merge("1", "").engines.count == 1)
        first = []
        let merged = try merge { $0.options.sections[0].engines = [.siltstone, .leveldb] }
        #expect(merged.options.sections[0].engines == [.siltstone, .lmdb, .leveldb])
        try FileManager.default.removeItem(atPath: directory)
    }
}
