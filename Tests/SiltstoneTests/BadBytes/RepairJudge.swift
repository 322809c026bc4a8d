@testable import Siltstone

/// Repairs damaged stores, and says what must not be.
struct RepairJudge {
    let damaged: DamagedSample

    private var sample: SampleStore { damaged.sample }

    /// What is wrong with how the damage was repaired; nil where all that is proved is there, nothing else is, and the
    /// rest is told.
    func complaint() throws -> String? {
        let fileSystem = try damaged.files.mount()
        var configuration = sample.configuration
        configuration.fileSystem = fileSystem
        let report: RepairReport
        do { report = try KeyValueStore.repair(at: StoreFiles.path, configuration: configuration) } catch {
            return "it failed: \(error)"
        }
        if let complaint = try complaintAboutFiles(report, fileSystem) { return complaint }
        if report.wasClean {
            return try OpeningJudge(damaged: damaged, mode: .init(readOnly: false, access: .read)).complaint()
        }
        if let complaint = try complaintAboutRecords(report, configuration) { return complaint }
        let store: KeyValueStore
        do { store = try KeyValueStore.open(at: StoreFiles.path, configuration: configuration) } catch {
            return "what it made does not open: \(error)"
        }
        let observation = StoreContents(store, probes: sample.probes)
        if let error = observation.errors.first { return "what it made cannot be read: \(error)" }
        guard observation.isClean else { return "what it made is not clean: \(observation.verification)" }
        var model: RecordedHistory.Model = [:]
        for entry in observation.forward.entries { model[entry.key] = entry.value }
        if let contradiction = observation.contradiction(to: model) { return contradiction }
        if let complaint = complaint(about: model, report) { return "\(complaint); \(report.losses)" }
        return GoingOn(sample: sample, fileSystem: fileSystem).complaint(store, model)
    }

    /// Every key must have the newest value that its own bytes prove, or, where the engine knows more than the test, the
    /// one that it had.
    private func complaint(about model: RecordedHistory.Model, _ report: RepairReport) -> String? {
        let (proved, truth) = (damaged.provable.model(), sample.history.model)
        for key in sample.history.keys.union(model.keys) {
            let name = String(decoding: key, as: UTF8.self)
            guard model[key] != proved[key], model[key] != truth[key] else { continue }
            guard let value = model[key] else { return "\(name) is lost, though it is proved" }
            if sample.history.puts[key]?.contains(value) != true { return "\(name) has a value that was never put" }
            return proved[key] == nil ? "\(name) has come back" : "\(name) has an older value than is proved"
        }
        return model == truth || !report.losses.isEmpty ? nil : "nothing is said of what is gone"
    }

    /// The report counts the records that the repaired segments hold.
    private func complaintAboutRecords(_ report: RepairReport, _ configuration: Configuration) throws -> String? {
        // Read only, so that nothing is compacted meanwhile.
        var configuration = configuration
        configuration.readOnly = true
        do {
            let store = try KeyValueStore.open(at: StoreFiles.path, configuration: configuration)
            let records = store.layout.segments.reduce(0) { $0 + $1.records }
            try store.close()
            return records == report.recordsKept
                ? nil : "the report says \(report.recordsKept) records, and the segments hold \(records)"
        } catch { return "what it made does not open for reading: \(error)" }
    }

    /// Every file must still be there as it was, in its place or put aside.
    private func complaintAboutFiles(_ report: RepairReport, _ fileSystem: InMemoryFileSystem) throws -> String? {
        for (name, entry) in damaged.files.entries where name != "CURRENT" {
            let places = [StoreFiles.path, report.damagedFilesDirectory].compactMap { $0 }.map { $0 + "/" + name }
            let isThere = try places.contains { path in
                guard let found = try fileSystem.attributes(of: path) else { return false }
                if case .directory = entry { return found.isDirectory }
                return try !found.isDirectory && fileSystem.open(path, .read).readAll() == entry.bytes
            }
            if !isThere { return "\(name) is gone" }
        }
        for path in report.damagedFiles where try fileSystem.attributes(of: path) == nil {
            return "the report names \(path), which is not there"
        }
        return nil
    }
}
