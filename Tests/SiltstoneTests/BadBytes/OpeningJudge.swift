@testable import Siltstone

/// Opens damaged stores, reads everything, and says what must not be.
struct OpeningJudge {
    /// How a store is opened.
    struct Mode: CaseIterable {
        var readOnly: Bool
        var access: FileAccess

        static let allCases = [
            Mode(readOnly: true, access: .read), Mode(readOnly: false, access: .mapped),
            Mode(readOnly: true, access: .mapped), Mode(readOnly: false, access: .read),
        ]

        var description: String { "\(readOnly ? "read-only" : "for writing"), \(access)" }
    }

    let damaged: DamagedSample
    let mode: Mode

    private var sample: SampleStore { damaged.sample }

    /// What is wrong with how the engine takes the damage; nil where it is right data or an error in order.
    func complaint() throws -> String? {
        let fileSystem = try damaged.files.mount()
        let store: KeyValueStore
        do { store = try open(fileSystem) } catch {
            return complaint(about: error)
        }
        let observation = StoreContents(store, probes: sample.probes)
        let models = damaged.acceptable()
        let contradictions = models.compactMap { observation.contradiction(to: $0) }
        if contradictions.count == models.count { return contradictions[0] }
        if let complaint = observation.errors.lazy.compactMap({ complaint(about: $0) }).first { return complaint }
        if let complaint = complaint(about: observation) { return complaint }
        if !mode.readOnly, observation.isClean {
            let model = models.first { observation.contradiction(to: $0) == nil } ?? [:]
            return GoingOn(sample: sample, fileSystem: fileSystem).complaint(store, model)
        }
        do { try store.close() } catch { return complaint(about: error) }
        return nil
    }

    private func open(_ fileSystem: InMemoryFileSystem) throws(StoreError) -> KeyValueStore {
        var configuration = sample.configuration
        configuration.fileSystem = fileSystem
        configuration.readOnly = mode.readOnly
        configuration.access = mode.access
        return try KeyValueStore.open(at: StoreFiles.path, configuration: configuration)
    }

    /// Errors must be of the right kind, and name a file of the store, and the offset where there is one.
    private func complaint(about error: StoreError) -> String? {
        let isDirectory = damaged.damage.kind == .directory
        let isLost = damaged.files.bytes("CURRENT") == nil && error.code == .notFound
        guard error.code == .corrupt || isLost || (isDirectory && error.code == .inputOutput) else {
            return "an error of the wrong kind: \(error)"
        }
        guard let file = error.file, file.hasPrefix(StoreFiles.path) else { return "an error without a file: \(error)" }
        // Of a damaged byte the very file is to be named, and a place in it.
        guard [.bit, .invert, .zero].contains(damaged.damage.kind) else { return nil }
        guard damaged.damage.changes.keys.contains(where: { file == StoreFiles.path + "/" + $0 }) else {
            return "an error that names another file: \(error)"
        }
        if error.offset == nil { return "an error without an offset: \(error)" }
        return nil
    }

    private func complaint(about observation: StoreContents) -> String? {
        switch observation.verification {
        case .failure(let error): return complaint(about: error)
        case .success(let report):
            for problem in report.problems where !problem.file.hasPrefix(StoreFiles.path) {
                return "a problem without a file: \(problem)"
            }
            if report.isClean, let error = observation.errors.first { return "verify found nothing of: \(error)" }
            return nil
        }
    }
}
