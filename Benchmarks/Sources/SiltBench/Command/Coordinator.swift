import Foundation

/// Has every engine measured in every round, in turn, and reports.
struct Coordinator {
    private let options: Options
    private let progress = Progress()

    init(_ options: Options) { self.options = options }

    /// Runs everything, or takes what earlier runs have found out.
    /// - Returns: whether all engines did all they were asked for, and read the same.
    /// - Throws: ``BenchmarkError`` where a report cannot be read or written.
    func run() throws -> Bool {
        try checkPaths()
        var report = try options.inputPaths.isEmpty ? measure() : Report(mergedFrom: options.inputPaths)
        Interruption.proceed()
        report.compareTallies()
        report.goals = Goal.all.map { $0.outcome(in: report) }
        print(TerminalReport(report).text)
        fflush(nil)
        if let path = options.jsonPath { try write(report.json(), to: path) }
        if let path = options.htmlPath { try write(Data(HTMLReport(report).text.utf8), to: path) }
        if let path = options.markdownPath {
            let arguments = Array(CommandLine.arguments.dropFirst())
            let text = MarkdownReport(report, plots: options.plotsPath, at: path, arguments: arguments).text
            try write(Data(text.utf8), to: path)
        }
        if let path = options.plotsPath {
            for sheet in PlotSheet.all(of: report) { try write(Data(sheet.svg.utf8), to: "\(path)/\(sheet.name).svg") }
        }
        return report.failures.isEmpty
    }

    /// Finds out before, not after half an hour, that a report has nowhere to go.
    private func checkPaths() throws {
        let files = FileManager.default
        for path in [options.jsonPath, options.htmlPath, options.markdownPath].compactMap(\.self) {
            var isDirectory: ObjCBool = false
            if files.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory.boolValue {
                throw BenchmarkError("\(path) cannot be written: it is a directory")
            }
            try checkDirectory(above: path)
        }
        guard let plots = options.plotsPath else { return }
        do { try files.createDirectory(atPath: plots, withIntermediateDirectories: true) } catch {
            throw BenchmarkError("\(plots) cannot be made: \(error.localizedDescription)")
        }
        guard files.isWritableFile(atPath: plots) else { throw BenchmarkError("\(plots) cannot be written to") }
    }

    /// - Throws: ``BenchmarkError`` where nothing can be made at `path` for want of the directory that it would be in.
    private func checkDirectory(above path: String) throws {
        let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard FileManager.default.isWritableFile(atPath: directory) else {
            throw BenchmarkError("\(path) cannot be written: there is no directory '\(directory)', or it is read-only")
        }
    }

    private func measure() throws -> Report {
        var report = Report(options)
        if options.isEmbedding {
            report.embedding = try Embedding.measure { progress.note($0) }
            return report
        }
        let directory = options.directory + "-\(getpid())"
        try checkDirectory(above: directory)
        try Interruption.withDirectory(directory, note: progress.note) { measureAll(in: directory, &report) }
        return report
    }

    /// Every section, every round, every engine.
    private func measureAll(in directory: String, _ report: inout Report) {
        if let type = Machine.volatileFileSystem(directory) {
            progress.note("\(directory) is on \(type), where a sync costs nothing: choose another --dir")
        }
        for round in 0..<options.rounds {
            for section in options.sections {
                if let reason = Self.obstacle(to: section) {
                    skip(section, nil, reason, &report)
                    continue
                }
                do { try measureLimits(section, directory, &report) } catch {
                    fail("the machine's limits: \(error)", section, nil, round, &report)
                }
                // Each engine is first in its turn: none always comes after the same one.
                for i in section.engines.indices {
                    let engine = section.engines[(i + round) % section.engines.count]
                    if engine.isPlainClient { continue }
                    if let reason = ServerHost.obstacle(to: engine) {
                        skip(section, engine, reason, &report)
                        continue
                    }
                    if report.failures.contains(where: { $0.engine == engine && $0.section == section.name }) {
                        continue
                    }
                    do { try measure(section, engine, round, directory, &report) } catch {
                        fail("\(error)", section, engine, round, &report)
                    }
                }
            }
        }
    }

    /// What the machine itself can do, as far as a section compares with it.
    private func measureLimits(_ section: Section, _ directory: String, _ report: inout Report) throws {
        report.limits.add(try RawLimits.measure(in: directory))
        guard section.memoryLimit != nil else { return }
        report.limits.add(try DeviceReads.measure(in: directory, bytes: section.count * section.valueBytes))
    }

    /// Why a section cannot be measured here; nil where it can.
    private static func obstacle(to section: Section) -> String? {
        guard let limit = section.memoryLimit else { return nil }
        do { try MemoryGroup(limit: limit).remove() } catch { return "\(error)" }
        return nil
    }

    /// Notes that a section is left out, or one engine of it.
    private func skip(_ section: Section, _ engine: EngineKind?, _ reason: String, _ report: inout Report) {
        guard !report.skipped.contains(where: { $0.section == section.name && $0.engine == engine }) else { return }
        let skipped = Report.Skipped(section: section.name, engine: engine, reason: reason)
        progress.note(skipped.description)
        report.skipped.append(skipped)
    }

    /// One round of one engine in one section, in a process of its own.
    private func measure(
        _ section: Section, _ engine: EngineKind, _ round: Int, _ directory: String, _ report: inout Report
    ) throws {
        let home = directory + "/\(engine.rawValue)"
        let group = try section.memoryLimit.map { try MemoryGroup(limit: $0) }
        defer { group?.remove() }
        try Interruption.withDirectory(home, note: progress.note) {
            let order = WorkerOrder(
                task: .measure, options: options, section: section, engine: engine, round: round, directory: home,
                memoryGroup: group?.directory)
            try hear(ChildProcess(order), of: order, &report)
        }
    }

    /// Takes what a worker says, to its end.
    private func hear(_ child: ChildProcess, of order: WorkerOrder, _ report: inout Report) throws {
        let (section, engine, round) = (order.section, order.engine, order.round)
        // Where what it says makes no sense, it shall not run on beside the next one.
        defer { child.end() }
        var hasFailed = false
        var pending = PendingMeasurements()
        while let message = try child.nextMessage() {
            switch message {
            case .engine(let description): report.add(description)
            case .measurement(let measurement):
                progress.show(measurement, of: options.rounds)
                pending.add(measurement)
            case .verified:
                report.measurements += pending.confirm()
            case .failure(let text):
                hasFailed = true
                fail(text, section, engine, round, &report)
            case .filled: break
            }
        }
        if !child.wait(), !hasFailed { fail("its process died", section, engine, round, &report) }
    }

    /// Notes that something failed: the rest is measured all the same.
    private func fail(_ text: String, _ section: Section, _ engine: EngineKind?, _ round: Int, _ report: inout Report) {
        let failure = Report.Failure(engine: engine, section: section.name, round: round, text: text)
        progress.note(failure.description)
        report.failures.append(failure)
    }

    private func write(_ data: Data, to path: String) throws {
        try data.write(to: URL(fileURLWithPath: path))
        progress.note("wrote \(path)")
    }
}

/// Says on standard error how far things are.
private struct Progress {
    func show(_ measurement: Measurement, of rounds: Int) {
        note(
            """
            \(measurement.round + 1)/\(rounds)  \(measurement.engine.rawValue.padded(to: 10))  \
            \(measurement.label.padded(to: 26))  \(Format.value(measurement.value, measurement.unit))
            """)
    }

    func note(_ text: String) {
        // Whoever has read it is gone.
        do { try FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8)) } catch {
            Interruption.end(SIGPIPE)
        }
    }
}
