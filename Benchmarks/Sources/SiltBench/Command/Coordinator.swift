import Foundation

/// Has every engine measured in every round, in turn, and reports.
struct Coordinator {
    private let options: Options
    private let progress = Progress()

    init(_ options: Options) { self.options = options }

    /// Runs everything.
    /// - Returns: whether all engines did all they were asked for, and read the same.
    /// - Throws: ``BenchmarkError`` where a report cannot be written.
    func run() throws -> Bool {
        let directory = options.directory + "-\(getpid())"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer {
            do { try FileManager.default.removeItem(atPath: directory) } catch { progress.note("\(error)") }
        }
        if let type = Machine.volatileFileSystem(directory) {
            progress.note("\(directory) is on \(type), where a sync costs nothing: choose another --dir")
        }
        var report = Report(options)
        for round in 0..<options.rounds {
            report.limits.add(try RawLimits.measure(in: directory))
            // Each engine is first in its turn: none always comes after the same one.
            for i in options.engines.indices {
                let engine = options.engines[(i + round) % options.engines.count]
                if report.failures.contains(where: { $0.engine == engine }) { continue }
                try measure(engine, round, directory, &report)
            }
        }
        report.compareTallies()
        print(TerminalReport(report).text)
        fflush(nil)
        if let path = options.jsonPath { try write(report.json(), to: path) }
        if let path = options.htmlPath { try write(Data(HTMLReport(report).text.utf8), to: path) }
        return report.failures.isEmpty
    }

    /// One round of one engine, in a process of its own.
    private func measure(_ engine: EngineKind, _ round: Int, _ directory: String, _ report: inout Report) throws {
        let home = directory + "/\(engine.rawValue)"
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        defer {
            do { try FileManager.default.removeItem(atPath: home) } catch { progress.note("\(error)") }
        }
        let child = try ChildProcess(
            WorkerOrder(task: .measure, options: options, engine: engine, round: round, directory: home))
        while let message = try child.nextMessage() {
            switch message {
            case .engine(let description): report.add(description)
            case .measurement(let measurement):
                progress.show(measurement, of: options.rounds)
                report.measurements.append(measurement)
            case .failure(let text):
                progress.note("\(engine.title): \(text)")
                report.failures.append(Report.Failure(engine: engine, round: round, text: text))
            case .ready: break
            }
        }
        if !child.wait(), !report.failures.contains(where: { $0.engine == engine }) {
            progress.note("\(engine.title): its process died")
            report.failures.append(Report.Failure(engine: engine, round: round, text: "its process died"))
        }
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

    func note(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
}
