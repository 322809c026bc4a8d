import Foundation
import Testing

@testable import SiltBench

/// Stores larger than memory.
struct MemoryGroupTests {
    @Test("a group for memory is made with its limit and removed, or it is said what is missing")
    func group() throws {
        let group: MemoryGroup
        do { group = try MemoryGroup(limit: 300 << 20) } catch {
            let reason = "\(error)"
            #expect(reason.contains("root") || reason.contains("cgroup"))
            return
        }
        let file = ["memory.limit_in_bytes", "memory.max"].compactMap {
            KernelFile.contents("\(group.directory)/\($0)")
        }.first
        #expect(file.map { $0.hasPrefix("\(300 << 20)") } == true)
        group.remove()
        #expect(!FileManager.default.fileExists(atPath: group.directory))
    }

    @Test("nobody can enter a group that is not there")
    func missing() {
        #expect(throws: BenchmarkError.self) { try MemoryGroup.enter("/sys/fs/cgroup/memory/no such group") }
    }

    @Test("the device reads, or the file system cannot read past the page cache")
    func device() throws {
        let directory = FileManager.default.temporaryDirectory.path
        let readings = try DeviceReads.measure(in: directory, bytes: 1 << 20)
        for kind in [RawLimits.Kind.deviceRead, .deviceReads16] {
            if let rate = readings.median(kind) { #expect(rate > 0) }
        }
        #expect((readings.median(.deviceRead) == nil) == (readings.median(.deviceReads16) == nil))
    }

    @Test("a section that is left out is told of, unless another run has measured it")
    func leftOut() throws {
        var options = Options()
        options.sections = [
            Section(
                name: Section.limitedName, title: "limited", count: 100, memoryLimit: 1 << 30, engines: [.siltstone])
        ]
        var report = Report(options)
        report.skipped = [Report.Skipped(section: Section.limitedName, reason: "it needs root")]
        #expect(TerminalReport(report).text.contains("larger-than-memory is left out: it needs root"))
        #expect(MarkdownReport(report, plots: nil, at: "/tmp/report.md").text.contains("it needs root"))
        report.measurements = [
            Measurement(
                engine: .siltstone, label: "larger-than-memory/readseq", round: 0, unit: .operationsPerSecond, value: 1)
        ]
        #expect(report.leftOut.isEmpty)
    }
}
